//! Option `indexHint` of traversals: `{collection: {direction: {level: index}}}`.

use aql_value::Value;
use errors::Result;

use crate::bind::Binder;
use crate::bind::options::index_names;
use crate::node::{EdgeDirection, EdgeIndexHint};

/// Maximum number of hints of a traversal that are read.
const MAX_HINTS: usize = 1024;

impl Binder<'_> {
    /// Adds the hints; false if the value is not an object. Errors within it are warnings.
    pub(super) fn index_hints(&mut self, hints: &mut Vec<EdgeIndexHint>, value: &Value) -> Result<bool> {
        if !value.is_object() {
            return Ok(false);
        }
        for (collection, directions) in value.entries() {
            if !directions.is_object() {
                self.warn_option(collection, "TRAVERSAL")?;
                continue;
            }
            for (name, levels) in directions.entries() {
                let direction = match name {
                    "outbound" => EdgeDirection::Outbound,
                    "inbound" => EdgeDirection::Inbound,
                    _ => {
                        self.warn_option(name, "TRAVERSAL")?;
                        continue;
                    }
                };
                self.hints_of_levels(hints, collection, direction, &levels)?;
            }
        }
        Ok(true)
    }

    fn hints_of_levels(
        &mut self,
        hints: &mut Vec<EdgeIndexHint>,
        collection: &str,
        direction: EdgeDirection,
        levels: &Value,
    ) -> Result<()> {
        for (level, names) in levels.entries() {
            let depth = match level {
                "base" => Some(None),
                number => number.parse::<u64>().ok().map(Some),
            };
            match (depth, index_names(&names)) {
                (Some(depth), Some(names)) if hints.len() < MAX_HINTS => {
                    hints.push(EdgeIndexHint { collection: collection.into(), direction, depth, names });
                }
                _ => self.warn_option(level, "TRAVERSAL")?,
            }
        }
        Ok(())
    }
}
