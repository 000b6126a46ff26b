//! Lookups in batches for writes that follow, where each lookup would wait for a message.

use errors::{Error, Result};
use velocypack::Slice;

use super::insert::NewKey;
use super::{Operation, Transaction};
use crate::index::entries::Entries;
use crate::{Collection, encoding};

impl Transaction {
    /// Returns true if each lookup waits for a message, so that [`Transaction::prefetch`] is
    /// worthwhile.
    pub fn waits_for_messages(&self) -> bool {
        self.engine.waits_for_messages()
    }

    /// Looks up documents in one batch that the next calls write one by one, and the values in
    /// unique indexes that their bodies or patches may set. Each document is a key and a body, or
    /// [`Slice::NONE`].
    ///
    /// A transaction that reads the latest state locks the documents first.
    ///
    /// Errors: 1203, 18, those of the engine.
    pub fn prefetch(&mut self, collection: &Collection, documents: &[(&str, Slice<'_>)]) -> Result<()> {
        if documents.len() < 2 || !self.waits_for_messages() {
            return Ok(());
        }
        let position = self.join(collection)?;
        let joined = self.joined.get(position);
        let joined = joined.ok_or_else(|| Error::internal("a joined collection was lost"))?;
        let object = joined.collection.object_id();
        let mut stored: Vec<Vec<u8>> =
            documents.iter().map(|(key, _)| encoding::document_key(object, key)).collect();
        // Locking in key order prevents deadlocks between two transactions.
        stored.sort_unstable();
        stored.dedup();
        if self.reads_latest {
            // The write of a document reports why it cannot be locked.
            let _ = stored.iter().try_for_each(|key| self.engine.lock(key));
        }
        append_unique(&joined.collection, documents, Unset::LeftOut, &mut stored);
        let stored: Vec<&[u8]> = stored.iter().map(Vec::as_slice).collect();
        Ok(self.engine.prefetch(&stored)?)
    }
}

impl Operation<'_> {
    /// Looks up in one batch whether the keys of new documents and their values in unique indexes
    /// are free.
    pub(super) fn prefetch_new(&mut self, keys: &[Result<NewKey>], bodies: &[Slice<'_>]) -> Result<()> {
        if !self.engine.waits_for_messages() {
            return Ok(());
        }
        let object = self.collection.object_id();
        let new: Vec<(&str, Slice<'_>)> = keys
            .iter()
            .zip(bodies)
            .filter_map(|(key, body)| Some((key.as_ref().ok()?.text(), *body)))
            .collect();
        let mut stored: Vec<Vec<u8>> =
            new.iter().map(|(key, _)| encoding::document_key(object, key)).collect();
        append_unique(self.collection, &new, Unset::Indexed, &mut stored);
        let stored: Vec<&[u8]> = stored.iter().map(Vec::as_slice).collect();
        Ok(self.engine.prefetch(&stored)?)
    }
}

/// The treatment of attributes that a body does not set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unset {
    /// An index has an entry for their absence.
    Indexed,
    /// The stored document may have them, so its entry is not known.
    LeftOut,
}

/// Appends the keys of the entries that documents will have in unique indexes, as far as their
/// bodies tell.
fn append_unique(
    collection: &Collection,
    documents: &[(&str, Slice<'_>)],
    unset: Unset,
    stored: &mut Vec<Vec<u8>>,
) {
    let (mut entries, mut without) = (Entries::default(), Entries::default());
    for index in collection.indexes.iter().filter(|index| index.is_unique()) {
        for (key, body) in documents.iter().filter(|(_, body)| body.is_object()) {
            entries.clear();
            without.clear();
            // The write itself reports a value that cannot be indexed.
            if index.entries(*body, key, &mut entries).is_err() {
                continue;
            }
            if unset == Unset::LeftOut && index.entries(Slice::EMPTY_OBJECT, key, &mut without).is_err() {
                continue;
            }
            let is_told = |entry: &[u8]| without.iter().all(|without| without.key != entry);
            let told = entries.iter().filter(|entry| is_told(entry.key));
            stored.extend(told.map(|entry| entry.key.to_vec()));
        }
    }
}
