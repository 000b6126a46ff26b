//! How documents are written, and what a write answers.

use std::sync::Arc;

use kv::SnapshotAt;

use crate::{Collection, Revision, StoredDocument};

/// Most bytes that a transaction may write by default. ArangoDB's own limit is per option and unlimited; a bound
/// keeps a single request from taking the server's memory.
pub const TRANSACTION_MAX_BYTES: usize = 512 << 20;

/// How a transaction is begun.
#[derive(Clone, Debug)]
pub struct TransactionOptions {
    /// Most bytes that it may write; more is refused with 32.
    pub max_bytes: usize,
    /// How long a write waits for another transaction that holds its document before it is refused with 1200. 0 does
    /// not wait.
    pub lock_timeout_ms: u64,
    /// How long the transaction waits for a change of a collection's definition; `None`: as the store's options say.
    pub gate_timeout_ms: Option<u64>,
    /// Collections that will be written. Naming them is not needed, but makes sure that a change of their indexes at
    /// the same time is waited for and not reported as a conflict.
    pub write: Vec<Arc<Collection>>,
    /// Collections that nobody else may write until the end.
    pub exclusive: Vec<Arc<Collection>>,
    /// Read what is committed at the first read rather than at the beginning. For a transaction of one operation on
    /// collections that `write` or `exclusive` name: it waits for those before it instead of conflicting with them.
    /// Definitions of other collections may be older than the state that is read.
    pub snapshot_at_first_read: bool,
    /// Whether the commit may wait for large writes of others and for the disk; otherwise it is refused with a retryable
    /// error then.
    pub commit_waits: bool,
}

impl Default for TransactionOptions {
    fn default() -> Self {
        TransactionOptions {
            max_bytes: TRANSACTION_MAX_BYTES,
            lock_timeout_ms: 0,
            gate_timeout_ms: None,
            write: Vec::new(),
            exclusive: Vec::new(),
            snapshot_at_first_read: false,
            commit_waits: true,
        }
    }
}

impl TransactionOptions {
    /// For one operation on one collection: waits up to a second for whoever holds the same documents.
    pub fn single_operation(collection: &Arc<Collection>) -> Self {
        TransactionOptions {
            lock_timeout_ms: 1000,
            write: vec![Arc::clone(collection)],
            snapshot_at_first_read: true,
            ..TransactionOptions::default()
        }
    }

    /// For one operation on one collection by a thread that must not wait: whoever is in its way makes it fail with a
    /// retryable 1200, or with 18, a commit that had to wait with another retryable error.
    pub fn immediate_operation(collection: &Arc<Collection>) -> Self {
        TransactionOptions {
            lock_timeout_ms: 0,
            gate_timeout_ms: Some(0),
            commit_waits: false,
            ..TransactionOptions::single_operation(collection)
        }
    }

    pub(crate) fn for_engine(&self) -> kv::TransactionOptions {
        let snapshot = if self.snapshot_at_first_read { SnapshotAt::FirstRead } else { SnapshotAt::Begin };
        kv::TransactionOptions {
            max_bytes: self.max_bytes,
            lock_timeout_ms: self.lock_timeout_ms,
            snapshot,
            commit_waits: self.commit_waits,
        }
    }
}

/// What an insert does where the key is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OverwriteMode {
    /// Fails with 1210.
    #[default]
    Conflict,
    /// Leaves the stored document as it is.
    Ignore,
    /// Replaces the stored document.
    Replace,
    /// Updates the stored document.
    Update,
}

/// How one document is written. The defaults are those of ArangoDB's document API.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Inserts: what happens where the key is taken.
    pub overwrite_mode: OverwriteMode,
    /// Updates: whether a null is stored (else it removes the attribute).
    pub keep_null: bool,
    /// Updates: whether objects on both sides are merged.
    pub merge_objects: bool,
    /// Whether a `_rev` in the body is ignored (else it must be the stored one, or 1200).
    pub ignore_revs: bool,
    /// The revision that the stored document must have (`If-Match`), or 1200.
    pub if_match: Option<String>,
    /// Updates and replacements: a top-level attribute whose number must grow for the write to take place; otherwise
    /// the write is passed over in silence.
    pub version_attribute: Option<String>,
    /// Whether [`WriteOutcome::old`] is wanted.
    pub return_old: bool,
    /// Whether [`WriteOutcome::new`] is wanted.
    pub return_new: bool,
    /// The document comes from a dump: `_rev` and any `_key` are kept, schema and computed values do not apply.
    pub is_restore: bool,
    /// The collection's schema does not apply.
    pub skip_validation: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            overwrite_mode: OverwriteMode::Conflict,
            keep_null: true,
            merge_objects: true,
            ignore_revs: true,
            if_match: None,
            version_attribute: None,
            return_old: false,
            return_new: false,
            is_restore: false,
            skip_validation: false,
        }
    }
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteKind {
    /// A document that was not there was stored.
    Inserted,
    /// A stored document was updated.
    Updated,
    /// A stored document was replaced.
    Replaced,
    /// A stored document was removed.
    Removed,
    /// The stored document was left as it is: [`OverwriteMode::Ignore`], a version that did not grow, or an update
    /// without attributes.
    Unchanged,
}

/// The result of a write.
#[derive(Clone, Debug)]
pub struct WriteOutcome {
    /// The document's `_key`.
    pub key: String,
    /// The revision that is stored now; of a removal the one that was removed.
    pub revision: Revision,
    /// The revision that was stored before, of an overwritten document.
    pub old_revision: Option<Revision>,
    /// The document as it was, if asked for.
    pub old: Option<StoredDocument>,
    /// The document as it is, if asked for.
    pub new: Option<StoredDocument>,
    /// What was done.
    pub kind: WriteKind,
}
