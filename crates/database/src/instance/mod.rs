//! The shared state of the server: the store, and everything that outlives a request.

mod javascript_options;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, OnceLock};
use std::time::Duration;

use aql_exec::{BatchLimits, SpillOptions};
use aql_value::MemoryAccount;
use encryption::TemporaryFolder;
use errors::{Error, Result};
use javascript::CompiledScripts;
use storage::{Catalog, SearchOptions, Store, StoreOptions};

use crate::base::LocalIds;
use crate::embedded_aql::{AnalyzerQueries, Compiler, EmptyStore};
use crate::query_request::QueryDefaults;
use crate::state::access_rules::CompiledRulesCache;
use crate::state::analytics::{Analytics, AnalyticsOptions};
use crate::state::analyzers::OpenAnalyzers;
use crate::state::cursor::Cursors;
use crate::state::cursor::result_buffer::ResultBufferLimits;
use crate::state::dump::{Batches, DumpContexts};
use crate::state::feeds::Feeds;
use crate::state::following::{Following, SourceOptions};
use crate::state::foxx::{FoxxOptions, FoxxState};
use crate::state::graph_changes::GraphChanges;
use crate::state::group::Group;
use crate::state::large_texts::LargeTexts;
use crate::state::log_readers::LogReaders;
use crate::state::plan_cache::PlanCache;
use crate::state::query_log::{QueryLog, QueryLogOptions};
use crate::state::query_registry::QueryRegistry;
use crate::state::results_cache::{CacheProperties, ResultsCache};
use crate::state::subscriptions::Subscriptions;
use crate::state::tasks::Tasks;
use crate::state::transactions::{TransactionLimits, Transactions};
use crate::state::ttl::{TtlJob, TtlProperties};
use crate::state::usage::{UsageMode, UsageTable};
use crate::state::user_memory::UserMemory;
use crate::state::view_changes::ViewChanges;
use crate::state::webhooks::{WebhookOptions, Webhooks};

pub use javascript_options::JavaScriptOptions;

/// Bytes of compiled scripts that isolates share. All packages that ArangoDB brings take 15 MB.
const COMPILED_SCRIPTS_MAX_BYTES: u64 = 16 << 20;

/// The time that a stop waits for deliveries to webhooks.
const WEBHOOK_STOP: Duration = Duration::from_secs(1);

/// Limits and defaults from the configuration.
#[derive(Clone, Debug)]
pub struct InstanceOptions {
    /// Bytes of memory for all queries together.
    pub query_memory_bytes: u64,
    /// Bytes of memory for one query unless it asks for less; 0 sets no limit.
    pub query_memory_limit_bytes: u64,
    /// True if a query may raise its memory limit above the default.
    pub query_memory_limit_override: bool,
    /// Maximum run time of a query that sets none; `None` sets no limit.
    pub query_max_runtime: Option<Duration>,
    /// True if queries must name the vertex collections that they reach, as in a cluster.
    pub query_requires_with: bool,
    /// The defaults of queries.
    pub query_defaults: QueryDefaults,
    /// Bytes of complete results that wait in memory to be fetched. Results beyond them wait in
    /// files.
    pub result_memory_bytes: u64,
    /// Bytes of one complete result that may wait in memory.
    pub result_memory_per_cursor_bytes: usize,
    /// The properties of the results cache.
    pub results_cache: CacheProperties,
    /// Folder of temporary files.
    pub temporary_folder: TemporaryFolder,
    /// The thresholds and the folder for spilling to temporary files.
    pub spill: SpillOptions,
    /// Rows of one batch between a query's operators. No result depends on it.
    pub operator_batch_rows: usize,
    /// Maximum number of open cursors.
    pub max_cursors: usize,
    /// Maximum number of databases, `_system` included.
    pub max_databases: usize,
    /// The log of queries in the collection `_queries`.
    pub query_log: QueryLogOptions,
    /// The limits of stream transactions.
    pub transactions: TransactionLimits,
    /// Maximum number of plans in the plan cache.
    pub plan_cache_entries: usize,
    /// Bytes of text and parameters up to which a query's plan is cached.
    pub plan_cache_key_bytes: usize,
    /// True if requests must name a user.
    pub authentication: bool,
    /// True if only administrators see the server's internals.
    pub harden: bool,
    /// The requests on collections that are counted.
    pub usage: UsageMode,
    /// The default of `waitForSync` for new collections: true if writes wait for the disk.
    pub default_wait_for_sync: bool,
    /// The JavaScript that users may run.
    pub javascript: JavaScriptOptions,
    /// The services in JavaScript.
    pub foxx: FoxxOptions,
    /// The properties of the removal of expired documents.
    pub ttl: TtlProperties,
    /// The bounds of graph analytics.
    pub analytics: AnalyticsOptions,
    /// The receivers of changes.
    pub webhooks: WebhookOptions,
    /// The server that this one copies and follows; `None` leaves it to requests.
    pub follow: Option<SourceOptions>,
    /// True if a copy of another server answers also clients that do not say that they accept old
    /// data.
    pub copy_answers_all: bool,
    /// The time without loads after which a restore counts as broken. The edge index of its
    /// collection is then built.
    pub broken_restore_after: Duration,
    /// The ArangoDB version that drivers see.
    pub compatible_version: String,
}

impl Default for InstanceOptions {
    fn default() -> Self {
        InstanceOptions {
            query_memory_bytes: 1 << 30,
            query_memory_limit_bytes: 0,
            query_memory_limit_override: true,
            query_max_runtime: None,
            query_requires_with: false,
            query_defaults: QueryDefaults::default(),
            result_memory_bytes: 256 << 20,
            result_memory_per_cursor_bytes: 16 << 20,
            results_cache: CacheProperties::default(),
            temporary_folder: std::env::temp_dir().into(),
            spill: SpillOptions { folder: Some(std::env::temp_dir().into()), ..SpillOptions::default() },
            operator_batch_rows: BatchLimits::FULL_ROWS,
            max_cursors: 1_024,
            max_databases: usize::MAX,
            query_log: QueryLogOptions::default(),
            transactions: TransactionLimits::default(),
            plan_cache_entries: 256,
            plan_cache_key_bytes: 64 << 10,
            authentication: true,
            harden: false,
            usage: UsageMode::Disabled,
            default_wait_for_sync: false,
            javascript: JavaScriptOptions::default(),
            foxx: FoxxOptions::default(),
            ttl: TtlProperties::default(),
            analytics: AnalyticsOptions::default(),
            webhooks: WebhookOptions::default(),
            follow: None,
            copy_answers_all: false,
            broken_restore_after: Duration::from_secs(60),
            compatible_version: "3.12.10".to_owned(),
        }
    }
}

/// The state that all sessions share.
pub struct Instance {
    pub(crate) store: Arc<Store>,
    pub(crate) options: InstanceOptions,
    pub(crate) queries: Arc<QueryRegistry>,
    /// The log of queries, if they are logged.
    query_log: Option<Arc<QueryLog>>,
    pub(crate) plans: PlanCache,
    results: ResultsCache,
    pub(crate) query_memory: Arc<MemoryAccount>,
    user_memory: UserMemory,
    pub(crate) usage: Arc<UsageTable>,
    pub(crate) access_rules: Arc<CompiledRulesCache>,
    pub(crate) large_texts: LargeTexts,
    pub(crate) result_memory: Arc<MemoryAccount>,
    pub(crate) ttl: TtlJob,
    cursors: Cursors,
    transactions: Transactions,
    tasks: Arc<Tasks>,
    batches: Batches,
    dump_contexts: DumpContexts,
    graph_changes: GraphChanges,
    pub(crate) view_changes: ViewChanges,
    pub(crate) analyzers: Arc<OpenAnalyzers>,
    next_cursor: AtomicU64,
    log_readers: Arc<LogReaders>,
    feeds: Feeds,
    following: Following,
    foxx: FoxxState,
    compiled_scripts: Arc<CompiledScripts>,
    group: OnceLock<Arc<Group>>,
    subscriptions: Subscriptions,
    webhooks: Arc<Webhooks>,
    analytics: Analytics,
    /// The store over which filters of changes run.
    pub(crate) empty_store: EmptyStore,
    local_ids: LocalIds,
    stopping: AtomicBool,
    pub(crate) server_version: Arc<str>,
}

impl Instance {
    /// Returns the account of results that wait to be fetched.
    pub fn result_memory(&self) -> &Arc<MemoryAccount> {
        &self.result_memory
    }

    /// Returns the account of a user's share of [`Instance::work_memory`].
    pub fn memory_of(&self, user: Option<&Arc<str>>) -> Arc<MemoryAccount> {
        self.user_memory.of(user)
    }

    /// Returns the counts of requests on collections, in Prometheus' text format.
    pub fn usage_page(&self) -> String {
        self.usage.page()
    }

    /// Returns the account that queries and requests for many documents share.
    pub fn work_memory(&self) -> &Arc<MemoryAccount> {
        &self.query_memory
    }

    /// Returns the compiled scripts that isolates share.
    pub fn compiled_scripts(&self) -> &Arc<CompiledScripts> {
        &self.compiled_scripts
    }

    /// Creates an instance over an open store, without the background threads.
    ///
    /// Errors: those of the store.
    pub(crate) fn without_threads(store: Arc<Store>, options: InstanceOptions) -> Result<Arc<Self>> {
        let result_memory = Arc::new(MemoryAccount::new(Some(options.result_memory_bytes), None));
        // Cached results must leave memory for results that wait to be fetched.
        let kept =
            MemoryAccount::new(Some(options.result_memory_bytes / 2), Some(Arc::clone(&result_memory)));
        let local_ids = LocalIds::new(store.sharing());
        let query_memory = Arc::new(MemoryAccount::new(Some(options.query_memory_bytes), None));
        let queries = Arc::new(QueryRegistry::new(local_ids.clone()));
        let query_log =
            options.query_log.is_enabled.then(|| Arc::new(QueryLog::new(options.query_log.clone())));
        if let Some(log) = query_log.clone() {
            queries.observe(move |query, is_slow| log.offer(query, is_slow));
        }
        let log_readers = Arc::<LogReaders>::default();
        store.respect_log_readers(Arc::clone(&log_readers) as Arc<dyn storage::LogUse>);
        Ok(Arc::new(Instance {
            queries,
            query_log,
            plans: PlanCache::new(options.plan_cache_entries, options.plan_cache_key_bytes),
            user_memory: UserMemory::new(Arc::clone(&query_memory)),
            usage: UsageTable::new(options.usage),
            access_rules: Arc::default(),
            compiled_scripts: Arc::new(CompiledScripts::new(
                Arc::clone(&query_memory),
                COMPILED_SCRIPTS_MAX_BYTES,
            )),
            query_memory,
            large_texts: LargeTexts::default(),
            result_memory,
            results: ResultsCache::new(options.results_cache.clone(), Arc::new(kept)),
            ttl: TtlJob::new(options.ttl),
            cursors: Cursors::new(options.max_cursors),
            transactions: Transactions::new(options.transactions),
            tasks: Arc::default(),
            batches: Batches::default(),
            dump_contexts: DumpContexts::default(),
            graph_changes: GraphChanges::default(),
            view_changes: ViewChanges::default(),
            analyzers: Arc::default(),
            next_cursor: AtomicU64::new(first_cursor(&store)?),
            log_readers,
            feeds: Feeds::default(),
            following: Following::default(),
            foxx: FoxxState::default(),
            group: OnceLock::new(),
            subscriptions: Subscriptions::default(),
            webhooks: Arc::new(Webhooks::new(&options.webhooks)),
            analytics: Analytics::new(options.analytics),
            empty_store: EmptyStore::default(),
            local_ids,
            stopping: AtomicBool::new(false),
            server_version: options.compatible_version.as_str().into(),
            store,
            options,
        }))
    }

    /// Returns the log of queries, if they are logged.
    pub(crate) fn query_log(&self) -> Option<&Arc<QueryLog>> {
        self.query_log.as_ref()
    }

    /// Returns true once all feeds of changes must end.
    pub fn has_ended_feeds(&self) -> bool {
        self.feeds.are_ended()
    }

    /// Returns the open feeds of changes.
    pub(crate) fn feeds(&self) -> &Feeds {
        &self.feeds
    }

    /// Returns the state of following another server.
    pub(crate) fn following(&self) -> &Following {
        &self.following
    }

    /// Returns the state of services.
    pub(crate) fn foxx(&self) -> &FoxxState {
        &self.foxx
    }

    /// Returns the group of servers in which this one is.
    pub(crate) fn group(&self) -> Option<&Arc<Group>> {
        self.group.get()
    }

    /// Makes this server a member of a group.
    ///
    /// Errors: 4 if it is one already.
    pub(crate) fn set_group(&self, group: Arc<Group>) -> Result<()> {
        self.group.set(group).map_err(|_| Error::internal("the server is a member of a group already"))
    }

    /// Returns the address of the server that this one follows, and the lag behind it; `None` if it
    /// follows none. The lag is `None` until the first copy is complete. The address is empty if
    /// this server is in a group of which it knows no leader.
    pub fn leader(&self) -> Option<(String, Option<Duration>)> {
        if !self.store.is_following() {
            return None;
        }
        let (endpoint, lag) = self.following.leader().unwrap_or_default();
        Some(match self.group() {
            Some(group) => (group.leader().unwrap_or_default(), lag),
            None => (endpoint, lag),
        })
    }

    /// Returns true if this server is in a group that another one leads, and answers only clients
    /// that accept old data.
    pub fn is_group_member_without_requests(&self) -> bool {
        self.group().is_some() && self.store.is_following() && !self.options.copy_answers_all
    }

    /// Returns the subscriptions that are in use.
    pub(crate) fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    /// Returns the webhooks.
    pub(crate) fn webhooks(&self) -> &Arc<Webhooks> {
        &self.webhooks
    }

    /// Returns the state of graph analytics.
    pub(crate) fn analytics(&self) -> &Analytics {
        &self.analytics
    }

    /// Ends the deliveries to webhooks, within a second.
    pub fn stop_webhooks(&self) {
        self.webhooks.stop();
        self.webhooks.schedule.wait_for_threads(WEBHOOK_STOP);
    }

    /// Returns the readers of the change log.
    pub(crate) fn log_readers(&self) -> &LogReaders {
        &self.log_readers
    }

    /// Returns the job that removes expired documents.
    pub fn ttl(&self) -> &TtlJob {
        &self.ttl
    }

    /// Opens the store of an engine and an instance over it.
    pub fn open(engine: Arc<dyn kv::Engine>, options: InstanceOptions) -> Result<Arc<Self>> {
        let store =
            StoreOptions { temporary_folder: options.temporary_folder.clone(), ..StoreOptions::default() };
        Self::with_store_options(engine, store, options)
    }

    /// Opens an instance with options of the store.
    ///
    /// It overwrites the options that this crate provides.
    pub fn with_store_options(
        engine: Arc<dyn kv::Engine>,
        store: StoreOptions,
        options: InstanceOptions,
    ) -> Result<Arc<Self>> {
        Self::new(open_store(engine, store)?, options)
    }

    /// Opens a store for work on it alone, without a server: nothing happens in the background.
    ///
    /// Errors: those of the store.
    pub fn at_rest(
        engine: Arc<dyn kv::Engine>,
        store: StoreOptions,
        options: InstanceOptions,
    ) -> Result<Arc<Self>> {
        Self::without_threads(open_store(engine, store)?, options)
    }

    /// Returns the current catalog.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.store.catalog()
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns the configuration.
    pub fn options(&self) -> &InstanceOptions {
        &self.options
    }

    /// Returns the running and slow queries.
    pub fn queries(&self) -> &Arc<QueryRegistry> {
        &self.queries
    }

    /// Returns the open cursors and exports.
    pub fn cursors(&self) -> &Cursors {
        &self.cursors
    }

    /// Returns the stream transactions.
    pub fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    /// Returns the tasks.
    pub fn tasks(&self) -> &Arc<Tasks> {
        &self.tasks
    }

    /// Returns the snapshots that dumps hold.
    pub fn batches(&self) -> &Batches {
        &self.batches
    }

    /// Returns the dumps that many requests fetch concurrently.
    pub fn dump_contexts(&self) -> &DumpContexts {
        &self.dump_contexts
    }

    /// Returns the plan cache.
    pub fn plan_cache(&self) -> &PlanCache {
        &self.plans
    }

    /// Returns the results cache.
    pub fn results_cache(&self) -> &ResultsCache {
        &self.results
    }

    /// Returns the bytes that all queries use now.
    pub fn query_memory_used_bytes(&self) -> u64 {
        self.query_memory.used_bytes()
    }

    /// Returns the numbers of times that the global and the query memory limits were reached.
    ///
    /// The first counts the limit of all queries together, the second the limits of single queries.
    pub(crate) fn query_memory_limits_reached(&self) -> (u64, u64) {
        (self.query_memory.refusals(), self.query_memory.child_refusals())
    }

    /// Leaves the open cursors to the other servers of the store, as far as these can go on with
    /// them. The server is about to stop.
    pub fn hand_over_cursors(&self) {
        let Some(records) = self.store.cursor_records() else { return };
        self.stopping.store(true, Ordering::Release);
        // The stop does not wait for a store that does not answer.
        if self.store.check_reachable().is_ok() {
            self.cursors.hand_over(&records);
        }
    }

    /// Ends all running queries.
    pub fn end_queries(&self) {
        self.queries.kill_all();
        self.feeds.end_all();
    }

    /// Ends all tasks, queries and stream transactions before the server stops. New ones fail with
    /// error 30.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.webhooks.stop();
        if let Some(group) = self.group() {
            group.stop();
        }
        self.following.stop();
        self.tasks.stop();
        self.analytics.jobs.stop();
        self.queries.kill_all();
        self.transactions.abort_all();
    }

    /// Returns true if [`Instance::stop`] was called.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Waits until no other writer changes graphs or collections that graphs may name, and locks
    /// them.
    pub(crate) fn graph_changes(&self) -> MutexGuard<'_, ()> {
        self.graph_changes.hold()
    }

    pub(crate) fn next_cursor_id(&self) -> u64 {
        self.local_ids.id(self.next_cursor.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns a number for an object that lives in the memory of this server, which no other
    /// object has.
    pub(crate) fn next_local_id(&self) -> Result<u64> {
        Ok(self.local_ids.id(self.store.next_id()?))
    }

    /// Returns the numbers of objects that live in the memory of one server.
    pub fn local_ids(&self) -> &LocalIds {
        &self.local_ids
    }

    pub(crate) fn result_buffer_limits(&self) -> ResultBufferLimits {
        ResultBufferLimits {
            memory_bytes: self.options.result_memory_per_cursor_bytes,
            folder: self.options.temporary_folder.clone(),
        }
    }
}

/// Opens a store with the parts of queries that it needs.
fn open_store(engine: Arc<dyn kv::Engine>, options: StoreOptions) -> Result<Arc<Store>> {
    let search = SearchOptions { queries: Arc::new(AnalyzerQueries::default()), ..options.search };
    Store::open(engine, StoreOptions { computed_values: Some(Arc::new(Compiler)), search, ..options })
}

/// Returns the number of the first cursor.
///
/// On a shared store, the records of an earlier run's cursors may still be there. So the number
/// comes from the store's clock, faster than a server can open cursors.
fn first_cursor(store: &Store) -> Result<u64> {
    /// Binary digits of the cursors of one millisecond.
    const CURSOR_BITS: u32 = 10;
    match store.sharing() {
        None => store.next_id(),
        Some(sharing) => Ok(sharing.clock_ms() << CURSOR_BITS),
    }
}
