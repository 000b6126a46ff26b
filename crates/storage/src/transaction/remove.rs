//! Removals of documents.

use errors::Result;
use velocypack::Slice;

use super::{Operation, Transaction, WriteKind, WriteOptions, WriteOutcome};
use crate::encoding;
use crate::visibility::read_cache::Removes;
use crate::{Collection, Revision};

impl Transaction {
    /// Removes a document. `selector` is the value that the client sent for it, which may hold a
    /// `_rev` to check, or [`Slice::NONE`].
    ///
    /// Errors: 1200, 1202, 32.
    pub fn remove(
        &mut self,
        collection: &Collection,
        key: &str,
        selector: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.write(collection, |operation| operation.remove(key, selector, options))
    }
}

impl Operation<'_> {
    pub(super) fn remove(
        &mut self,
        key: &str,
        selector: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        let old = self.require(key, selector, options)?;
        let document_key = encoding::document_key(self.collection.object_id(), key);
        self.engine.delete(&document_key).map_err(|error| self.explain(error, key))?;
        self.maintain_indexes(key, Some(old.slice()), None)?;
        self.recorder.note_removal(self.collection.origin(), key, old.revision, old.slice())?;
        self.note_bytes(old.slice().byte_len());
        // A removal changes the collection, so the collection's revision advances.
        self.core.clock.replace(old.revision);
        let now: Revision = self.core.clock.next();
        self.note_written(-1, now, 0);
        self.joined.removes = Removes::Some;
        let revision = old.revision;
        let old = old.into_document(self.collection, options.return_old);
        let key = key.to_owned();
        Ok(WriteOutcome { key, revision, old_revision: None, old, new: None, kind: WriteKind::Removed })
    }
}
