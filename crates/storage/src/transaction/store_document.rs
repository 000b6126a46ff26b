//! The steps that all writes of documents share.

use errors::{ConflictingDocument, Error, Result};
use velocypack::Slice;

use super::assemble::Assembler;
use super::system_attributes::stored_revision;
use super::{Operation, WriteOptions, WriteOutcome};
use crate::Revision;
use crate::base::documents::{Documents, StoredDocument};
use crate::base::error;
use crate::base::restriction::Restriction;
use crate::encoding;
use crate::index::maintain::Target;

/// A document as it was stored before.
pub(super) struct Old {
    values: kv::Values,
    pub(super) revision: Revision,
}

impl Old {
    pub(super) fn slice(&self) -> Slice<'_> {
        self.values.iter().next().flatten().map_or(Slice::NONE, Slice::new)
    }

    /// Returns the document for the client, if it is wanted.
    pub(super) fn into_document(
        self,
        collection: &crate::Collection,
        wanted: bool,
    ) -> Option<StoredDocument> {
        let documents = wanted.then(|| crate::Documents::of_values(self.values, collection.shared_name()));
        documents.and_then(|documents| documents.document(0))
    }
}

impl Operation<'_> {
    pub(super) fn assembler(&self) -> Assembler<'_> {
        Assembler { core: self.core, collection: self.collection }
    }

    /// Looks a document up, own writes included. A transaction that reads the latest state locks
    /// the key first.
    pub(super) fn find(&mut self, key: &str) -> Result<Option<Old>> {
        let document_key = encoding::document_key(self.collection.object_id(), key);
        if self.reads_latest {
            self.engine.lock(&document_key).map_err(|error| self.explain(error, key))?;
        }
        let values = self.engine.get_many(&[&document_key])?;
        let Some(bytes) = values.iter().next().flatten() else { return Ok(None) };
        let revision = stored_revision(Slice::new(bytes))?;
        Ok(Some(Old { values, revision }))
    }

    /// Looks up a document that must exist, and that the writer may change.
    ///
    /// Errors: 1202, also if it is hidden; 11 if it must not be changed; 1200 if it does not have
    /// the revision that the client named.
    pub(super) fn require(&mut self, key: &str, body: Slice<'_>, options: &WriteOptions) -> Result<Old> {
        let old = self.find(key)?.ok_or_else(error::document_not_found)?;
        if !self.is_shown(&old)? {
            return Err(error::document_not_found());
        }
        self.check_may_write(old.slice())?;
        self.check_revision(key, old.revision, body, options)?;
        Ok(old)
    }

    /// Returns true if the writer may see a document.
    pub(super) fn is_shown(&self, old: &Old) -> Result<bool> {
        let Some(restriction) = self.restriction else { return Ok(true) };
        self.shown(restriction, old.slice().bytes().to_vec()).map(|shown| shown.is_some())
    }

    /// Checks that the writer may store a document, or change it where it is stored. Errors: 11.
    pub(super) fn check_may_write(&self, document: Slice<'_>) -> Result<()> {
        let Some(restriction) = self.restriction else { return Ok(()) };
        let name = self.collection.shared_name();
        match restriction.may_write(&StoredDocument::alone(document.bytes().to_vec(), name))? {
            true => Ok(()),
            false => Err(error::not_writable(name)),
        }
    }

    fn shown(&self, restriction: &dyn Restriction, document: Vec<u8>) -> Result<Option<StoredDocument>> {
        let documents =
            Documents::of_document(StoredDocument::alone(document, self.collection.shared_name()));
        Ok(restriction.shown(documents)?.document(0))
    }

    /// Returns the outcome with its documents as the writer may see them.
    pub(super) fn as_shown(&self, outcome: WriteOutcome) -> Result<WriteOutcome> {
        let Some(restriction) = self.restriction else { return Ok(outcome) };
        let shown = |document: Option<StoredDocument>| match document {
            None => Ok(None),
            Some(document) => self.shown(restriction, document.slice().bytes().to_vec()),
        };
        Ok(WriteOutcome { old: shown(outcome.old)?, new: shown(outcome.new)?, ..outcome })
    }

    pub(super) fn check_revision(
        &self,
        key: &str,
        stored: Revision,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<()> {
        let in_body = if options.ignore_revs { None } else { body.get("_rev").and_then(Slice::as_str) };
        for wanted in [options.if_match.as_deref(), in_body].into_iter().flatten() {
            if Revision::parse(wanted) != Some(stored) {
                return Err(error::revision_mismatch(self.conflicting(key, Some(stored))));
            }
        }
        Ok(())
    }

    /// Replaces the stored document with a changed one.
    pub(super) fn overwrite(
        &mut self,
        key: &str,
        old: Slice<'_>,
        bytes: &[u8],
        revision: Revision,
    ) -> Result<()> {
        self.collection.longest_document.note(bytes.len());
        let document_key = encoding::document_key(self.collection.object_id(), key);
        self.engine.put(&document_key, bytes).map_err(|error| self.explain(error, key))?;
        self.maintain_indexes(key, Some(old), Some(Slice::new(bytes)))?;
        self.note_bytes(bytes.len());
        self.note_written(0, revision, 0);
        Ok(())
    }

    /// Updates all indexes from the old document to the new one.
    pub(super) fn maintain_indexes(
        &mut self,
        key: &str,
        old: Option<Slice<'_>>,
        new: Option<Slice<'_>>,
    ) -> Result<()> {
        for (index, change) in self.collection.indexes.iter().zip(&mut self.joined.estimates) {
            let (transaction, collection) = (&mut *self.engine, self.collection.name());
            let mut target = Target { transaction, collection, index, key, change };
            target.replace(old, new, self.scratch)?;
        }
        Ok(())
    }

    pub(super) fn note_written(&mut self, count: i64, revision: Revision, key_value: u64) {
        let change = &mut self.joined.change;
        change.count += count;
        change.revision = change.revision.max(revision);
        change.key_value = change.key_value.max(key_value);
        self.joined.is_written = true;
    }

    /// Counts the bytes of a document that was stored or removed.
    pub(super) fn note_bytes(&self, bytes: usize) {
        if let Some(usage) = self.usage {
            usage.of(self.collection.id(), self.collection.shared_name()).written_bytes.add(bytes as u64);
        }
    }

    /// Adds the document to an error of the engine.
    pub(super) fn explain(&self, error: kv::Error, key: &str) -> Error {
        match error {
            kv::Error::Conflict => error::write_conflict(self.conflicting(key, None)),
            other => other.into(),
        }
    }

    pub(super) fn conflicting(&self, key: &str, revision: Option<Revision>) -> ConflictingDocument {
        ConflictingDocument {
            collection: self.collection.name().to_owned(),
            key: key.to_owned(),
            revision: revision.map(|revision| revision.to_string()),
        }
    }

    /// Returns the stored document for the client, if the client wants it.
    pub(super) fn new_document(&self, bytes: Vec<u8>, wanted: bool) -> Option<StoredDocument> {
        wanted.then(|| StoredDocument::alone(bytes, self.collection.shared_name()))
    }
}
