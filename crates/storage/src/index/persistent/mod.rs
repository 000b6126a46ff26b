//! The persistent index: documents in AQL's order of one or more attributes.
//!
//! A missing attribute counts as null. A sparse index has no entry for a document if one of its
//! attributes that are not expanded is null. An expanded array gives one entry for each distinct
//! element. A document without that array, or with an empty one, has no entry, in a sparse index or
//! not.

mod cached;
mod scan;
mod walk;

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use kv::KeyRange;
use velocypack::Slice;

use crate::encoding::entry;
use crate::index::bounds::{IndexBounds, IndexRange, bounds_of};
use crate::index::entries::Entries;
use crate::index::next_scans::NextScans;
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::{Index, IndexMethod, field, is_id};
use crate::visibility::read_cache::CacheKey;
use cached::CachedLookUps;
use scan::RangesScan;

pub use scan::IndexScan;
pub(crate) use scan::look_up;
pub use walk::IndexWalk;

/// Maximum number of entries of one document in one index. Two expanded arrays multiply, and each
/// entry takes about a hundred bytes of the transaction.
const ENTRIES_MAX: usize = 1 << 18;

pub(super) struct Persistent;

impl IndexMethod for Persistent {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let Some(columns) = columns(index, document) else { return Ok(()) };
        let rows = columns.iter().try_fold(1usize, |rows, column| rows.checked_mul(column.values().len()));
        let rows = rows.filter(|rows| *rows <= ENTRIES_MAX).ok_or_else(too_many)?;
        let stored: Vec<Slice<'_>> = stored_values(index, document).collect();
        let mut row: Vec<Slice<'_>> = Vec::with_capacity(columns.len());
        for number in 0..rows {
            row.clear();
            pick_row(&columns, number, &mut row);
            add_entry(index, key, &row, &stored, entries)?;
        }
        if columns.iter().any(|column| matches!(column, Column::Expanded(_))) {
            entries.sort();
            let had_duplicates = entries.deduplicate();
            let properties = &index.definition().properties;
            if had_duplicates && properties.unique && !properties.deduplicate {
                entries.set_has_duplicates();
            }
        }
        Ok(())
    }

    fn is_estimated(&self, index: &Index) -> bool {
        index.definition().properties.estimates && !index.is_unique()
    }

    fn cache_key(&self, index: &Index) -> Option<CacheKey> {
        let key: CacheKey = if index.is_unique() { |key| Some(key) } else { entry::prefix_of_entry };
        Some(key).filter(|_| is_cached(index))
    }

    fn open(
        &self,
        index: &Arc<Index>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let limit_each =
            options.limit_each.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let cached = CachedLookUps::of(index, &source).filter(|_| options.ascending || !options.ordered);
        Ok(Box::new(RangesScan {
            source,
            index: Arc::clone(index),
            reverse: !options.ascending,
            bounds: bounds_of(ranges, options.ascending, options.ordered),
            current: None,
            next: NextScans::default(),
            cached,
            limit_each,
        }))
    }

    fn key_range(&self, index: &Index, bounds: &IndexBounds) -> Option<KeyRange> {
        Some(bounds.range(index))
    }
}

/// Returns true if the read cache may hold entries of the index.
fn is_cached(index: &Index) -> bool {
    index.definition().properties.cache_enabled
}

/// The values of one field.
enum Column<'a> {
    One([Slice<'a>; 1]),
    Expanded(Vec<Slice<'a>>),
}

impl<'a> Column<'a> {
    fn values(&self) -> &[Slice<'a>] {
        match self {
            Column::One(value) => value,
            Column::Expanded(values) => values,
        }
    }
}

/// Returns the values of all fields; `None` if the document has no entry.
fn columns<'a>(index: &Index, document: Slice<'a>) -> Option<Vec<Column<'a>>> {
    let mut columns = Vec::with_capacity(index.fields().len());
    for path in index.fields() {
        columns.push(if path.is_expanded() {
            Column::Expanded(field::expanded(document, path).filter(|values| !values.is_empty())?)
        } else {
            let value = field::value(document, &path.names);
            if index.is_sparse() && value.is_null() {
                return None;
            }
            Column::One([value])
        });
    }
    Some(columns)
}

/// Returns row `number` of the product of all columns, with the last column varying fastest.
fn pick_row<'a>(columns: &[Column<'a>], number: usize, row: &mut Vec<Slice<'a>>) {
    let mut rest = number;
    for column in columns.iter().rev() {
        let values = column.values();
        let count = values.len().max(1);
        row.push(values.get(rest % count).copied().unwrap_or(Slice::NULL));
        rest /= count;
    }
    row.reverse();
}

fn stored_values<'a>(index: &Index, document: Slice<'a>) -> impl Iterator<Item = Slice<'a>> {
    let stored = &index.definition().properties.stored_values;
    // `_id` is a marker in a stored document and would mean nothing elsewhere.
    stored.iter().map(move |path| if is_id(path) { Slice::NULL } else { field::value(document, &path.names) })
}

fn add_entry(
    index: &Index,
    key: &str,
    row: &[Slice<'_>],
    stored: &[Slice<'_>],
    entries: &mut Entries,
) -> Result<()> {
    let write_values = |bytes: &mut Vec<u8>| {
        row.iter().for_each(|value| velocypack::order::sort_key(*value, bytes));
    };
    entries.add_covering(index, key, write_values, row.iter().chain(stored).copied())
}

fn too_many() -> Error {
    let message = format!(
        "resource limit exceeded: a document has more than {ENTRIES_MAX} combinations of array elements in one index"
    );
    Error::new(ErrorCode::ResourceLimit, message)
}
