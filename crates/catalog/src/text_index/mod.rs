//! Options that inverted indexes and `arangosearch` views share.
//!
//! Source: ArangoDB 3.12 documentation, "`arangosearch` Views Reference" and "Inverted indexes".

mod consolidation;
mod maintenance;
mod primary_sort;
mod stored_columns;
mod top_k;
mod used_analyzers;

use errors::{Error, Result};

use crate::FieldPath;
use crate::properties::Properties;

pub use consolidation::Consolidation;
pub use maintenance::{Maintenance, WriteBuffers};
pub use primary_sort::{PRIMARY_SORT_FIELDS_MAX, PrimarySort, SortAttribute};
pub use stored_columns::{STORED_COLUMNS_MAX, StoredColumn};
pub(crate) use stored_columns::{parse_stored_columns, print_stored_columns};
pub(crate) use top_k::parse_top_k;
pub use top_k::{TOP_K_MAX, TopK};
pub use used_analyzers::UsedAnalyzers;

/// The compression of a column. Both are stored alike; it is kept and printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// LZ4.
    #[default]
    Lz4,
    /// None.
    None,
}

impl Compression {
    /// Returns ArangoDB's name.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Lz4 => "lz4",
            Compression::None => "none",
        }
    }

    /// Reads an attribute; the default if it is missing. Errors: 10.
    pub(crate) fn parse(properties: Properties<'_>, attribute: &str) -> Result<Self> {
        match properties.text(attribute)? {
            None | Some("lz4") => Ok(Compression::Lz4),
            Some("none") => Ok(Compression::None),
            Some(other) => {
                Err(Error::bad_parameter(format!("'{attribute}' is '{other}'; it must be 'lz4' or 'none'")))
            }
        }
    }
}

/// Parses a path to a stored or sorted attribute, which cannot expand an array. Errors: 10.
fn parse_plain_path(text: &str, attribute: &str) -> Result<FieldPath> {
    let path = FieldPath::parse(text);
    match path {
        Ok(path) if !path.is_expanded() => Ok(path),
        Ok(path) => Err(Error::bad_parameter(format!("'{attribute}' cannot expand an array: '{path}'"))),
        Err(error) => Err(Error::bad_parameter(format!("'{attribute}': '{text}': {}", error.message()))),
    }
}
