//! The options of transactions and writes, and the results of writes.

use std::sync::Arc;
use std::time::Duration;

use aql_value::Owner;
use errors::Result;
use kv::{SnapshotAt, WaitPolicy};

use crate::locks::collection_lock::LockMode;
use crate::{Collection, Revision, StoredDocument};

/// The default limit of bytes that a transaction may write. ArangoDB's own limit is an option, and
/// unlimited by default. A limit keeps a single request from taking all of the server's memory.
pub const TRANSACTION_MAX_BYTES: usize = 512 << 20;

/// The time that a transaction on one collection waits for others that hold the same documents.
pub const DOCUMENT_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(1));

/// The options of a transaction.
#[derive(Clone, Debug)]
pub struct TransactionOptions {
    /// Maximum number of bytes that it may write; larger transactions fail with 32.
    pub max_bytes: usize,
    /// The time that a write waits for another transaction that holds its document, before it fails
    /// with 1200.
    ///
    /// With [`WaitPolicy::NoWait`] the transaction never blocks, whatever `collection_wait` says. A
    /// commit that would wait for large writes of others or for the engine then fails with a
    /// retryable error.
    pub wait: WaitPolicy,
    /// The time that the transaction waits for a change of a collection's definition, before it
    /// fails with 18.
    ///
    /// `None` means the store's [`crate::StoreOptions::collection_wait`]. It differs from `wait`
    /// because such a change, for example an index build, takes minutes, and a transaction on a
    /// document takes milliseconds.
    pub collection_wait: Option<WaitPolicy>,
    /// Collections that the transaction will write to. Naming them is optional. If they are named,
    /// the transaction waits for a concurrent change of their indexes instead of reporting a
    /// conflict.
    pub write: Vec<Arc<Collection>>,
    /// Collections that nobody else may write to until the transaction ends.
    pub exclusive: Vec<Arc<Collection>>,
    /// True to read the state as of the first read rather than as of the beginning.
    ///
    /// It is for a transaction of one operation on collections that `write` or `exclusive` name. It
    /// waits for earlier writers instead of conflicting with them. Definitions of other collections
    /// may be older than the state that it reads.
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
    /// Makes options for one operation on one collection: it waits up to [`DOCUMENT_WAIT`] for
    /// others that hold the same documents.
    pub fn single_operation(collection: &Arc<Collection>) -> Self {
        TransactionOptions {
            wait: DOCUMENT_WAIT,
            write: vec![Arc::clone(collection)],
            snapshot_at_first_read: true,
            ..TransactionOptions::default()
        }
    }

    /// Returns the named collections with the modes in which they are locked, in the order of
    /// locking. That is the order of their ids, which prevents deadlocks between two transactions.
    pub(super) fn locks(&self) -> Vec<(&Arc<Collection>, LockMode)> {
        let exclusive = self.exclusive.iter().map(|collection| (collection, LockMode::Exclusive));
        let shared = self.write.iter().map(|collection| (collection, LockMode::Shared));
        let mut locks: Vec<_> = exclusive.chain(shared).collect();
        // The sort is stable, so the exclusive lock of a collection that is named twice stays.
        locks.sort_by_key(|(collection, _)| collection.id());
        locks.dedup_by_key(|(collection, _)| collection.id());
        locks
    }

    /// Returns how long the transaction waits for changes of collections, given the store's own
    /// policy.
    pub(crate) fn collection_wait(&self, of_store: WaitPolicy) -> WaitPolicy {
        if self.wait == WaitPolicy::NoWait { self.wait } else { self.collection_wait.unwrap_or(of_store) }
    }

    pub(crate) fn for_engine(&self) -> kv::TransactionOptions {
        let snapshot = if self.snapshot_at_first_read { SnapshotAt::FirstRead } else { SnapshotAt::Begin };
        kv::TransactionOptions { max_bytes: self.max_bytes, wait: self.wait, snapshot }
    }
}

/// The effect of an insert whose key exists already.
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

/// The options of one document's write. The defaults are those of ArangoDB's document API.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Inserts: the effect if the key exists already.
    pub overwrite_mode: OverwriteMode,
    /// Updates: true to store a null; false to remove the attribute instead.
    pub keep_null: bool,
    /// Updates: true to merge objects that both sides have.
    pub merge_objects: bool,
    /// True to ignore a `_rev` in the body. Otherwise it must be the stored one, or the write fails
    /// with 1200.
    pub ignore_revs: bool,
    /// The revision that the stored document must have (`If-Match`), or the write fails with 1200.
    pub if_match: Option<String>,
    /// Updates and replacements: a top-level attribute whose number must grow. If it does not, the
    /// write silently does nothing.
    pub version_attribute: Option<String>,
    /// True if the caller wants [`WriteOutcome::old`].
    pub return_old: bool,
    /// True if the caller wants [`WriteOutcome::new`].
    pub return_new: bool,
    /// True for a document from a dump: it keeps `_rev` and any `_key`, and schema and computed
    /// values do not apply.
    pub is_restore: bool,
    /// True to skip the collection's schema.
    pub skip_validation: bool,
    /// The owner of what a write computes: computed values, and the check against the schema.
    /// `None` for writes of the server itself, whose computations have a bound of their own.
    pub owner: Option<Owner>,
}

impl WriteOptions {
    /// Checks that the owner of the write may continue. Errors: those of its interrupt.
    pub fn check_owner(&self) -> Result<()> {
        self.owner.as_ref().map_or(Ok(()), |owner| owner.interrupt.check())
    }
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
            owner: None,
        }
    }
}

/// The effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteKind {
    /// A new document was stored.
    Inserted,
    /// A stored document was updated.
    Updated,
    /// A stored document was replaced.
    Replaced,
    /// A stored document was removed.
    Removed,
    /// The stored document stays as it is, because of [`OverwriteMode::Ignore`], a version that did
    /// not grow, or an update without attributes.
    Unchanged,
}

/// The result of a write.
#[derive(Clone, Debug)]
pub struct WriteOutcome {
    /// The document's `_key`.
    pub key: String,
    /// The revision that is stored now; for a removal, the revision that was removed.
    pub revision: Revision,
    /// The previous revision of an overwritten document.
    pub old_revision: Option<Revision>,
    /// The previous document, if the caller wants it.
    pub old: Option<StoredDocument>,
    /// The new document, if the caller wants it.
    pub new: Option<StoredDocument>,
    /// The effect of the write.
    pub kind: WriteKind,
}
