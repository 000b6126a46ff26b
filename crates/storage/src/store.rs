//! The store: an opened engine with its catalog.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use catalog::NamingRules;
use kv::{Engine, WaitPolicy};

use crate::catalog_snapshot::Catalog;
use crate::encoding::metadata::setting_key;
use crate::fork_join::ForkJoin;
use crate::id_sequence::IdSequence;
use crate::metadata;
use crate::options::StoreOptions;
use crate::shared::Shared;
use crate::snapshot::split_keys;
use crate::transaction::{Transaction, TransactionOptions};
use crate::visibility::LoadClock;
use crate::visibility::read_cache::{ReadCache, ReadCacheStatistics};
use crate::{Collection, Result, RevisionClock, Snapshot, deletion, encoding};

/// An opened engine with its catalog. Shared by all threads.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    is_new: bool,
}

impl Store {
    /// Opens what is in an engine; an empty one gets the system database. Finishes deletions that a crash interrupted.
    ///
    /// Errors: 35 if a newer version wrote the data, 1102 for damage, those of the engine.
    pub fn open(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Arc<Store>> {
        let existing = metadata::read_server(engine.as_ref())?;
        let server_id = match existing {
            Some(server_id) => server_id,
            None => metadata::initialize_server(engine.as_ref())?,
        };
        deletion::finish_all(engine.as_ref())?;
        let ids = IdSequence::open(Arc::clone(&engine))?;
        let (catalog, last_revision) = metadata::load(engine.as_ref(), &options)?;
        let shared = Arc::new(Shared {
            engine,
            read_cache: Arc::new(ReadCache::new(options.read_cache_bytes)),
            fork_join: Arc::default(),
            options,
            ids,
            clock: RevisionClock::starting_after(last_revision),
            server_id,
            catalog: RwLock::new(Arc::new(catalog)),
            definitions: Mutex::new(()),
            is_read_only: AtomicBool::new(false),
            is_in_doubt: AtomicBool::new(false),
            load_clock: LoadClock::default(),
            intermediate_commits: AtomicU64::new(0),
        });
        // A crash may have come between the server's record and the system database.
        let is_new = shared.catalog().database(catalog::SYSTEM_DATABASE).is_none();
        let store = Arc::new(Store { shared, is_new });
        if is_new {
            store.create_system_database()?;
        }
        Ok(store)
    }

    /// Whether the engine was empty when it was opened.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The catalog as it stands now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.shared.catalog()
    }

    /// A snapshot of now.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let catalog = self.shared.catalog.read().unwrap_or_else(PoisonError::into_inner);
        // Before the engine's snapshot, which then has at least these commits.
        let read_cache = self.shared.read_cache.view();
        let engine = self.shared.engine.snapshot()?;
        Ok(Snapshot::new(
            engine,
            Arc::clone(&catalog),
            Vec::new(),
            read_cache,
            Arc::clone(&self.shared.fork_join),
        ))
    }

    /// Threads to divide work among.
    pub fn fork_join(&self) -> &Arc<ForkJoin> {
        &self.shared.fork_join
    }

    /// How long transactions wait for a change of a collection's definition, unless they say otherwise.
    pub fn collection_wait(&self) -> WaitPolicy {
        self.shared.options.collection_wait
    }

    /// Begins a transaction. Locks the collections that the options name.
    ///
    /// Errors: 18 if a collection stayed locked for too long, 1203 if a collection was dropped.
    pub fn begin(&self, options: &TransactionOptions) -> Result<Transaction> {
        Transaction::begin(&self.shared, options)
    }

    /// Which names are allowed for new databases, collections and indexes.
    pub fn naming_rules(&self) -> NamingRules {
        self.shared.options.naming_rules
    }

    /// A number that is never given out twice.
    pub fn next_id(&self) -> Result<u64> {
        self.shared.ids.next()
    }

    /// The number that tells this server from others, for ever.
    pub fn server_id(&self) -> u64 {
        self.shared.server_id
    }

    /// The engine underneath, for statistics, checkpoints and the like.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.shared.engine
    }

    /// Refuses writes with 1004, or allows them again. Transactions that have begun to write go on. Writes that are refused
    /// because definitions are in doubt stay so.
    pub fn set_read_only(&self, is_read_only: bool) {
        self.shared.is_read_only.store(is_read_only, Ordering::Relaxed);
    }

    /// Whether writes are refused.
    pub fn is_read_only(&self) -> bool {
        self.shared.check_writable().is_err()
    }

    /// At most `parts - 1` keys that divide a collection into parts of similar size.
    pub fn split_points(&self, collection: &Collection, parts: usize) -> Result<Vec<String>> {
        let range = encoding::object_range(collection.object_id());
        Ok(split_keys(self.shared.engine.split_points(&range, parts)?, &range))
    }

    /// Rewrites what a collection and its indexes have on disk, so that deleted data give their space back.
    pub fn compact(&self, collection: &Collection) -> Result<()> {
        let engine = self.engine();
        collection.objects().try_for_each(|object| Ok(engine.compact(&encoding::object_range(object))?))
    }

    /// Figures of the documents and edges that are kept in memory.
    pub fn read_cache_statistics(&self) -> ReadCacheStatistics {
        self.shared.read_cache.statistics()
    }

    /// Commits of transactions that went on, since the store was opened.
    pub fn intermediate_commits(&self) -> u64 {
        self.shared.intermediate_commits.load(Ordering::Relaxed)
    }

    /// Makes all commits so far survive a crash of the machine.
    pub fn sync(&self) -> Result<()> {
        Ok(self.shared.engine.sync()?)
    }

    /// A small value that a layer above keeps under a name.
    pub fn setting(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let values = self.shared.engine.snapshot()?.get_many(&[&setting_key(name)])?;
        Ok(values.iter().next().flatten().map(<[u8]>::to_vec))
    }

    /// Keeps a small value under a name.
    pub fn put_setting(&self, name: &str, value: &[u8]) -> Result<()> {
        let mut transaction = self.shared.engine.begin(kv::TransactionOptions::default())?;
        transaction.put(&setting_key(name), value)?;
        Ok(transaction.commit(kv::Durability::Synced)?)
    }

    /// Forgets the value of a name, if there is one.
    pub fn remove_setting(&self, name: &str) -> Result<()> {
        let mut transaction = self.shared.engine.begin(kv::TransactionOptions::default())?;
        transaction.delete(&setting_key(name))?;
        Ok(transaction.commit(kv::Durability::Buffered)?)
    }

    /// Writes what is kept up in memory (estimates of indexes). To be called now and then, e.g. each minute.
    pub fn maintain(&self) -> Result<()> {
        metadata::write_estimates(self.shared.engine.as_ref(), &self.catalog())
    }

    /// Writes a copy of everything, as of now, into a folder that does not exist yet.
    pub fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.maintain()?;
        Ok(self.shared.engine.checkpoint(folder)?)
    }

    /// Writes what is kept in memory and closes the engine. Later calls answer 30.
    pub fn close(&self) -> Result<()> {
        self.maintain()?;
        self.shared.ids.close()?;
        Ok(self.shared.engine.close()?)
    }
}
