//! Index entries found for outer rows, before their documents are fetched.

use std::collections::HashSet;

use aql_value::{Batch, Column, Value};
use storage::Collection;

use crate::operator::document_source::{CoveredValue, ProjectionProgram};

/// Entries in the order in which they were found.
#[derive(Default)]
pub(crate) struct EntryBatch {
    /// The outer row of each entry, ascending.
    rows: Vec<u32>,
    /// The keys of all documents, concatenated; `key_ends` has the end of each.
    keys: String,
    key_ends: Vec<usize>,
    /// The covered values of each entry, an array; null if they are not needed.
    covered: Vec<Value>,
    /// The document of each entry if the scan has read it, otherwise null.
    documents: Vec<Value>,
}

impl EntryBatch {
    /// Returns the number of entries.
    pub(in crate::operator) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no entries.
    pub(in crate::operator) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the outer row of each entry.
    pub(in crate::operator) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the `_key` of an entry's document.
    pub(in crate::operator) fn key(&self, entry: usize) -> &str {
        let start = entry.checked_sub(1).and_then(|before| self.key_ends.get(before)).copied().unwrap_or(0);
        let end = self.key_ends.get(entry).copied().unwrap_or(start);
        self.keys.get(start..end).unwrap_or_default()
    }

    /// Takes the documents read so far. The caller fetches the others.
    pub(in crate::operator) fn take_documents(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.documents)
    }

    /// Returns the covered values of a projection, for the selected rows of the batch made of the
    /// entries.
    pub(in crate::operator) fn project(
        &self,
        projection: &ProjectionProgram,
        place: CoveredValue,
        batch: &Batch,
        collection: &Collection,
    ) -> Column {
        let mut values = vec![Value::Null; batch.rows()];
        for row in batch.selected() {
            let value = match place {
                CoveredValue::Key => Value::from_str(self.key(row)),
                CoveredValue::Id => Value::from_str(&format!("{}/{}", collection.name(), self.key(row))),
                CoveredValue::Position { position, consumed } => {
                    let found =
                        self.covered.get(row).map_or(Value::Null, |covered| covered.at(position as i64));
                    match projection.path.get(consumed..) {
                        Some(rest) if !rest.is_empty() => found.get_path(rest),
                        _ => found,
                    }
                }
            };
            if let Some(slot) = values.get_mut(row) {
                *slot = value;
            }
        }
        Column::from_values(values)
    }
}

/// A sink for the entries of one outer row.
pub(in crate::operator) struct EntrySink<'a> {
    pub(in crate::operator) batch: &'a mut EntryBatch,
    /// The outer row.
    pub(in crate::operator) row: u32,
    /// The keys that were produced for this row, if an entry may be found twice.
    pub(in crate::operator) seen: Option<&'a mut HashSet<Box<str>>>,
    /// Number of entries at which the batch is full.
    pub(in crate::operator) limit: usize,
    /// True if covered values are needed.
    pub(in crate::operator) wants_covered: bool,
}

impl EntrySink<'_> {
    /// Returns how many more entries fit into the batch.
    pub(in crate::operator) fn room(&self) -> usize {
        self.limit.saturating_sub(self.batch.len())
    }

    /// Adds an entry, unless its document was already produced for this row.
    pub(in crate::operator) fn push(&mut self, key: &str, covered: impl FnOnce() -> Value, document: Value) {
        if let Some(seen) = &mut self.seen {
            if seen.contains(key) {
                return;
            }
            seen.insert(key.into());
        }
        let last_row = self.batch.rows.last();
        debug_assert!(
            last_row <= Some(&self.row),
            "entries of row {} follow those of {last_row:?}",
            self.row
        );
        self.batch.rows.push(self.row);
        self.batch.keys.push_str(key);
        self.batch.key_ends.push(self.batch.keys.len());
        self.batch.covered.push(if self.wants_covered { covered() } else { Value::Null });
        self.batch.documents.push(document);
    }
}
