//! `delimiter`: the parts between a delimiter, which double quotes protect.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// Tokens between two pauses.
const TOKENS_PER_PAUSE: u32 = 1024;

#[derive(Debug, Clone)]
struct Delimiter {
    delimiter: String,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    Ok(Arc::new(Delimiter { delimiter: properties.required_text("delimiter")?.to_owned() }))
}

impl Kind for Delimiter {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("delimiter")?;
        out.add_str(&self.delimiter)
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(self.clone()))
    }
}

impl Tokenizer for Delimiter {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let (mut start, mut unquoted) = (0, String::new());
        for position in 0.. {
            if position % TOKENS_PER_PAUSE == 0 {
                sink.pause()?;
            }
            let rest = text.get(start..).unwrap_or_default();
            let field = self.next_field(rest);
            let end = start + field.len;
            let term = if field.is_quoted {
                unquote(rest.get(..field.len).unwrap_or_default(), &mut unquoted);
                unquoted.as_str()
            } else {
                rest.get(..field.len).unwrap_or_default()
            };
            sink.token(Token::new(term.as_bytes(), position, start, end))?;
            if field.is_last {
                break;
            }
            start = end + self.delimiter.len();
        }
        Ok(())
    }
}

struct Field {
    /// Bytes, with quotes.
    len: usize,
    is_quoted: bool,
    is_last: bool,
}

impl Delimiter {
    /// Returns the first part of a text.
    ///
    /// RFC 4180: a part in double quotes ends with a quote before the delimiter or the end. Without
    /// such an end, the quotes are part of the text.
    fn next_field(&self, text: &str) -> Field {
        if let Some(len) = text.starts_with('"').then(|| self.quoted_len(text)).flatten() {
            return Field { len, is_quoted: true, is_last: len == text.len() };
        }
        let found = if self.delimiter.is_empty() { None } else { text.find(&self.delimiter) };
        Field { len: found.unwrap_or(text.len()), is_quoted: false, is_last: found.is_none() }
    }

    fn quoted_len(&self, text: &str) -> Option<usize> {
        let mut at = 1;
        loop {
            let quote = at + text.get(at..)?.find('"')?;
            let rest = text.get(quote + 1..)?;
            if rest.is_empty() || (!self.delimiter.is_empty() && rest.starts_with(&self.delimiter)) {
                return Some(quote + 1);
            }
            // Two quotes are one.
            at = quote + 1 + usize::from(rest.starts_with('"'));
        }
    }
}

fn unquote(field: &str, out: &mut String) {
    out.clear();
    let inner = field.get(1..field.len().saturating_sub(1)).unwrap_or_default();
    let mut rest = inner;
    while let Some(quote) = rest.find("\"\"") {
        out.push_str(rest.get(..=quote).unwrap_or_default());
        rest = rest.get(quote + 2..).unwrap_or_default();
    }
    out.push_str(rest);
}
