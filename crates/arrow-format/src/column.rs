//! The columns of a stream of rows, and their types in Arrow.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};

/// Maximum number of columns of a stream, those in structs and lists included.
pub const MAX_COLUMNS: usize = 10_000;
/// Maximum nesting of lists and structs in a column. Deeper values become JSON text.
pub const MAX_DEPTH: usize = 8;
/// The column of rows that are not objects.
pub(crate) const VALUE_COLUMN: &str = "value";

/// The metadata of a field that names its extension type.
const EXTENSION_NAME: &str = "ARROW:extension:name";
/// The metadata of a field with the parameters of its extension type.
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";
/// The canonical extension type of JSON text.
const JSON_EXTENSION: &str = "arrow.json";

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `true` and `false`.
    Bool,
    /// Whole numbers within 64 bits, signed.
    Int64,
    /// Doubles.
    Float64,
    /// Strings.
    Utf8,
    /// Values of any type, as JSON text.
    Json,
    /// Arrays whose elements have one type.
    List(Box<ColumnType>),
    /// Objects whose attributes have a type each.
    Struct(Vec<Column>),
}

/// A column: an attribute with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name of the attribute.
    pub name: String,
    /// The type of its values. Each column may also hold nulls.
    pub kind: ColumnType,
}

/// The origin of a row's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// The attributes of objects. An attribute without a column does not fit.
    Objects,
    /// The attributes of objects that have a column. All others are left out.
    Named,
    /// Rows are the values of one column.
    Values,
}

/// The columns of a stream, and how rows become their cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSchema {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Rows,
}

impl RowSchema {
    /// Returns the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the number of cells of a row: its columns, with those of structs and lists.
    pub(crate) fn cells(&self) -> usize {
        self.columns.iter().map(|column| cells(&column.kind)).sum()
    }

    /// Returns the schema in Arrow.
    pub(crate) fn to_arrow(&self) -> Schema {
        Schema::new(fields(&self.columns))
    }
}

fn cells(kind: &ColumnType) -> usize {
    match kind {
        ColumnType::List(element) => 1 + cells(element),
        ColumnType::Struct(columns) => 1 + columns.iter().map(|column| cells(&column.kind)).sum::<usize>(),
        _ => 1,
    }
}

pub(crate) fn fields(columns: &[Column]) -> Fields {
    columns.iter().map(|column| field(&column.name, &column.kind)).collect()
}

/// Returns the field of the elements of a list.
pub(crate) fn element_field(kind: &ColumnType) -> Arc<Field> {
    Arc::new(field(Field::LIST_FIELD_DEFAULT_NAME, kind))
}

fn field(name: &str, kind: &ColumnType) -> Field {
    let field = Field::new(name, data_type(kind), true);
    match kind {
        ColumnType::Json => field.with_metadata(HashMap::from([
            (EXTENSION_NAME.to_owned(), JSON_EXTENSION.to_owned()),
            (EXTENSION_METADATA.to_owned(), String::new()),
        ])),
        _ => field,
    }
}

fn data_type(kind: &ColumnType) -> DataType {
    match kind {
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Int64 => DataType::Int64,
        ColumnType::Float64 => DataType::Float64,
        ColumnType::Utf8 | ColumnType::Json => DataType::Utf8,
        ColumnType::List(element) => DataType::List(element_field(element)),
        ColumnType::Struct(columns) => DataType::Struct(fields(columns)),
    }
}

/// Returns true if a field holds JSON text by its extension type.
pub(crate) fn is_json(field: &Field) -> bool {
    field.metadata().get(EXTENSION_NAME).is_some_and(|name| name == JSON_EXTENSION)
}

impl fmt::Display for ColumnType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnType::Bool => out.write_str("bool"),
            ColumnType::Int64 => out.write_str("int64"),
            ColumnType::Float64 => out.write_str("float64"),
            ColumnType::Utf8 => out.write_str("utf8"),
            ColumnType::Json => out.write_str("json"),
            ColumnType::List(element) => write!(out, "list<{element}>"),
            ColumnType::Struct(columns) => {
                out.write_str("struct<")?;
                for (place, column) in columns.iter().enumerate() {
                    let comma = if place > 0 { "," } else { "" };
                    write!(out, "{comma}{}:{}", column.name, column.kind)?;
                }
                out.write_str(">")
            }
        }
    }
}
