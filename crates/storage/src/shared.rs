//! The parts of an open store that transactions, loads and changes of definitions share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use kv::{Engine, WriteTransaction};

use crate::RevisionClock;
use crate::catalog_snapshot::Catalog;
use crate::collection_lock::LockCounts;
use crate::document_times::{DocumentOperation, DocumentTimes};
use crate::fork_join::ForkJoin;
use crate::id_sequence::IdSequence;
use crate::metadata::Draft;
use crate::options::StoreOptions;
use crate::partial_commits::PartialCommits;
use crate::visibility::LoadClock;
use crate::visibility::read_cache::ReadCache;
use errors::{Error, ErrorCode, Result};

/// The parts of an open store.
pub(crate) struct Shared {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) ids: IdSequence,
    pub(crate) clock: RevisionClock,
    pub(crate) server_id: u64,
    /// The current catalog. Taking a snapshot locks it for reading; committing a change of
    /// definitions locks it for writing. So a snapshot and its catalog are of the same moment.
    pub(crate) catalog: RwLock<Arc<Catalog>>,
    /// Held during a change of definitions.
    pub(crate) definitions: Mutex<()>,
    pub(crate) read_cache: Arc<ReadCache>,
    pub(crate) fork_join: Arc<ForkJoin>,
    pub(crate) is_read_only: AtomicBool,
    /// The error of a change of definitions with an unknown outcome, until the store is opened
    /// again.
    pub(crate) doubt: OnceLock<kv::Error>,
    pub(crate) load_clock: LoadClock,
    pub(crate) lock_counts: LockCounts,
    /// The times of operations, if they are measured.
    pub(crate) document_times: Option<Arc<DocumentTimes>>,
    /// The count behind [`crate::Store::intermediate_commits`].
    pub(crate) intermediate_commits: AtomicU64,
    pub(crate) partial_commits: Arc<PartialCommits>,
}

impl Shared {
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a transaction of the engine, and returns it with the catalog of the same moment.
    pub(crate) fn begin(
        &self,
        options: kv::TransactionOptions,
    ) -> Result<(Box<dyn WriteTransaction>, Arc<Catalog>)> {
        let catalog = self.catalog.read().unwrap_or_else(PoisonError::into_inner);
        Ok((self.engine.begin(options)?, Arc::clone(&catalog)))
    }

    /// Returns the beginning of an operation whose time is measured.
    pub(crate) fn began(&self) -> Option<Instant> {
        self.document_times.as_ref().map(|_| Instant::now())
    }

    /// Counts operations that have ended now, if their beginning was measured.
    pub(crate) fn note_operations(&self, operation: DocumentOperation, count: usize, began: Option<Instant>) {
        if let Some((times, began)) = self.document_times.as_ref().zip(began) {
            times.note(operation, count, began);
        }
    }

    /// Checks that the store accepts writes.
    ///
    /// Errors: 1004 while it refuses them.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if let Some(doubt) = self.doubt.get() {
            let message = format!("read only until the server is started again: {doubt}");
            return Err(Error::new(ErrorCode::ReadOnly, message));
        }
        if self.is_read_only.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorCode::ReadOnly, "read only: the server does not accept writes"));
        }
        Ok(())
    }

    /// Changes definitions: one atomic write, and one new version of the catalog. Nothing changes
    /// if `change` fails.
    ///
    /// Errors: those of `change`, 1004 while writes are refused, 1650 if the outcome is not known.
    /// After 1650, all further writes are refused until the store is opened again.
    pub(crate) fn alter<T>(&self, change: impl FnOnce(&mut Draft) -> Result<T>) -> Result<T> {
        self.check_writable()?;
        let _definitions = self.definitions.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = self.engine.begin(kv::TransactionOptions::default())?;
        let commit = self.read_cache.begin_definition();
        let mut draft = Draft::new(Catalog::clone(&self.catalog()), transaction, commit.number());
        let answer = change(&mut draft)?;
        let (mut catalog, transaction) = draft.into_parts();
        catalog.version += 1;
        {
            let mut present = self.catalog.write().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = transaction.commit(kv::Durability::Buffered) {
                if matches!(error, kv::Error::Undetermined { .. }) {
                    // The catalog in memory and the engine may now differ. Only opening the store
                    // again can tell.
                    let _ = self.doubt.set(error.clone());
                }
                return Err(error.into());
            }
            *present = Arc::new(catalog);
        }
        drop(commit);
        // The sync runs without the lock, so that readers do not wait for the disk.
        if self.options.sync_definitions {
            let unsynced = |error: kv::Error| kv::Error::Undetermined { reason: error.to_string() };
            self.engine.sync().map_err(unsynced)?;
        }
        Ok(answer)
    }
}
