//! The cells of one column, while a record batch is made.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, NullBufferBuilder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Fields};
use velocypack::{Number, Slice, json};

use crate::column::{Column, ColumnType, element_field, fields};
use crate::infer::exact_double;

/// Maximum length of the texts of one column in a record batch. Arrow's offsets have 32 bits.
const MAX_TEXT_BYTES: usize = i32::MAX as usize;

/// A value that does not fit the type of its column.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// The names of the columns that lead to it, the innermost first.
    path: Vec<String>,
    what: String,
}

impl Misfit {
    fn new(what: impl Into<String>) -> Self {
        Misfit { path: Vec::new(), what: what.into() }
    }

    fn within(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    /// Returns the message, which names the place by a path like `a.b`.
    pub(crate) fn message(&self) -> String {
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        if path.is_empty() { self.what.clone() } else { format!("`{}` {}", path.join("."), self.what) }
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) enum Sink {
    Bool(BooleanBuilder),
    Int64(Int64Builder),
    Float64(Float64Builder),
    Utf8(StringBuilder),
    Json(StringBuilder, Vec<u8>),
    List { field: Arc<Field>, offsets: Vec<i32>, nulls: NullBufferBuilder, element: Box<Sink>, len: i32 },
    Struct(StructSink),
}

/// The cells of the columns of objects.
#[derive(Debug)]
pub(crate) struct StructSink {
    fields: Fields,
    columns: Vec<(String, Sink)>,
    nulls: NullBufferBuilder,
    rows: usize,
    /// True if attributes without a column are left out. Otherwise they do not fit.
    is_open: bool,
}

impl Sink {
    pub(crate) fn new(kind: &ColumnType, is_open: bool) -> Self {
        match kind {
            ColumnType::Bool => Sink::Bool(BooleanBuilder::new()),
            ColumnType::Int64 => Sink::Int64(Int64Builder::new()),
            ColumnType::Float64 => Sink::Float64(Float64Builder::new()),
            ColumnType::Utf8 => Sink::Utf8(StringBuilder::new()),
            ColumnType::Json => Sink::Json(StringBuilder::new(), Vec::new()),
            ColumnType::List(element) => Sink::List {
                field: element_field(element),
                offsets: vec![0],
                nulls: NullBufferBuilder::new(0),
                element: Box::new(Sink::new(element, is_open)),
                len: 0,
            },
            ColumnType::Struct(columns) => Sink::Struct(StructSink::new(columns, is_open)),
        }
    }

    /// Appends a value. After a misfit the sink is not to be used.
    pub(crate) fn push(&mut self, value: Slice<'_>) -> Result<(), Misfit> {
        if value.is_null() {
            self.push_null();
            return Ok(());
        }
        match self {
            Sink::Bool(cells) => {
                cells.append_value(value.as_bool().ok_or_else(|| not(value, "bool"))?);
            }
            Sink::Int64(cells) => {
                cells.append_value(exact_int(value).ok_or_else(|| not(value, "int64"))?);
            }
            Sink::Float64(cells) => {
                cells.append_value(exact_double(value).ok_or_else(|| not(value, "float64"))?);
            }
            Sink::Utf8(cells) => {
                push_text(cells, value.as_str().ok_or_else(|| not(value, "utf8"))?)?;
            }
            Sink::Json(cells, scratch) => {
                scratch.clear();
                json::write(value, None, scratch);
                push_text(cells, std::str::from_utf8(scratch).map_err(|_| not(value, "UTF-8"))?)?;
            }
            Sink::List { offsets, nulls, element, len, .. } => {
                if !value.is_array() {
                    return Err(not(value, "list"));
                }
                for value in value.elements() {
                    element.push(value)?;
                    *len = len.checked_add(1).ok_or_else(|| Misfit::new("has too many elements"))?;
                }
                offsets.push(*len);
                nulls.append_non_null();
            }
            Sink::Struct(cells) => cells.push(value)?,
        }
        Ok(())
    }

    fn push_null(&mut self) {
        match self {
            Sink::Bool(cells) => cells.append_null(),
            Sink::Int64(cells) => cells.append_null(),
            Sink::Float64(cells) => cells.append_null(),
            Sink::Utf8(cells) | Sink::Json(cells, _) => cells.append_null(),
            Sink::List { offsets, nulls, len, .. } => {
                offsets.push(*len);
                nulls.append_null();
            }
            Sink::Struct(cells) => cells.push_null(),
        }
    }

    /// Returns the cells and begins anew.
    pub(crate) fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Sink::Bool(cells) => Arc::new(cells.finish()),
            Sink::Int64(cells) => Arc::new(cells.finish()),
            Sink::Float64(cells) => Arc::new(cells.finish()),
            Sink::Utf8(cells) | Sink::Json(cells, _) => Arc::new(cells.finish()),
            Sink::List { field, offsets, nulls, element, len } => {
                let offsets = std::mem::replace(offsets, vec![0]);
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                *len = 0;
                Arc::new(ListArray::try_new(Arc::clone(field), offsets, element.take()?, nulls.finish())?)
            }
            Sink::Struct(cells) => Arc::new(cells.take()?),
        })
    }
}

impl StructSink {
    pub(crate) fn new(columns: &[Column], is_open: bool) -> Self {
        let sinks = columns.iter().map(|column| (column.name.clone(), Sink::new(&column.kind, is_open)));
        StructSink {
            fields: fields(columns),
            columns: sinks.collect(),
            nulls: NullBufferBuilder::new(0),
            rows: 0,
            is_open,
        }
    }

    /// Appends an object.
    pub(crate) fn push(&mut self, object: Slice<'_>) -> Result<(), Misfit> {
        if !object.is_object() {
            return Err(not(object, "struct"));
        }
        let mut found = 0;
        for (name, sink) in &mut self.columns {
            match object.get(name) {
                Some(value) => {
                    found += 1;
                    sink.push(value).map_err(|misfit| misfit.within(name))?;
                }
                None => sink.push_null(),
            }
        }
        self.nulls.append_non_null();
        self.rows += 1;
        if found < object.len() && !self.is_open { self.check_others(object) } else { Ok(()) }
    }

    /// Checks that attributes without a column are null.
    fn check_others(&self, object: Slice<'_>) -> Result<(), Misfit> {
        let known: std::collections::HashSet<&str> =
            self.columns.iter().map(|(name, _)| name.as_str()).collect();
        match object.entries().find(|(name, value)| !value.is_null() && !known.contains(name)) {
            Some((name, _)) => Err(Misfit::new("has no column").within(name)),
            None => Ok(()),
        }
    }

    fn push_null(&mut self) {
        self.columns.iter_mut().for_each(|(_, sink)| sink.push_null());
        self.nulls.append_null();
        self.rows += 1;
    }

    /// Returns the cells of each column and begins anew.
    pub(crate) fn take(&mut self) -> Result<StructArray, ArrowError> {
        let arrays: Result<Vec<ArrayRef>, ArrowError> =
            self.columns.iter_mut().map(|(_, sink)| sink.take()).collect();
        let rows = std::mem::take(&mut self.rows);
        StructArray::try_new_with_length(self.fields.clone(), arrays?, self.nulls.finish(), rows)
    }
}

fn push_text(cells: &mut StringBuilder, text: &str) -> Result<(), Misfit> {
    // The builder panics when its offsets overflow.
    if text.len() > MAX_TEXT_BYTES - cells.values_slice().len() {
        return Err(Misfit::new(format!(
            "has more than {MAX_TEXT_BYTES} bytes of text in one record batch; use a smaller `batchSize`"
        )));
    }
    cells.append_value(text);
    Ok(())
}

/// Returns the whole number of a number without a fraction. JSON shows both alike.
fn exact_int(value: Slice<'_>) -> Option<i64> {
    match value.as_number()? {
        Number::Int(int) => Some(int),
        Number::UInt(_) => None,
        Number::Double(double) => {
            let int = double as i64;
            (int as f64 == double && int != i64::MAX).then_some(int)
        }
    }
}

fn not(value: Slice<'_>, wanted: &str) -> Misfit {
    Misfit::new(format!("is a value of type {}, which does not fit {wanted}", value.kind().name()))
}
