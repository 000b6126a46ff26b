//! A buffer of index entries, reused from document to document.

use std::ops::Range;

use errors::Result;
use velocypack::{Builder, Slice};

use super::Index;
use crate::encoding::{OBJECT_ID_BYTES, entry};
use crate::visibility::estimate::hash;

/// Entries of one index for one document. All keys and values lie in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// A builder for the covered values of one entry after another.
    builder: Builder,
    has_duplicates: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    key: Range<usize>,
    value: Range<usize>,
    /// A hash of the indexed values, for the estimate.
    hash: u64,
}

impl Entries {
    /// Removes all entries but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.has_duplicates = false;
    }

    /// Returns true if the document alone has equal values in a unique index.
    pub(crate) fn has_duplicates(&self) -> bool {
        self.has_duplicates
    }

    pub(crate) fn set_has_duplicates(&mut self) {
        self.has_duplicates = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry with an empty value. `write_key` appends the key's bytes to the buffer. It
    /// returns the position in the buffer at which the indexed values end and the bytes that tell
    /// documents apart follow.
    pub(crate) fn add(&mut self, write_key: impl FnOnce(&mut Vec<u8>) -> usize) {
        let start = self.bytes.len();
        let values_end = write_key(&mut self.bytes);
        let end = self.bytes.len();
        let values = self.bytes.get(start + OBJECT_ID_BYTES..values_end).unwrap_or_default();
        self.entries.push(Entry { key: start..end, value: end..end, hash: hash(values) });
    }

    /// Sets the value of the entry that was added last: `write_value` appends its bytes.
    pub(crate) fn set_value(&mut self, write_value: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write_value(&mut self.bytes);
        if let Some(entry) = self.entries.last_mut() {
            entry.value = start..self.bytes.len();
        }
    }

    /// Adds an entry of an index that covers values. `write_values` appends the values of its key.
    /// The document's key follows in the key or, if the index is unique, in the value. The value
    /// ends with an array of `covered`.
    pub(crate) fn add_covering<'v>(
        &mut self,
        index: &Index,
        document_key: &str,
        write_values: impl FnOnce(&mut Vec<u8>),
        covered: impl Iterator<Item = Slice<'v>>,
    ) -> Result<()> {
        let unique = index.is_unique();
        self.add(|bytes| {
            entry::start_key(index.definition().object_id, bytes);
            write_values(bytes);
            let values_end = bytes.len();
            if !unique {
                entry::finish_key(document_key, bytes);
            }
            values_end
        });
        let start_value = |bytes: &mut Vec<u8>| {
            if unique {
                entry::start_unique_value(document_key, bytes);
            }
        };
        self.set_covered(start_value, covered)
    }

    /// As [`Entries::set_value`], with an array of `values` after the bytes that `write_value`
    /// appends.
    pub(crate) fn set_covered<'v>(
        &mut self,
        write_value: impl FnOnce(&mut Vec<u8>),
        values: impl Iterator<Item = Slice<'v>>,
    ) -> Result<()> {
        self.builder.clear();
        self.builder.open_array()?;
        for value in values {
            self.builder.add_slice(value)?;
        }
        self.builder.close()?;
        let builder = std::mem::take(&mut self.builder);
        self.set_value(|bytes| {
            write_value(bytes);
            bytes.extend_from_slice(builder.as_bytes());
        });
        self.builder = builder;
        Ok(())
    }

    /// Sorts the entries by key, so that two sets of entries can be compared.
    pub(crate) fn sort(&mut self) {
        let bytes = &self.bytes;
        self.entries.sort_by(|a, b| part(bytes, &a.key).cmp(part(bytes, &b.key)));
    }

    /// Keeps the first of entries with equal keys; the entries must be sorted. Returns true if
    /// there were duplicates.
    pub(crate) fn deduplicate(&mut self) -> bool {
        let before = self.entries.len();
        let bytes = &self.bytes;
        self.entries.dedup_by(|a, b| part(bytes, &a.key) == part(bytes, &b.key));
        self.entries.len() != before
    }

    /// Iterates over the key, value and hash of each entry.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = EntryRef<'_>> {
        self.entries.iter().map(|entry| EntryRef {
            key: part(&self.bytes, &entry.key),
            value: part(&self.bytes, &entry.value),
            hash: entry.hash,
        })
    }
}

/// Returns a part of the buffer, whose range this buffer has made.
fn part<'a>(bytes: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    bytes.get(range.clone()).unwrap_or_default()
}

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryRef<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    pub(crate) hash: u64,
}
