//! Options of the multi-dimensional indexes, with and without prefix.
//!
//! Source: ArangoDB 3.12 documentation, "Multi-dimensional index HTTP API".

use errors::{Error, Result};

use super::{
    Capabilities, INDEX_FIELDS_MAX, IndexProperties, IndexType, SearchShape, TypeOptions, TypeRules,
    check_plain_fields, parse_paths, parse_stored_values,
};
use crate::FieldPath;
use crate::properties::{Printer, Properties};

pub(super) struct Mdi;

impl TypeRules for Mdi {
    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        check_plain_fields(index, INDEX_FIELDS_MAX)?;
        if properties.text("fieldValueTypes")? != Some("double") {
            return Err(Error::bad_parameter("`fieldValueTypes` must be set to `double`"));
        }
        let prefix_fields = parse_prefix(index, properties)?;
        index.unique = properties.boolean("unique")?.unwrap_or(false);
        index.sparse = properties.boolean("sparse")?.unwrap_or(false);
        // Without a prefix, only a unique index has an estimate: its values never repeat.
        let can_estimate = index.unique || index.index_type == IndexType::MdiPrefixed;
        index.estimates = properties.boolean("estimates")?.unwrap_or(true) && can_estimate;
        index.stored_values = parse_stored_values(properties)?;
        for path in &index.stored_values {
            if path.is_expanded() || prefix_fields.contains(path) {
                return Err(Error::bad_parameter(format!(
                    "'storedValues' cannot have the attribute '{path}'"
                )));
            }
        }
        index.options = TypeOptions::Mdi { prefix_fields };
        Ok(())
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        printer.boolean("estimates", index.estimates);
        printer.text("fieldValueTypes", "double");
        if index.index_type == IndexType::MdiPrefixed {
            printer.texts("prefixFields", index.prefix_fields().iter().map(FieldPath::to_string));
        }
        if !index.stored_values.is_empty() {
            printer.texts("storedValues", index.stored_values.iter().map(FieldPath::to_string));
        }
    }

    /// Compares the options; other `storedValues` or `estimates` do not make another index.
    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        own.options == wanted.options
    }

    fn capabilities(&self, index: &IndexProperties) -> Capabilities {
        let search = SearchShape::Box { prefix_fields: index.prefix_fields().len() };
        Capabilities { search, covers: true, ..Capabilities::default() }
    }

    /// Returns the prefix, then the fields.
    fn searched_fields(&self, index: &IndexProperties) -> Vec<FieldPath> {
        index.prefix_fields().iter().chain(&index.fields).cloned().collect()
    }
}

fn parse_prefix(index: &IndexProperties, properties: Properties<'_>) -> Result<Vec<FieldPath>> {
    let prefix = parse_paths(properties, "prefixFields", INDEX_FIELDS_MAX)?;
    match index.index_type {
        IndexType::MdiPrefixed if prefix.is_empty() => {
            return Err(Error::bad_parameter("'prefixFields' must have at least one attribute"));
        }
        IndexType::MdiPrefixed => {}
        _ if !prefix.is_empty() => {
            return Err(Error::bad_parameter("'prefixFields' is for indexes of type 'mdi-prefixed'"));
        }
        _ => {}
    }
    for path in &prefix {
        if path.is_expanded() || path.first() == "_id" || index.fields.contains(path) {
            return Err(Error::bad_parameter(format!("'prefixFields' cannot have the attribute '{path}'")));
        }
    }
    Ok(prefix)
}
