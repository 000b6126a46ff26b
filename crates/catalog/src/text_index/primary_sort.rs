//! The order in which a text index stores documents.

use errors::{Error, Result};
use velocypack::Slice;

use super::{Compression, parse_plain_path};
use crate::FieldPath;
use crate::properties::{Printer, Properties};

/// The maximum number of attributes of a primary sort order.
pub const PRIMARY_SORT_FIELDS_MAX: usize = 64;

/// A primary sort order; without attributes there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrimarySort {
    /// The attributes, the most significant first.
    pub fields: Vec<SortAttribute>,
    /// The compression of the sorted column.
    pub compression: Compression,
    /// True if the column should stay in memory. Kept and printed only.
    pub cache: bool,
}

/// An attribute of a primary sort order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortAttribute {
    /// The path.
    pub path: FieldPath,
    /// True if the least value comes first.
    pub ascending: bool,
}

impl SortAttribute {
    /// Reads an array of `{field, direction}` or `{field, asc}`. Errors: 10.
    pub(crate) fn parse_all(array: Slice<'_>) -> Result<Vec<SortAttribute>> {
        if array.len() > PRIMARY_SORT_FIELDS_MAX {
            let message = format!("'primarySort' must have at most {PRIMARY_SORT_FIELDS_MAX} attributes");
            return Err(Error::bad_parameter(message));
        }
        array.elements().map(SortAttribute::parse).collect()
    }

    fn parse(value: Slice<'_>) -> Result<SortAttribute> {
        let properties = Properties::of(value, "an attribute of 'primarySort'")?;
        let field = properties.text("field")?;
        let field = field
            .ok_or_else(|| Error::bad_parameter("'field' of an attribute of 'primarySort' is missing"))?;
        let ascending = match (properties.text("direction")?, properties.boolean("asc")?) {
            (Some(direction), _) if direction.eq_ignore_ascii_case("asc") => true,
            (Some(direction), _) if direction.eq_ignore_ascii_case("desc") => false,
            (None, Some(ascending)) => ascending,
            _ => {
                let message = format!("'direction' of '{field}' in 'primarySort' must be 'asc' or 'desc'");
                return Err(Error::bad_parameter(message));
            }
        };
        Ok(SortAttribute { path: parse_plain_path(field, "primarySort")?, ascending })
    }

    /// Prints `field` and `asc`.
    pub(crate) fn print_flag(&self, printer: &mut Printer<'_>) {
        printer.text("field", &self.path.to_string());
        printer.boolean("asc", self.ascending);
    }
}
