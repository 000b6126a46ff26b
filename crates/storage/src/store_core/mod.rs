//! The parts of an open store that transactions, loads and changes of definitions share.

pub(crate) mod deletion;
pub(crate) mod cleaner;
pub(crate) mod definition_group;
pub(crate) mod exclusive_lock;
pub(crate) mod follower;
pub(crate) mod log_progress;
mod shared_log;
pub(crate) mod write_gate;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use catalog::ObjectId;
use errors::{Error, ErrorCode, Result};
use kv::{Durability, Engine, WriteTransaction};
use metrics::Counter;

use crate::RevisionClock;
use crate::base::change_log_options::LogUse;
use crate::base::fork_join::ForkJoin;
use crate::base::options::StoreOptions;
use crate::catalog_snapshot::Catalog;
use crate::catalog_snapshot::changed_records;
use crate::catalog_snapshot::draft::Draft;
use crate::catalog_snapshot::metadata::{self, Opening};
use crate::change_log::ChangeLog;
use crate::encoding::metadata::pending_deletion_key;
use crate::ids::id_sequence::IdSequence;
use crate::locks::partial_commits::PartialCommits;
use crate::metrics::{DocumentOperation, DocumentTimes, LockCounts, VectorBuilds};
use crate::sharing::Coordination;
use crate::store_core::cleaner::Cleaner;
use crate::store_core::definition_group::{ChangeOf, Definitions};
use crate::store_core::write_gate::WriteGate;
use crate::visibility::read_cache::ReadCache;
use crate::visibility::{LoadClock, Publisher};

/// The parts of an open store.
pub(crate) struct StoreCore {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) ids: IdSequence,
    pub(crate) clock: RevisionClock,
    pub(crate) server_id: u64,
    /// The current catalog. Taking a snapshot locks it for reading; committing a change of
    /// definitions locks it for writing. So a snapshot and its catalog are of the same moment.
    pub(crate) catalog: RwLock<Arc<Catalog>>,
    /// The number of a catalog, and the engine's version of a state that was read with it.
    pub(crate) catalog_from: Mutex<Option<(u64, u64)>>,
    pub(crate) definitions: Definitions,
    pub(crate) read_cache: Arc<ReadCache>,
    pub(crate) fork_join: Arc<ForkJoin>,
    pub(crate) write_gate: Arc<WriteGate>,
    /// The error of a change of definitions with an unknown outcome, until the store is opened
    /// again.
    pub(crate) doubt: OnceLock<kv::Error>,
    pub(crate) load_clock: LoadClock,
    pub(crate) change_log: ChangeLog,
    pub(crate) lock_counts: LockCounts,
    /// The times of operations, if they are measured.
    pub(crate) document_times: Option<Arc<DocumentTimes>>,
    pub(crate) vector_builds: VectorBuilds,
    /// The count behind [`crate::Store::intermediate_commits`].
    pub(crate) intermediate_commits: Counter,
    pub(crate) partial_commits: Arc<PartialCommits>,
    pub(crate) coordination: Coordination,
    /// Deletes objects in the background, if servers share the store.
    pub(crate) cleaner: Option<Arc<Cleaner>>,
    /// The readers of the log on this server, once an upper layer has said so.
    pub(crate) log_readers: OnceLock<Arc<dyn LogUse>>,
}

impl StoreCore {
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

    /// Returns the parts of the store that make changes visible.
    pub(crate) fn publisher(&self) -> Publisher<'_> {
        Publisher {
            engine: self.engine.as_ref(),
            ids: &self.ids,
            read_cache: &self.read_cache,
            load_clock: &self.load_clock,
            change_log: &self.change_log,
        }
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
    /// Errors: 1004 while it refuses them, 1496 while it follows another server.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if let Some(doubt) = self.doubt.get() {
            let message = format!("read only until the server is started again: {doubt}");
            return Err(Error::new(ErrorCode::ReadOnly, message));
        }
        self.write_gate.check()
    }

    /// Changes definitions: one atomic write, and one new version of the catalog. Nothing changes
    /// if `change` fails.
    ///
    /// On a store that several servers share, `change` is called again with newer definitions if
    /// another server was faster. The call returns once all servers have the new definitions, or
    /// after a bounded wait.
    ///
    /// Errors: those of `change`, 1004 while writes are refused, 1650 if the outcome is not known,
    /// 1200 if other servers were faster each time, those of
    /// [`Membership::wait_for_members`](crate::Membership::wait_for_members). After 1650, all
    /// further writes are refused until the store is opened again, unless servers share the store:
    /// the catalog then follows the store.
    pub(crate) fn alter<T>(&self, mut change: impl FnMut(&mut Draft) -> Result<T>) -> Result<T> {
        self.check_writable()?;
        let (answer, _) =
            self.coordination.repeat(|| self.change_once(ChangeOf::Definitions, &mut change))?;
        if self.options.sync_definitions {
            // Without any lock, so that readers do not wait for the disk.
            let unsynced = |error: kv::Error| kv::Error::Undetermined { reason: error.to_string() };
            self.engine.sync().map_err(unsynced)?;
        }
        self.coordination.wait_until_followed();
        self.wait_for_members()?;
        Ok(answer)
    }

    /// Waits until other members of the group have the commits so far, if the store is in one.
    ///
    /// Errors: those of [`Membership::wait_for_members`](crate::Membership::wait_for_members).
    pub(crate) fn wait_for_members(&self) -> Result<()> {
        self.write_gate.wait_for_members(self.change_log.positions.next().saturating_sub(1))
    }

    /// Records that nothing owns an object yet. If the process ends before anything does, the
    /// object is deleted.
    ///
    /// Errors: 1004 while writes are refused, those of a commit.
    pub(crate) fn pend_deletion(&self, object: ObjectId) -> Result<()> {
        self.check_writable()?;
        let mut transaction = self.engine.begin(kv::TransactionOptions::default())?;
        transaction.put(&pending_deletion_key(object), &self.coordination.deletion_record())?;
        let is_synced = self.options.sync_definitions;
        Ok(transaction.commit(if is_synced { Durability::Synced } else { Durability::Buffered })?)
    }

    /// Brings the catalog up to a state of the engine, if other servers may have changed it. The
    /// caller holds the definitions' lock.
    ///
    /// Errors: 1102 for damaged records, 35 for those of a newer version, those of the engine.
    pub(crate) fn catch_up(&self, snapshot: &dyn kv::Snapshot) -> Result<()> {
        let Some(announced) = self.coordination.announced(snapshot)? else { return Ok(()) };
        let before = self.catalog();
        if announced.definitions > before.version {
            let commit = self.read_cache.begin_definition();
            let opening =
                Opening { options: &self.options, coordination: &self.coordination, number: commit.number() };
            let changed = changed_records::between(snapshot, before.version, announced.definitions)?;
            let (mut catalog, last_revision) = match changed {
                Some(keys) => metadata::load_changed(snapshot, &opening, &before, &keys)?,
                None => metadata::load(snapshot, &opening, Some(&before))?,
            };
            self.clock.receive(last_revision);
            catalog.version = announced.definitions;
            retire_dropped(&before, &catalog);
            *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
        }
        self.coordination.install(announced);
        Ok(())
    }
}

/// Ends the work on text indexes that another server has dropped.
fn retire_dropped(before: &Catalog, now: &Catalog) {
    let collections = before.databases().flat_map(|database| database.collections());
    for collection in collections.filter(|collection| collection.has_text_index()) {
        let present = now.same_collection(collection);
        for index in collection.indexes() {
            let object = index.definition().object_id;
            let same = present.and_then(|present| present.index(index.id()));
            if same.is_none_or(|same| same.definition().object_id != object) {
                index.text().into_iter().for_each(|text| text.retire());
            }
        }
    }
}
