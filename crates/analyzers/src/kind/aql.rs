//! `aql`: the rows of a query over the text.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Output, Tokenizer};
use crate::properties::Properties;
use crate::query::{CompiledQuery, QueryCompiler, QueryProperties, ReturnType, Row};
use crate::token::{Input, Sink, Token};

/// Maximum number of rows of a batch.
const BATCH_MAX: u64 = 1000;
/// Bytes of memory that a query may use, unless it says otherwise.
const MEMORY_DEFAULT: u64 = 1 << 20;
/// Maximum memory in bytes that a query may request.
const MEMORY_MAX: u64 = 32 << 20;

const RETURN_TYPES: [(&str, ReturnType); 3] =
    [("string", ReturnType::Text), ("number", ReturnType::Number), ("bool", ReturnType::Bool)];

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let text = properties.required_text("queryString")?;
    if text.is_empty() {
        return Err(properties.wrong("queryString", "a query"));
    }
    Ok(Arc::new(QueryProperties {
        text: text.to_owned(),
        collapse_positions: properties.boolean("collapsePositions", false)?,
        keep_null: properties.boolean("keepNull", true)?,
        batch_size: properties.number("batchSize", 1, BATCH_MAX)?.unwrap_or(1),
        memory_limit_bytes: properties.number("memoryLimit", 1, MEMORY_MAX)?.unwrap_or(MEMORY_DEFAULT),
        return_type: properties.choice("returnType", &RETURN_TYPES)?.unwrap_or(ReturnType::Text),
    }))
}

impl Kind for QueryProperties {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("queryString")?;
        out.add_str(&self.text)?;
        out.key("collapsePositions")?;
        out.add_bool(self.collapse_positions)?;
        out.key("keepNull")?;
        out.add_bool(self.keep_null)?;
        out.key("batchSize")?;
        out.add_u64(self.batch_size)?;
        out.key("memoryLimit")?;
        out.add_u64(self.memory_limit_bytes)?;
        out.key("returnType")?;
        let name =
            RETURN_TYPES.iter().find(|(_, kind)| *kind == self.return_type).map_or("", |(name, _)| name);
        out.add_str(name)
    }

    fn open(&self, queries: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(Opened { properties: self.clone(), query: queries.compile(self)? }))
    }

    fn runs_query(&self) -> bool {
        true
    }

    fn has_offsets(&self) -> bool {
        false
    }
}

struct Opened {
    properties: QueryProperties,
    query: Arc<dyn CompiledQuery>,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let interrupt = sink.interrupt().clone();
        let mut row_number = 0;
        self.query.run(text, &interrupt, &mut |row| {
            let position = if self.properties.collapse_positions { 0 } else { row_number };
            row_number += 1;
            self.emit(row, position, text.len(), sink)
        })
    }

    fn output(&self) -> Output {
        match self.properties.return_type {
            ReturnType::Text => Output::Text,
            ReturnType::Number => Output::Number,
            ReturnType::Bool => Output::Bool,
        }
    }
}

impl Opened {
    fn emit(&self, row: Row<'_>, position: u32, end: usize, sink: &mut dyn Sink) -> Result<()> {
        let mut token = |term: &[u8]| sink.token(Token::new(term, position, 0, end));
        match row {
            Row::Null if !self.properties.keep_null => Ok(()),
            Row::Null => match self.properties.return_type {
                ReturnType::Text => token(&[]),
                ReturnType::Number => token(&0.0_f64.to_le_bytes()),
                ReturnType::Bool => token(&[0]),
            },
            Row::Text(text) => token(text.as_bytes()),
            Row::Number(number) => token(&number.to_le_bytes()),
            Row::Bool(is_true) => token(&[u8::from(is_true)]),
        }
    }
}
