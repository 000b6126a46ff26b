//! Maintenance of index entries when documents are written.
//!
//! The claim on the document itself protects entries that carry its key, so the engine neither
//! looks them up nor claims them. Two documents can meet at an entry of a unique index, so those
//! entries are claimed.

use std::cmp::Ordering;

use errors::{ConflictingDocument, Error, Result};
use kv::WriteTransaction;
use velocypack::Slice;

use super::Index;
use super::entries::{Entries, EntryRef};
use crate::base::error;
use crate::encoding::entry::key_of_unique_value;
use crate::visibility::estimate::EstimateChange;

/// Memory that is reused from document to document.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    old: Entries,
    new: Entries,
}

/// The index and the document whose entries are written.
pub(crate) struct Target<'a> {
    pub(crate) transaction: &'a mut dyn WriteTransaction,
    /// The collection's name.
    pub(crate) collection: &'a str,
    pub(crate) index: &'a Index,
    /// The key of the document that is written.
    pub(crate) key: &'a str,
    pub(crate) change: &'a mut EstimateChange,
}

impl Target<'_> {
    /// Updates the index from `old` to `new`; `None` stands for no document.
    ///
    /// Errors: 1210 with the document that has the same values, 1200, 32.
    pub(crate) fn replace(
        &mut self,
        old: Option<Slice<'_>>,
        new: Option<Slice<'_>>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.index.text().is_some() {
            return self.put_in_outbox(new.or(old).unwrap_or(Slice::NONE), scratch);
        }
        if let (Some(old), Some(new)) = (old, new)
            && self.index.is_unaffected(old, new)
        {
            return Ok(());
        }
        scratch.old.clear();
        scratch.new.clear();
        if let Some(old) = old {
            self.index.entries(old, self.key, &mut scratch.old)?;
        }
        if let Some(new) = new {
            self.index.entries(new, self.key, &mut scratch.new)?;
            if scratch.new.has_duplicates() {
                return Err(self.unique_violation(self.key.to_owned()));
            }
        }
        if scratch.old.is_empty() {
            return scratch.new.iter().try_for_each(|entry| self.insert(entry));
        }
        if scratch.new.is_empty() {
            return scratch.old.iter().try_for_each(|entry| self.remove(entry));
        }
        scratch.old.sort();
        scratch.new.sort();
        self.difference(&scratch.old, &scratch.new)
    }

    /// Records that the document was written or removed. The pair is new, whatever the document was
    /// before.
    fn put_in_outbox(&mut self, document: Slice<'_>, scratch: &mut Scratch) -> Result<()> {
        scratch.new.clear();
        self.index.entries(document, self.key, &mut scratch.new)?;
        scratch.new.iter().try_for_each(|entry| self.insert(entry))
    }

    /// Removes entries that only `old` has, then adds those that only `new` has. Both are sorted by
    /// key.
    fn difference(&mut self, old: &Entries, new: &Entries) -> Result<()> {
        for_each_pair(old, new, |pair| match pair {
            (Some(old), None) => self.remove(old),
            (Some(old), Some(new)) if old.value != new.value => {
                Ok(self.transaction.put(new.key, new.value)?)
            }
            _ => Ok(()),
        })?;
        for_each_pair(old, new, |pair| match pair {
            (None, Some(new)) => self.insert(new),
            _ => Ok(()),
        })
    }

    fn insert(&mut self, entry: EntryRef<'_>) -> Result<()> {
        if self.index.is_unique() {
            match self.transaction.insert_unique(entry.key, entry.value) {
                Ok(()) => {}
                Err(kv::Error::Exists) => return Err(self.occupied(entry.key)),
                Err(error) => return Err(self.explain(error)),
            }
        } else {
            self.transaction.put_unguarded(entry.key, entry.value)?;
        }
        self.note(entry, true);
        Ok(())
    }

    fn remove(&mut self, entry: EntryRef<'_>) -> Result<()> {
        if self.index.is_unique() {
            self.transaction.delete(entry.key).map_err(|error| self.explain(error))?;
        } else {
            self.transaction.delete_unguarded(entry.key)?;
        }
        self.note(entry, false);
        Ok(())
    }

    fn note(&mut self, entry: EntryRef<'_>, added: bool) {
        if let Some(estimate) = self.index.estimate() {
            estimate.note(entry.hash, added, self.change);
        }
    }

    fn explain(&self, error: kv::Error) -> Error {
        match error {
            kv::Error::Conflict => error::write_conflict(self.document(self.key.to_owned())),
            other => other.into(),
        }
    }

    /// Returns the error with the document that holds the entry of a new document.
    fn occupied(&self, entry_key: &[u8]) -> Error {
        let found = self.transaction.get_many(&[entry_key]);
        let values = match found {
            Ok(values) => values,
            Err(error) => return error.into(),
        };
        let holder = values.iter().next().flatten().and_then(key_of_unique_value).unwrap_or_default();
        self.unique_violation(holder.to_owned())
    }

    fn unique_violation(&self, holder: String) -> Error {
        let index = self.index;
        let index_type = index.definition().properties.type_name();
        error::unique_violation(index.name(), index_type, &index.fields_text(), self.document(holder))
    }

    fn document(&self, key: String) -> ConflictingDocument {
        ConflictingDocument { collection: self.collection.to_owned(), key, revision: None }
    }
}

type Pair<'a> = (Option<EntryRef<'a>>, Option<EntryRef<'a>>);

/// Visits each key of two sorted sets, with its entry in each set.
fn for_each_pair<'a>(
    old: &'a Entries,
    new: &'a Entries,
    mut visit: impl FnMut(Pair<'a>) -> Result<()>,
) -> Result<()> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => left.key.cmp(right.key),
        };
        match order {
            Ordering::Less => visit((old.next(), None))?,
            Ordering::Greater => visit((None, new.next()))?,
            Ordering::Equal => visit((old.next(), new.next()))?,
        }
    }
}
