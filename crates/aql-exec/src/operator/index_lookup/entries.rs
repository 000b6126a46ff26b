//! Index entries found for outer rows, before their documents are fetched.

use crate::operator::document_source::{CoveredValue, ProjectionProgram};
use aql_value::{Batch, Column, Value};
use std::collections::HashSet;
use storage::Collection;

/// Entries in the order in which they were found.
#[derive(Default)]
pub(crate) struct EntryBatch {
    /// For each entry the outer row that it was found for; ascending.
    rows: Vec<u32>,
    /// The keys of all documents, one behind the other, and where each ends.
    keys: String,
    key_ends: Vec<usize>,
    /// What each entry covers, an array; null where that is not needed.
    covered: Vec<Value>,
    /// The document of each entry, where it was read along with it; otherwise null.
    documents: Vec<Value>,
}

impl EntryBatch {
    /// Number of entries.
    pub(in crate::operator) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub(in crate::operator) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The outer row of each entry.
    pub(in crate::operator) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The `_key` of an entry's document.
    pub(in crate::operator) fn key(&self, entry: usize) -> &str {
        let start = entry.checked_sub(1).and_then(|before| self.key_ends.get(before)).copied().unwrap_or(0);
        let end = self.key_ends.get(entry).copied().unwrap_or(start);
        self.keys.get(start..end).unwrap_or_default()
    }

    /// The documents read so far, to be completed by whoever fetches the others.
    pub(in crate::operator) fn take_documents(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.documents)
    }

    /// The values of a projection that the entries cover, for the selected rows of the batch made of the entries.
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

/// Takes the entries that are found for one outer row.
pub(in crate::operator) struct EntrySink<'a> {
    pub(in crate::operator) batch: &'a mut EntryBatch,
    /// The outer row.
    pub(in crate::operator) row: u32,
    /// The keys produced before for this row, if an entry may be found twice.
    pub(in crate::operator) seen: Option<&'a mut HashSet<Box<str>>>,
    /// The batch is full with so many entries.
    pub(in crate::operator) limit: usize,
    /// Whether anybody reads what entries cover.
    pub(in crate::operator) wants_covered: bool,
}

impl EntrySink<'_> {
    /// How many entries the batch can still take.
    pub(in crate::operator) fn room(&self) -> usize {
        self.limit.saturating_sub(self.batch.len())
    }

    /// Adds an entry, unless its document was produced for this row before.
    pub(in crate::operator) fn push(&mut self, key: &str, covered: impl FnOnce() -> Value, document: Value) {
        if let Some(seen) = &mut self.seen {
            if seen.contains(key) {
                return;
            }
            seen.insert(key.into());
        }
        self.batch.rows.push(self.row);
        self.batch.keys.push_str(key);
        self.batch.key_ends.push(self.batch.keys.len());
        self.batch.covered.push(if self.wants_covered { covered() } else { Value::Null });
        self.batch.documents.push(document);
    }
}
