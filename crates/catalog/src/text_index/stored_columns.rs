//! The attributes that a text index stores in addition to its terms.

use errors::{Error, Result};
use velocypack::Slice;

use super::{Compression, parse_plain_path};
use crate::FieldPath;
use crate::properties::{Printer, Properties};

/// The maximum number of columns, and of attributes in one.
pub const STORED_COLUMNS_MAX: usize = 64;

/// A column of `storedValues`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    /// The attributes, at least one.
    pub fields: Vec<FieldPath>,
    /// The compression of the column.
    pub compression: Compression,
    /// True if the column should stay in memory. Kept and printed only.
    pub cache: bool,
}

/// Reads `storedValues`: an array of objects, of arrays of paths, or of paths. Errors: 10.
pub(crate) fn parse_stored_columns(properties: Properties<'_>) -> Result<Vec<StoredColumn>> {
    let columns = properties.array("storedValues")?.unwrap_or(Slice::EMPTY_ARRAY);
    check_number(columns)?;
    columns.elements().map(parse_column).collect()
}

fn parse_column(column: Slice<'_>) -> Result<StoredColumn> {
    let plain = |fields| StoredColumn { fields, compression: Compression::Lz4, cache: false };
    if let Some(text) = column.as_str() {
        return Ok(plain(vec![parse_plain_path(text, "storedValues")?]));
    }
    if column.is_array() {
        return Ok(plain(parse_fields(column)?));
    }
    let properties = Properties::of(column, "a column of 'storedValues'")?;
    let fields = properties.array("fields")?.unwrap_or(Slice::EMPTY_ARRAY);
    Ok(StoredColumn {
        fields: parse_fields(fields)?,
        compression: Compression::parse(properties, "compression")?,
        cache: properties.boolean("cache")?.unwrap_or(false),
    })
}

fn parse_fields(fields: Slice<'_>) -> Result<Vec<FieldPath>> {
    check_number(fields)?;
    let mut paths: Vec<FieldPath> = Vec::new();
    for field in fields.elements() {
        let text = field.as_str();
        let text = text.ok_or_else(|| Error::bad_parameter("'storedValues' must name attributes"))?;
        let path = parse_plain_path(text, "storedValues")?;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(Error::bad_parameter("a column of 'storedValues' must name at least one attribute"));
    }
    Ok(paths)
}

fn check_number(array: Slice<'_>) -> Result<()> {
    if array.len() <= STORED_COLUMNS_MAX {
        return Ok(());
    }
    let message = format!("'storedValues' must have at most {STORED_COLUMNS_MAX} columns and attributes");
    Err(Error::bad_parameter(message))
}

/// Prints `storedValues`, in the long form.
pub(crate) fn print_stored_columns(columns: &[StoredColumn], printer: &mut Printer<'_>) {
    printer.objects("storedValues", columns, |column, printer| {
        printer.texts("fields", column.fields.iter().map(FieldPath::to_string));
        printer.text("compression", column.compression.name());
        if column.cache {
            printer.boolean("cache", true);
        }
    });
}
