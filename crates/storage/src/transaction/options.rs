//! How documents are written, and what a write answers.

use std::sync::Arc;
use std::time::Duration;

use kv::{SnapshotAt, WaitPolicy};

use crate::{Collection, Revision, StoredDocument};

/// Most bytes that a transaction may write by default. ArangoDB's own limit is per option and unlimited; a bound
/// keeps a single request from taking the server's memory.
pub const TRANSACTION_MAX_BYTES: usize = 512 << 20;

/// How long a transaction on one collection waits for others that hold the same documents.
pub const DOCUMENT_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(1));

/// How a transaction is begun.
#[derive(Clone, Debug)]
pub struct TransactionOptions {
    /// Most bytes that it may write; more is refused with 32.
    pub max_bytes: usize,
    /// How long a write waits for another transaction that holds its document before it is refused with 1200. With
    /// [`WaitPolicy::NoWait`] the transaction never blocks, whatever `collection_wait` says: a commit that would wait
    /// for large writes of others or for the engine is refused with a retryable error.
    pub wait: WaitPolicy,
    /// How long the transaction waits for a change of a collection's definition before it is refused with 18; `None`
    /// for the store's [`crate::StoreOptions::collection_wait`]. It differs from `wait` because such a change, for
    /// example an index that is built, takes minutes, and a transaction on a document takes milliseconds.
    pub collection_wait: Option<WaitPolicy>,
    /// Collections that will be written. Naming them is not needed, but makes sure that a change of their indexes at
    /// the same time is waited for and not reported as a conflict.
    pub write: Vec<Arc<Collection>>,
    /// Collections that nobody else may write until the end.
    pub exclusive: Vec<Arc<Collection>>,
    /// Read what is committed at the first read rather than at the beginning. For a transaction of one operation on
    /// collections that `write` or `exclusive` name: it waits for those before it instead of conflicting with them.
    /// Definitions of other collections may be older than the state that is read.
    pub snapshot_at_first_read: bool,
}

impl Default for TransactionOptions {
    fn default() -> Self {
        TransactionOptions {
            max_bytes: TRANSACTION_MAX_BYTES,
            wait: WaitPolicy::UpTo(Duration::ZERO),
            collection_wait: None,
            write: Vec::new(),
            exclusive: Vec::new(),
            snapshot_at_first_read: false,
        }
    }
}

impl TransactionOptions {
    /// For one operation on one collection: waits for [`DOCUMENT_WAIT`] for others that hold the same documents.
    pub fn single_operation(collection: &Arc<Collection>) -> Self {
        TransactionOptions {
            wait: DOCUMENT_WAIT,
            write: vec![Arc::clone(collection)],
            snapshot_at_first_read: true,
            ..TransactionOptions::default()
        }
    }

    /// How long the transaction waits for changes of collections, given the store's own policy.
    pub(crate) fn collection_wait(&self, of_store: WaitPolicy) -> WaitPolicy {
        if self.wait == WaitPolicy::NoWait { self.wait } else { self.collection_wait.unwrap_or(of_store) }
    }

    pub(crate) fn for_engine(&self) -> kv::TransactionOptions {
        let snapshot = if self.snapshot_at_first_read { SnapshotAt::FirstRead } else { SnapshotAt::Begin };
        kv::TransactionOptions { max_bytes: self.max_bytes, wait: self.wait, snapshot }
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
