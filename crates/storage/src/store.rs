//! The store: an opened engine with its catalog.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use catalog::NamingRules;
use kv::{Engine, WaitPolicy, WriteTransaction};

use crate::computed_values::ComputedValuesCompiler;
use crate::encoding::metadata::setting_key;
use crate::fork_join::ForkJoin;
use crate::metadata::{self, Draft};
use crate::picture::Catalog;
use crate::read_cache::{ReadCache, ReadCacheStatistics};
use crate::snapshot::split_keys;
use crate::tick::Ticks;
use crate::transaction::{Transaction, TransactionOptions};
use crate::{
    Collection, Error, ErrorCode, MemoryBudget, Result, Revision, RevisionClock, Snapshot, deletion, encoding,
};

/// How long a change of a collection waits for its writers by default, and writers for a change.
const COLLECTION_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(60));

/// How a store is opened.
#[derive(Clone)]
pub struct StoreOptions {
    /// Which names are allowed for new databases, collections and indexes.
    pub naming_rules: NamingRules,
    /// How long a change of a collection (an index, a truncation, a drop) waits for those who write it, and they for
    /// it, before 18 is answered.
    pub collection_wait: WaitPolicy,
    /// Whether a change of definitions waits until it is on disk.
    pub sync_definitions: bool,
    /// Memory for building an index or a bulk load, each; more goes to temporary files.
    pub sort_budget_bytes: usize,
    /// Memory for documents and edges that were read lately; 0 for none.
    pub read_cache_bytes: u64,
    /// Where temporary files are made; they have no names and vanish with the process.
    pub temporary_folder: PathBuf,
    /// Compiles computed values. Without one, collections with computed values are refused with 9.
    pub computed_values: Option<Arc<dyn ComputedValuesCompiler>>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        let budget = MemoryBudget::split(1 << 30);
        StoreOptions {
            naming_rules: NamingRules::default(),
            collection_wait: COLLECTION_WAIT,
            sync_definitions: true,
            sort_budget_bytes: usize::try_from(budget.sort_bytes).unwrap_or(usize::MAX),
            read_cache_bytes: budget.read_cache_bytes,
            temporary_folder: std::env::temp_dir(),
            computed_values: None,
        }
    }
}

/// An opened engine with its catalog. Shared by all threads.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    is_new: bool,
}

/// What transactions and definitions need of the store.
pub(crate) struct Shared {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) ticks: Ticks,
    pub(crate) clock: RevisionClock,
    pub(crate) server_id: u64,
    /// Read while a snapshot is taken, written while a change of definitions is committed: so that snapshot and
    /// catalog are of one moment.
    pub(crate) catalog: RwLock<Arc<Catalog>>,
    /// Held by whoever changes definitions.
    pub(crate) definitions: Mutex<()>,
    pub(crate) read_cache: Arc<ReadCache>,
    fork_join: Arc<ForkJoin>,
    is_read_only: AtomicBool,
    /// Whether a change of definitions was stored is not known: until the store is opened again.
    is_in_doubt: AtomicBool,
    /// Loads that became visible since the store was opened: see [`crate::load::Loads`].
    pub(crate) loads: AtomicU64,
    /// See [`Store::intermediate_commits`].
    pub(crate) intermediate_commits: AtomicU64,
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
        let ticks = Ticks::open(Arc::clone(&engine))?;
        let (catalog, last_revision) = metadata::load(engine.as_ref(), &options)?;
        let shared = Arc::new(Shared {
            engine,
            read_cache: Arc::new(ReadCache::new(options.read_cache_bytes)),
            fork_join: Arc::default(),
            options,
            ticks,
            clock: RevisionClock::starting_after(last_revision),
            server_id,
            catalog: RwLock::new(Arc::new(catalog)),
            definitions: Mutex::new(()),
            is_read_only: AtomicBool::new(false),
            is_in_doubt: AtomicBool::new(false),
            loads: AtomicU64::new(0),
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
        Ok(Snapshot::new(engine, Arc::clone(&catalog), Vec::new(), read_cache, self.shared.fork_join()))
    }

    /// Threads to divide work among.
    pub fn fork_join(&self) -> &Arc<ForkJoin> {
        &self.shared.fork_join
    }

    /// How long transactions wait for a change of a collection's definition, unless they say otherwise.
    pub fn collection_wait(&self) -> WaitPolicy {
        self.shared.options.collection_wait
    }

    /// Begins a transaction. Waits for the gates of the collections that the options name.
    ///
    /// Errors: 18 if a gate did not open in time, 1203 if a collection was dropped.
    pub fn begin(&self, options: &TransactionOptions) -> Result<Transaction> {
        Transaction::begin(&self.shared, options)
    }

    /// Which names are allowed for new databases, collections and indexes.
    pub fn naming_rules(&self) -> NamingRules {
        self.shared.options.naming_rules
    }

    /// A number that is never given out twice.
    pub fn next_tick(&self) -> Result<u64> {
        self.shared.ticks.next()
    }

    /// A revision that is greater than all before.
    pub fn next_revision(&self) -> Revision {
        self.shared.clock.next()
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
        self.shared.ticks.close()?;
        Ok(self.shared.engine.close()?)
    }
}

impl Shared {
    /// Threads to divide work among.
    pub(crate) fn fork_join(&self) -> Arc<ForkJoin> {
        Arc::clone(&self.fork_join)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a transaction of the engine with the catalog of the same moment.
    pub(crate) fn begin(
        &self,
        options: kv::TransactionOptions,
    ) -> Result<(Box<dyn WriteTransaction>, Arc<Catalog>)> {
        let catalog = self.catalog.read().unwrap_or_else(PoisonError::into_inner);
        Ok((self.engine.begin(options)?, Arc::clone(&catalog)))
    }

    /// Errors: 1004 while writes are refused.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.is_read_only.load(Ordering::Relaxed) || self.is_in_doubt.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorCode::ReadOnly, "read only: the server does not accept writes"));
        }
        Ok(())
    }

    /// Changes definitions: one atomic write, and one new picture of the catalog. Nothing changes if `change` fails.
    ///
    /// Errors: those of `change`, 1004 while writes are refused, 1650 if the outcome is not known: then all further
    /// writes are refused until the store is opened again.
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
                    // The picture and the engine may differ now; only opening the store again can tell.
                    self.is_in_doubt.store(true, Ordering::Relaxed);
                }
                return Err(error.into());
            }
            *present = Arc::new(catalog);
        }
        drop(commit);
        // Not under the lock: readers need not wait for the disk.
        if self.options.sync_definitions {
            self.engine.sync()?;
        }
        Ok(answer)
    }
}
