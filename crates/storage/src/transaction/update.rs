//! Updates and replacements of documents.

use errors::Result;
use velocypack::{MergeOptions, Slice};

use super::assemble::NewDocument;
use super::store_document::Old;
use super::system_attributes::{FromTo, from_to, invalid_type, updated_from_to};
use super::version::is_outdated;
use super::{Operation, Transaction, WriteKind, WriteOptions, WriteOutcome};
use crate::Collection;
use crate::base::computed_values::ComputeEvent;
use crate::base::error;
use crate::encoding::change::ChangeKind;

/// Attributes of a patch that name the document rather than change it.
const NAMING: [&str; 3] = ["_key", "_id", "_rev"];

impl Transaction {
    /// Merges a patch into a document.
    ///
    /// Errors: 1200, 1202, 1210, 1216, 1227, 1233, 1620, 32.
    pub fn update(
        &mut self,
        collection: &Collection,
        key: &str,
        patch: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.write(collection, |operation| {
            check_object(patch)?;
            let old = operation.require(key, patch, options)?;
            operation.update_old(key, old, patch, options)
        })
    }

    /// Replaces a document with a body.
    ///
    /// Errors: as [`Transaction::update`].
    pub fn replace(
        &mut self,
        collection: &Collection,
        key: &str,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.write(collection, |operation| {
            check_object(body)?;
            let old = operation.require(key, body, options)?;
            operation.replace_old(key, old, body, options)
        })
    }
}

fn check_object(body: Slice<'_>) -> Result<()> {
    if body.is_object() { Ok(()) } else { Err(invalid_type()) }
}

impl Operation<'_> {
    pub(super) fn update_old(
        &mut self,
        key: &str,
        old: Old,
        patch: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        if is_outdated(old.slice(), patch, options) || self.changes_nothing(patch) {
            return Ok(self.unchanged(key, old, options));
        }
        let stored = old.slice();
        let from_to = if self.collection.is_edge() { Some(updated_from_to(stored, patch)?) } else { None };
        let merge = MergeOptions { keep_null: options.keep_null, merge_objects: options.merge_objects };
        let mut merged = Vec::with_capacity(stored.byte_len() + patch.byte_len());
        velocypack::merge(stored, patch, merge, &mut merged).map_err(error::unfit_document)?;
        let change = Change { patch, from_to, event: ComputeEvent::Update, kind: WriteKind::Updated };
        self.change(key, &old, Slice::new(&merged), &change, options)
            .map(|outcome| self.with_old(outcome, old, options))
    }

    pub(super) fn replace_old(
        &mut self,
        key: &str,
        old: Old,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        if is_outdated(old.slice(), body, options) {
            return Ok(self.unchanged(key, old, options));
        }
        let from_to = if self.collection.is_edge() { Some(from_to(body)?) } else { None };
        let change = Change { patch: body, from_to, event: ComputeEvent::Replace, kind: WriteKind::Replaced };
        self.change(key, &old, body, &change, options).map(|outcome| self.with_old(outcome, old, options))
    }

    fn change(
        &mut self,
        key: &str,
        old: &Old,
        body: Slice<'_>,
        change: &Change<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.core.clock.replace(old.revision);
        let revision = self.assembler().new_revision(change.patch, options);
        let Change { from_to, event, kind, .. } = *change;
        let new = NewDocument { key, revision, from_to, body, event, options };
        let mut bytes = Vec::new();
        self.assembler().assemble(&new, Some(old.slice()), &mut bytes)?;
        self.check_may_write(Slice::new(&bytes))?;
        self.overwrite(key, old.slice(), &bytes, revision)?;
        let changed = match event {
            ComputeEvent::Replace => ChangeKind::Replaced,
            _ => ChangeKind::Updated,
        };
        let origin = self.collection.origin();
        self.recorder.note_document(changed, origin, Slice::new(&bytes), Some(old.slice()));
        let new = self.new_document(bytes, options.return_new);
        Ok(WriteOutcome {
            key: key.to_owned(),
            revision,
            old_revision: Some(old.revision),
            old: None,
            new,
            kind,
        })
    }

    fn with_old(&self, outcome: WriteOutcome, old: Old, options: &WriteOptions) -> WriteOutcome {
        WriteOutcome { old: old.into_document(self.collection, options.return_old), ..outcome }
    }

    /// Returns true if the patch would change only the revision. ArangoDB does not write then.
    fn changes_nothing(&self, patch: Slice<'_>) -> bool {
        let is_computed = self.collection.computed_values.as_ref();
        let is_computed = is_computed.is_some_and(|computed| computed.applies_to(ComputeEvent::Update));
        !is_computed && patch.len() <= NAMING.len() && patch.entries().all(|(name, _)| NAMING.contains(&name))
    }

    /// Returns the outcome of a write that left the stored document as it is.
    pub(super) fn unchanged(&self, key: &str, old: Old, options: &WriteOptions) -> WriteOutcome {
        let revision = old.revision;
        let old = old.into_document(self.collection, options.return_old || options.return_new);
        WriteOutcome {
            key: key.to_owned(),
            revision,
            old_revision: Some(revision),
            new: old.clone().filter(|_| options.return_new),
            old: old.filter(|_| options.return_old),
            kind: WriteKind::Unchanged,
        }
    }
}

/// The differences between an update and a replacement.
struct Change<'a> {
    /// The value that the client sent.
    patch: Slice<'a>,
    from_to: Option<FromTo<'a>>,
    event: ComputeEvent,
    kind: WriteKind,
}
