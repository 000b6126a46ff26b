//! Options of the fulltext index.
//!
//! Source: ArangoDB 3.12 documentation, "Full-text index HTTP API".

use errors::{Error, Result};

use super::{Capabilities, IndexProperties, SearchShape, TypeOptions, TypeRules, check_plain_fields};
use crate::properties::{Printer, Properties};

/// The default length of the shortest indexed word, in characters.
const DEFAULT_MIN_LENGTH: u64 = 2;

pub(super) struct Fulltext;

impl TypeRules for Fulltext {
    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        check_plain_fields(index, 1)?;
        let min_length = properties.unsigned("minLength")?.unwrap_or(DEFAULT_MIN_LENGTH);
        if min_length == 0 {
            return Err(Error::bad_parameter("minLength must be greater than zero"));
        }
        index.sparse = true;
        index.estimates = false;
        index.options = TypeOptions::Fulltext { min_length };
        Ok(())
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if let TypeOptions::Fulltext { min_length } = index.options {
            printer.unsigned("minLength", min_length);
        }
    }

    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        own.options == wanted.options
    }

    fn capabilities(&self, index: &IndexProperties) -> Capabilities {
        match index.options {
            TypeOptions::Fulltext { min_length } => {
                Capabilities { search: SearchShape::Words { min_length }, ..Capabilities::default() }
            }
            _ => Capabilities::default(),
        }
    }
}
