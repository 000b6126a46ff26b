//! The multi-dimensional index: documents by several numbers together, in the order of the
//! space-filling curve of [`zorder`]. Attributes in AQL's order may precede the numbers.
//!
//! A field is a number. A document with any other value is refused, with null only by an index
//! that is not sparse: a sparse index has no entry for a document if one of its attributes is null.

mod scan;
mod space;
mod zorder;

use std::sync::Arc;

use catalog::{FieldPath, IndexType};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::index::bounds::IndexRange;
use crate::index::entries::Entries;
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::{Index, IndexMethod, field, is_id};
use scan::BoxesScan;
use zorder::{coordinate, interleave};

pub(super) struct Mdi;

impl IndexMethod for Mdi {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let properties = &index.definition().properties;
        let prefix = values(properties.prefix_fields(), document);
        let fields = values(index.fields(), document);
        if index.is_sparse() && prefix.iter().chain(&fields).any(|value| value.is_null()) {
            return Ok(());
        }
        let point: Option<Vec<u64>> = fields.iter().map(|value| coordinate_of(*value)).collect();
        let point = point.ok_or_else(|| {
            let message = format!("invalid arithmetic value: index '{}' takes numbers only", index.name());
            Error::new(ErrorCode::QueryInvalidArithmeticValue, message)
        })?;
        // `_id` is a marker in a stored document and would mean nothing elsewhere.
        let stored = properties
            .stored_values
            .iter()
            .map(|path| if is_id(path) { Slice::NULL } else { field::value(document, &path.names) });
        let write_values = |bytes: &mut Vec<u8>| {
            prefix.iter().for_each(|value| velocypack::order::sort_key(*value, bytes));
            interleave(&point, bytes);
        };
        let covered = prefix.iter().copied().chain(fields.iter().copied()).chain(stored);
        entries.add_covering(index, key, write_values, covered)
    }

    fn is_estimated(&self, index: &Index) -> bool {
        let is_prefixed = index.index_type() == IndexType::MdiPrefixed;
        index.definition().properties.estimates && !index.is_unique() && is_prefixed
    }

    fn open(
        &self,
        index: &Arc<Index>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        Ok(Box::new(BoxesScan::new(source, index, ranges, options.lookahead)))
    }
}

fn values<'a>(paths: &[FieldPath], document: Slice<'a>) -> Vec<Slice<'a>> {
    paths.iter().map(|path| field::value(document, &path.names)).collect()
}

/// Returns the coordinate of a value; `None` if the index cannot hold the value.
fn coordinate_of(value: Slice<'_>) -> Option<u64> {
    value.as_f64().filter(|number| !number.is_nan()).map(coordinate)
}
