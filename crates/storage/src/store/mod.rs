//! The store: an opened engine with its catalog.

mod data_versions;
mod registration;
pub(crate) mod statistics;

pub use data_versions::{DataVersion, DataVersions};

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use catalog::NamingRules;
use errors::{Error, ErrorCode, Result};
use kv::background::{BackgroundThread, Task};
use kv::{Engine, Sharing, WaitPolicy};
use metrics::Counter;

use crate::base::conflicts::repeat_on_conflict;
use crate::base::fork_join::ForkJoin;
use crate::base::options::StoreOptions;
use crate::catalog_snapshot::Catalog;
use crate::catalog_snapshot::metadata::{self, Opening};
use crate::change_log::ChangeLog;
use crate::encoding::metadata::setting_key;
use crate::ids::id_sequence::IdSequence;
use crate::locks::partial_commits::PartialWait;
use crate::metrics::{LockCounts, ReadCacheStatistics, VectorBuilds};
use crate::sharing::{Coordination, CursorRecords};
use crate::snapshot::split::split_keys;
use crate::store_core::StoreCore;
use crate::store_core::cleaner::Cleaner;
use crate::store_core::definition_group::Definitions;
use crate::store_core::write_gate::{Membership, WritePermit};
use crate::store_core::{deletion, follower, log_progress};
use crate::transaction::{PendingTransaction, Transaction, TransactionOptions};
use crate::visibility::LoadClock;
use crate::visibility::read_cache::ReadCache;
use crate::{Collection, RevisionClock, Snapshot, encoding};

/// An opened engine with its catalog, shared by all threads.
pub struct Store {
    pub(crate) core: Arc<StoreCore>,
    is_new: bool,
    /// The threads that follow other servers, if there are some, and the one that deletes.
    threads: Mutex<Vec<BackgroundThread>>,
    cleaner: Mutex<Option<BackgroundThread>>,
}

impl Store {
    /// Opens the store in an engine, and finishes deletions that a crash interrupted. An empty
    /// engine gets the system database.
    ///
    /// Errors: 35 if a newer version wrote the data, 1102 for damage, those of the engine.
    pub fn open(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Arc<Store>> {
        let existing = metadata::read_server(engine.as_ref())?;
        let coordination = Coordination::of(&engine);
        let server_id = match existing {
            Some(server_id) => server_id,
            None => metadata::initialize_server(engine.as_ref())?,
        };
        let ids = match &coordination {
            Coordination::Alone => {
                deletion::finish_all(engine.as_ref())?;
                IdSequence::open(Arc::clone(&engine))?
            }
            // The follower deletes what nobody owns.
            Coordination::Several(_) => IdSequence::shared(Arc::clone(&engine)),
        };
        // Other servers would change what is cached.
        let read_cache_bytes = if coordination.is_alone() { options.read_cache_bytes } else { 0 };
        let snapshot = engine.snapshot()?;
        let opening = Opening { options: &options, coordination: &coordination, number: 0 };
        let (mut catalog, last_revision) = metadata::load(snapshot.as_ref(), &opening, None)?;
        if let Some(announced) = coordination.announced(snapshot.as_ref())? {
            catalog.version = announced.definitions;
            coordination.install(announced);
        }
        drop(snapshot);
        let cleaner = (!coordination.is_alone()).then(|| Arc::new(Cleaner::new(Arc::clone(&engine))));
        let change_log = match coordination.sharing() {
            None => ChangeLog::open(engine.as_ref(), options.changes.clone())?,
            Some(sharing) => ChangeLog::shared(options.changes.clone(), Arc::clone(sharing)),
        };
        let core = Arc::new(StoreCore {
            engine,
            read_cache: Arc::new(ReadCache::new(read_cache_bytes)),
            fork_join: Arc::default(),
            document_times: options.measures_documents.then(Arc::default),
            options,
            ids,
            clock: RevisionClock::starting_after(last_revision).of_member(coordination.member()),
            server_id,
            catalog: RwLock::new(Arc::new(catalog)),
            catalog_from: Mutex::default(),
            definitions: Definitions::default(),
            write_gate: Arc::default(),
            doubt: OnceLock::new(),
            load_clock: LoadClock::default(),
            change_log,
            lock_counts: LockCounts::default(),
            vector_builds: VectorBuilds::default(),
            intermediate_commits: Counter::new(),
            partial_commits: Arc::default(),
            coordination,
            cleaner,
            log_readers: OnceLock::new(),
        });
        core.open_shared_log()?;
        let cleaner = Mutex::new(core.cleaner.as_ref().map(Cleaner::start).transpose()?);
        let threads = [follower::start(&core)?, log_progress::start(&core)?];
        let threads = Mutex::new(threads.into_iter().flatten().collect());
        // A crash may have happened after the server's record and before the system database.
        let is_new = core.catalog().database(catalog::SYSTEM_DATABASE).is_none();
        core.remove_unowned_folders();
        let store = Store { core, is_new, threads, cleaner };
        if is_new {
            match store.create_system_database() {
                // Another server was faster.
                Err(error)
                    if error.code() == ErrorCode::DuplicateName && !store.core.coordination.is_alone() => {}
                created => drop(created?),
            }
        }
        store.core.settle_shared_log()?;
        Ok(Arc::new(store))
    }

    /// Returns true if the engine was empty when the store opened.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the current catalog.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.core.catalog()
    }

    /// Takes a snapshot of the current state.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.core.snapshot()
    }

    /// Takes a snapshot that any replica of the data may answer. It may be older than the last
    /// commit, where the engine has replicas and its options allow that.
    pub fn replica_snapshot(&self) -> Result<Snapshot> {
        self.core.replica_snapshot()
    }

    /// Returns the threads among which to divide work.
    pub fn fork_join(&self) -> &Arc<ForkJoin> {
        &self.core.fork_join
    }

    /// Returns how long transactions wait by default for a change of a collection's definition.
    pub fn collection_wait(&self) -> WaitPolicy {
        self.core.options.collection_wait
    }

    /// Begins a transaction. Locks the collections that the options name.
    ///
    /// Errors: 18 if a collection stays locked for too long, 1203 if a collection was dropped.
    pub fn begin(&self, options: &TransactionOptions) -> Result<Transaction> {
        self.begin_unless(options, &|| Ok(()))
    }

    /// As [`Store::begin`], but calls `check` from time to time while it waits for a collection. An
    /// error of `check` ends the wait.
    ///
    /// Errors: 18, 1203, that of `check`.
    pub fn begin_unless(
        &self,
        options: &TransactionOptions,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Transaction> {
        Transaction::begin(&self.core, options, check)
    }

    /// Prepares a transaction whose caller must not block while it waits for its collections.
    pub fn prepare_transaction(&self, options: TransactionOptions) -> PendingTransaction {
        PendingTransaction::new(Arc::clone(&self.core), options)
    }

    /// Returns the rules for the names of new databases, collections and indexes.
    pub fn naming_rules(&self) -> NamingRules {
        self.core.options.naming_rules
    }

    /// Returns a number that is never issued twice.
    pub fn next_id(&self) -> Result<u64> {
        self.core.ids.next()
    }

    /// Returns the permanent number that identifies this server.
    pub fn server_id(&self) -> u64 {
        self.core.server_id
    }

    /// Returns the servers that share the store; `None` if only this process can use it.
    pub fn sharing(&self) -> Option<&Arc<dyn Sharing>> {
        self.core.coordination.sharing()
    }

    /// Returns what the servers know of each other's cursors; `None` if only this process can use
    /// the store.
    pub fn cursor_records(&self) -> Option<CursorRecords> {
        self.sharing().map(|sharing| CursorRecords::new(Arc::clone(&self.core.engine), Arc::clone(sharing)))
    }

    /// Takes the snapshot that another server took when the engine's version was this
    /// ([`Snapshot::version`]).
    ///
    /// The definitions are those of now. So a caller makes sure that it reads only collections and
    /// indexes that existed then. Errors: 1240 if the store may not have that state any more, or if
    /// only this process can use the store.
    pub fn snapshot_at(&self, version: u64) -> Result<Snapshot> {
        self.core.snapshot_at(version)
    }

    /// Returns the error for which this server does not follow what other servers announce; `None`
    /// if it does, or if only this process can use the store.
    ///
    /// Others wait for it as long as its lease lasts.
    pub fn following_error(&self) -> Option<Error> {
        self.core.coordination.following_error()
    }

    /// Checks that the shared store answered when this server last followed the others. Work that
    /// an outage would end for good can so be put off.
    ///
    /// Errors: 1478 if it did not.
    pub fn check_reachable(&self) -> Result<()> {
        match self.following_error() {
            Some(error) if error.code() == ErrorCode::ClusterBackendUnavailable => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns true if everything is deleted that changes of definitions by this server have given
    /// up, as far as a thread does that.
    pub fn has_deleted_all(&self) -> bool {
        self.core.cleaner.as_ref().is_none_or(|cleaner| cleaner.is_done())
    }

    /// Returns true if this server does the work that only one of those that share the store must
    /// do: it has the lowest number, or no other process can use the store.
    ///
    /// Two servers may both be the first one for a moment while one of them starts or stops. So
    /// this only spares work.
    pub fn is_first_server(&self) -> bool {
        self.core.coordination.is_first()
    }

    /// Returns true if the lease of this server on a shared store has ended. It can do nothing any
    /// more then, until it is started again.
    pub fn has_lost_lease(&self) -> bool {
        self.core.coordination.has_lost_lease()
    }

    /// Returns the underlying engine, for statistics, checkpoints and similar tasks.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.core.engine
    }

    /// Refuses writes with 1004, or allows them again.
    ///
    /// Transactions that have begun to write continue. Writes stay refused while an unknown outcome
    /// leaves the definitions in doubt.
    pub fn set_read_only(&self, is_read_only: bool) {
        self.core.write_gate.set_read_only(is_read_only);
    }

    /// Makes the store a copy that follows another server, or one that accepts writes.
    ///
    /// A copy refuses writes with 1496, and commits of transactions that have begun. Threads with a
    /// [`WritePermit`] write.
    pub fn set_following(&self, is_following: bool) {
        self.core.write_gate.set_following(is_following);
    }

    /// Returns true if the store is a copy that follows another server.
    pub fn is_following(&self) -> bool {
        self.core.write_gate.is_following()
    }

    /// Makes the store a member of a group: it accepts writes of clients while the membership says
    /// that it leads, and each commit waits for the other members as the membership says.
    ///
    /// It stays a member until it is opened again.
    pub fn join_group(&self, membership: Arc<dyn Membership>) {
        self.core.write_gate.join(membership);
    }

    /// Lets this thread write to a copy, or in read-only mode.
    pub fn permit_writes(&self) -> WritePermit {
        self.core.write_gate.permit()
    }

    /// Returns true if writes are refused to all but threads with a [`WritePermit`].
    pub fn is_read_only(&self) -> bool {
        self.core.doubt.get().is_some() || self.core.write_gate.is_closed()
    }

    /// Returns at most `parts - 1` keys that divide a collection into parts of similar size.
    pub fn split_points(&self, collection: &Collection, parts: usize) -> Result<Vec<String>> {
        let range = encoding::object_range(collection.object_id());
        Ok(split_keys(self.core.engine.split_points(&range, parts)?, &range))
    }

    /// Rewrites the data of a collection and its indexes on disk, so that deleted data free their
    /// space.
    pub fn compact(&self, collection: &Collection) -> Result<()> {
        let engine = self.engine();
        collection.objects().try_for_each(|object| Ok(engine.compact(&encoding::object_range(object))?))
    }

    /// Returns the statistics of the read cache.
    pub fn read_cache_statistics(&self) -> ReadCacheStatistics {
        self.core.read_cache.statistics()
    }

    /// Returns the number of intermediate commits, after which a transaction continues, since the
    /// store opened.
    pub fn intermediate_commits(&self) -> u64 {
        self.core.intermediate_commits.get()
    }

    /// Makes all commits so far durable, so that they survive a crash of the machine.
    pub fn sync(&self) -> Result<()> {
        Ok(self.core.engine.sync()?)
    }

    /// Returns a small value that an upper layer stores under a name.
    pub fn setting(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let values = self.core.engine.snapshot()?.get_many(&[&setting_key(name)])?;
        Ok(values.iter().next().flatten().map(<[u8]>::to_vec))
    }

    /// Stores a small value under a name, on disk.
    pub fn put_setting(&self, name: &str, value: &[u8]) -> Result<()> {
        self.put_setting_with(name, value, kv::Durability::Synced)
    }

    /// Stores a small value under a name. A crash that loses it loses all later commits too.
    pub fn put_setting_with(&self, name: &str, value: &[u8], durability: kv::Durability) -> Result<()> {
        let mut transaction = self.core.engine.begin(kv::TransactionOptions::default())?;
        transaction.put(&setting_key(name), value)?;
        Ok(transaction.commit(durability)?)
    }

    /// Stores a small value under a name that has none. Returns the value that the name has then,
    /// which may be that of another server.
    pub fn put_setting_once(&self, name: &str, value: &[u8]) -> Result<Vec<u8>> {
        repeat_on_conflict(|| {
            let mut transaction = self.core.engine.begin(kv::TransactionOptions::default())?;
            let values = transaction.get_many(&[&setting_key(name)])?;
            if let Some(present) = values.iter().next().flatten().filter(|present| !present.is_empty()) {
                return Ok(present.to_vec());
            }
            transaction.put(&setting_key(name), value)?;
            transaction.commit(kv::Durability::Synced)?;
            Ok(value.to_vec())
        })
    }

    /// Removes the value of a name, if there is one.
    pub fn remove_setting(&self, name: &str) -> Result<()> {
        let mut transaction = self.core.engine.begin(kv::TransactionOptions::default())?;
        transaction.delete(&setting_key(name))?;
        Ok(transaction.commit(kv::Durability::Buffered)?)
    }

    /// Writes index estimates that have changed in memory. The caller should do this from time to
    /// time, such as each minute.
    pub fn maintain(&self) -> Result<()> {
        metadata::write_estimates(self.core.engine.as_ref(), &self.catalog())
    }

    /// Writes a copy of the current state into a folder that does not exist yet, while writers go
    /// on. Returns true if the copy contains no partial transaction.
    ///
    /// Transactions are whole in the copy or absent, unless they commit in parts. The copy waits
    /// for those as `wait` says. Errors: 18 after the wait, those of the engine.
    pub fn checkpoint(&self, folder: &Path, wait: &PartialWait) -> Result<bool> {
        self.maintain()?;
        let held = self.core.partial_commits.hold(wait)?;
        self.core.engine.checkpoint(folder)?;
        Ok(held.is_whole())
    }

    /// Writes what is only in memory and closes the engine. Later calls fail with 30.
    pub fn close(&self) -> Result<()> {
        self.maintain()?;
        // Documents of segments that cannot be saved are in the outboxes for the next start.
        let _ = self.save_text_indexes();
        self.core.ids.close()?;
        drop(std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner)));
        // A deletion in progress ends with the engine, and another server goes on.
        self.core.cleaner.iter().for_each(|cleaner| cleaner.stop());
        let closed = self.core.engine.close();
        drop(self.cleaner.lock().unwrap_or_else(PoisonError::into_inner).take());
        Ok(closed?)
    }
}
