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

    /// Looks up documents in one batch that the next calls write one by one.
    ///
    /// A transaction that reads the latest state locks them first.
    ///
    /// Errors: 1203, 18, those of the engine.
    pub fn prefetch(&mut self, collection: &Collection, keys: &[&str]) -> Result<()> {
        if keys.len() < 2 || !self.waits_for_messages() {
            return Ok(());
        }
        let position = self.join(collection)?;
        let joined = self.joined.get(position);
        let object = joined.map(|joined| joined.collection.object_id());
        let object = object.ok_or_else(|| Error::internal("a joined collection was lost"))?;
        let mut stored: Vec<Vec<u8>> = keys.iter().map(|key| encoding::document_key(object, key)).collect();
        // Locking in key order prevents deadlocks between two transactions.
        stored.sort_unstable();
        stored.dedup();
        if self.reads_latest {
            // The write of a document reports why it cannot be locked.
            let _ = stored.iter().try_for_each(|key| self.engine.lock(key));
        }
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
        let mut stored = Vec::with_capacity(keys.len());
        let mut entries = Entries::default();
        for (key, body) in keys.iter().zip(bodies) {
            let Ok(key) = key else { continue };
            stored.push(encoding::document_key(object, key.text()));
            for index in self.collection.indexes.iter().filter(|index| index.is_unique()) {
                entries.clear();
                // The insert itself reports a value that cannot be indexed.
                if index.entries(*body, key.text(), &mut entries).is_ok() {
                    stored.extend(entries.iter().map(|entry| entry.key.to_vec()));
                }
            }
        }
        let stored: Vec<&[u8]> = stored.iter().map(Vec::as_slice).collect();
        Ok(self.engine.prefetch(&stored)?)
    }
}
