//! Options of the persistent index.
//!
//! Source: ArangoDB 3.12 documentation, "Persistent index HTTP API".

use errors::{Error, Result};

use super::{Capabilities, IndexProperties, SearchShape, TypeRules, parse_stored_values};
use crate::FieldPath;
use crate::properties::{Printer, Properties};

pub(super) struct Persistent;

impl TypeRules for Persistent {
    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        index.unique = properties.boolean("unique")?.unwrap_or(false);
        index.sparse = properties.boolean("sparse")?.unwrap_or(false);
        index.deduplicate = properties.boolean("deduplicate")?.unwrap_or(true);
        index.estimates = properties.boolean("estimates")?.unwrap_or(true);
        index.cache_enabled = properties.boolean("cacheEnabled")?.unwrap_or(false);
        index.stored_values = parse_stored_values(properties)?;
        check_stored_values(index)
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        printer.boolean("deduplicate", index.deduplicate);
        printer.boolean("estimates", index.estimates);
        printer.boolean("cacheEnabled", index.cache_enabled);
        if !index.stored_values.is_empty() {
            printer.texts("storedValues", index.stored_values.iter().map(FieldPath::to_string));
        }
    }

    /// Returns true: other `storedValues`, `cacheEnabled`, `estimates` or `deduplicate` do not make
    /// another index.
    fn is_same(&self, _own: &IndexProperties, _wanted: &IndexProperties) -> bool {
        true
    }

    fn capabilities(&self, index: &IndexProperties) -> Capabilities {
        Capabilities {
            search: SearchShape::LeadingFields,
            ordered: true,
            covers: true,
            clustered: false,
            unique_lookup: index.unique,
        }
    }
}

fn check_stored_values(index: &IndexProperties) -> Result<()> {
    for path in &index.stored_values {
        if index.fields.contains(path) {
            return Err(Error::bad_parameter(format!(
                "duplicate attribute '{path}' in 'fields' and 'storedValues'"
            )));
        }
        if path.is_expanded() {
            return Err(Error::bad_parameter(format!("'storedValues' cannot expand an array: '{path}'")));
        }
    }
    Ok(())
}
