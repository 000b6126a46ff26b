//! The running and the slow queries: the lists of `/_api/query/current` and `/_api/query/slow`, and
//! the lookup of a query to be killed.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant, SystemTime};

use aql_value::activity::Origin;
use aql_value::{Interrupt, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::base::LocalIds;
use crate::metrics::QueryTimes;

/// The tracking of a database's queries: `/_api/query/properties`.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackingProperties {
    /// True to list queries.
    pub enabled: bool,
    /// True to remember slow queries.
    pub track_slow_queries: bool,
    /// True to list bind variables.
    pub track_bind_vars: bool,
    /// True to list the texts of queries.
    pub track_query_string: bool,
    /// Slow queries that are remembered; the oldest go first.
    pub max_slow_queries: usize,
    /// Seconds from which a query is slow.
    pub slow_query_threshold: f64,
    /// Seconds from which a streaming query is slow.
    pub slow_streaming_query_threshold: f64,
    /// Bytes of a query's text that are listed.
    pub max_query_string_length: usize,
}

impl Default for TrackingProperties {
    fn default() -> Self {
        TrackingProperties {
            enabled: true,
            track_slow_queries: true,
            track_bind_vars: true,
            track_query_string: true,
            max_slow_queries: 64,
            slow_query_threshold: 10.0,
            slow_streaming_query_threshold: 10.0,
            max_query_string_length: 4_096,
        }
    }
}

/// The text that is listed in place of a hidden text.
const HIDDEN: &str = "<hidden>";

/// The state of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum QueryState {
    /// The query is being parsed and planned.
    Planning,
    /// The query computes rows.
    Executing,
    /// The query has ended.
    Finished,
    /// The query was killed.
    Killed,
}

impl QueryState {
    /// Returns ArangoDB's name of the state.
    pub fn name(self) -> &'static str {
        match self {
            QueryState::Planning => "optimizing plan",
            QueryState::Executing => "executing",
            QueryState::Finished => "finished",
            QueryState::Killed => "killed",
        }
    }
}

/// A listed query, shared between its execution and the requests that list or kill it.
#[derive(Debug)]
pub struct RegisteredQuery {
    /// Unique since the start of the server.
    pub id: u64,
    /// Database in which the query runs.
    pub database: Arc<str>,
    /// User who runs the query; empty without authentication.
    pub user: Arc<str>,
    /// The text, cut to the length that is listed.
    pub text: String,
    /// The bind variables, a VelocyPack object; empty if they are not shown.
    pub bind_variables: Vec<u8>,
    /// True if the query is streamed.
    pub stream: bool,
    /// The time at which the query began.
    pub started: SystemTime,
    /// The query as an activity of the server.
    pub origin: Origin,
    is_query: bool,
    began: Instant,
    state: AtomicU8,
    /// The interrupt that ends the query.
    pub interrupt: Interrupt,
    /// The memory that the query uses.
    pub memory: Arc<MemoryAccount>,
    /// The run time in microseconds once the query has ended; 0 before.
    finished_us: AtomicU64,
    is_modification: AtomicBool,
    warnings: AtomicUsize,
    exit_code: AtomicU32,
}

impl RegisteredQuery {
    /// Returns the run time so far, or the total once the query has ended.
    pub fn run_time(&self) -> Duration {
        match self.finished_us.load(Ordering::Relaxed) {
            0 => self.began.elapsed(),
            us => Duration::from_micros(us),
        }
    }

    /// Returns the query's state.
    pub fn state(&self) -> QueryState {
        match self.state.load(Ordering::Relaxed) {
            0 => QueryState::Planning,
            1 => QueryState::Executing,
            2 => QueryState::Finished,
            _ => QueryState::Killed,
        }
    }

    /// Returns true if the query writes. This is known once it is planned.
    pub fn is_modification(&self) -> bool {
        self.is_modification.load(Ordering::Relaxed)
    }

    /// Returns the number of warnings. It is known once the query has ended.
    pub fn warnings(&self) -> usize {
        self.warnings.load(Ordering::Relaxed)
    }

    /// Returns the number of the error that ended the query; 0 without one.
    pub fn exit_code(&self) -> u32 {
        self.exit_code.load(Ordering::Relaxed)
    }

    /// Notes that the query was planned.
    pub fn set_planned(&self, is_modification: bool) {
        self.is_modification.store(is_modification, Ordering::Relaxed);
        self.set_state(QueryState::Executing);
    }

    /// Sets the number of warnings.
    pub fn set_warnings(&self, warnings: usize) {
        self.warnings.store(warnings, Ordering::Relaxed);
    }

    /// Notes the error that ends the query.
    pub fn set_failed(&self, error: &Error) {
        self.exit_code.store(error.number(), Ordering::Relaxed);
    }

    /// Logs a query that took long, with the text and the bind variables that lists show.
    fn log_as_slow(&self) {
        let stream = if self.stream { "streaming " } else { "" };
        let bind_variables = match self.bind_variables.is_empty() {
            true => String::new(),
            false => format!(", bind vars: {}", Slice::new(&self.bind_variables).to_json_string()),
        };
        let seconds = self.run_time().as_secs_f64();
        tracing::warn!(
            target: "queries", database = &*self.database, user = &*self.user,
            "slow {stream}query: '{}'{bind_variables}, took: {seconds:.3} s", self.text
        );
    }

    /// Sets the query's state.
    pub fn set_state(&self, state: QueryState) {
        self.state.store(state as u8, Ordering::Relaxed);
    }
}

/// The description of a query that begins.
#[derive(Debug)]
pub struct NewQuery<'a> {
    /// Database in which the query runs.
    pub database: Arc<str>,
    /// User who runs the query; empty without authentication.
    pub user: Arc<str>,
    /// The query's text.
    pub text: &'a str,
    /// The bind variables, a VelocyPack object.
    pub bind_variables: &'a [u8],
    /// The time at which the query began.
    pub began: Instant,
    /// True if the query is streamed.
    pub stream: bool,
    /// False for work that is listed like a query, but is none. No statistics of queries include
    /// it.
    pub is_query: bool,
    /// The interrupt that ends the query.
    pub interrupt: Interrupt,
    /// The memory that the query uses.
    pub memory: Arc<MemoryAccount>,
}

/// The tracking and the slow queries of one database.
#[derive(Debug, Default)]
struct Tracked {
    /// The properties that were set for this database.
    properties: Option<TrackingProperties>,
    /// Slow queries in the order in which they ended.
    slow: VecDeque<Arc<RegisteredQuery>>,
}

impl Tracked {
    /// Forgets the oldest slow queries, so that at most `count` are left.
    fn shorten(&mut self, count: usize) {
        while self.slow.len() > count {
            self.slow.pop_front();
        }
    }
}

/// All queries of the server.
#[derive(Debug, Default)]
pub struct QueryRegistry {
    running: Mutex<BTreeMap<u64, Arc<RegisteredQuery>>>,
    tracked: RwLock<BTreeMap<Arc<str>, Tracked>>,
    /// The properties of databases without properties of their own.
    default_properties: RwLock<TrackingProperties>,
    next_id: AtomicU64,
    ids: LocalIds,
    times: QueryTimes,
    observer: OnceLock<Observer>,
}

/// Is told of every query that has ended, and of whether it was slow.
struct Observer(Box<Observe>);

/// Takes a query, and true if it was slow.
type Observe = dyn Fn(&RegisteredQuery, bool) + Send + Sync;

impl fmt::Debug for Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Observer")
    }
}

/// The bytes up to which bind variables are shown: a slow query keeps them for long.
const BIND_VARIABLES_MAX_BYTES: usize = 64 << 10;

/// The queries that a caller may see and end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// The database that they run in; all databases if there is none.
    pub database: Option<&'a str>,
    /// The user who started them; all users if there is none.
    pub user: Option<&'a str>,
}

impl Scope<'_> {
    fn includes(&self, query: &RegisteredQuery) -> bool {
        self.database.is_none_or(|database| *query.database == *database)
            && self.user.is_none_or(|user| *query.user == *user)
    }
}

/// The entry of a query in the list of running queries; it ends on drop.
///
/// A query that was given up starts again elsewhere and leaves no trace.
#[derive(Debug)]
pub struct Registration {
    registry: Arc<QueryRegistry>,
    query: Arc<RegisteredQuery>,
}

impl QueryRegistry {
    pub(crate) fn new(ids: LocalIds) -> Self {
        QueryRegistry { ids, ..QueryRegistry::default() }
    }

    /// Sets who is told of the queries that have ended. The first one counts.
    pub(crate) fn observe(&self, observer: impl Fn(&RegisteredQuery, bool) + Send + Sync + 'static) {
        let _ = self.observer.set(Observer(Box::new(observer)));
    }

    /// Lists a query until the registration is dropped.
    pub fn register(self: &Arc<Self>, new: NewQuery<'_>) -> Registration {
        let properties = self.properties(&new.database);
        let origin = Origin::new();
        let query = Arc::new(RegisteredQuery {
            id: self.ids.id(self.next_id.fetch_add(1, Ordering::Relaxed) + 1),
            database: new.database,
            user: new.user,
            text: match properties.track_query_string {
                true => shortened(new.text, properties.max_query_string_length),
                false => HIDDEN.to_owned(),
            },
            bind_variables: match properties.track_bind_vars {
                true if new.bind_variables.len() <= BIND_VARIABLES_MAX_BYTES => new.bind_variables.to_vec(),
                _ => Vec::new(),
            },
            stream: new.stream,
            is_query: new.is_query,
            started: origin.created,
            origin,
            began: new.began,
            state: AtomicU8::new(QueryState::Planning as u8),
            interrupt: new.interrupt,
            memory: new.memory,
            finished_us: AtomicU64::new(0),
            is_modification: AtomicBool::new(false),
            warnings: AtomicUsize::new(0),
            exit_code: AtomicU32::new(0),
        });
        // Listed even when tracking is off, so that the query can be killed.
        let known = lock(&self.running).insert(query.id, Arc::clone(&query));
        debug_assert!(known.is_none(), "a number names one query");
        Registration { registry: Arc::clone(self), query }
    }

    /// Returns the queries of a scope that run now, oldest first.
    pub fn running(&self, scope: Scope<'_>) -> Vec<Arc<RegisteredQuery>> {
        let running = lock(&self.running);
        let wanted = running.values().filter(|query| scope.includes(query));
        wanted.filter(|query| self.properties(&query.database).enabled).cloned().collect()
    }

    /// Returns the number of queries that were ever listed, those that started again included.
    pub fn registered(&self) -> u64 {
        self.next_id.load(Ordering::Relaxed)
    }

    /// Returns the slow queries of a scope that are remembered, oldest first.
    pub fn slow(&self, scope: Scope<'_>) -> Vec<Arc<RegisteredQuery>> {
        let tracked = read(&self.tracked);
        let all = tracked.values().flat_map(|tracked| &tracked.slow);
        let mut slow: Vec<_> = all.filter(|query| scope.includes(query)).cloned().collect();
        slow.sort_by_key(|query| query.began + query.run_time());
        slow
    }

    /// Forgets the slow queries of a scope.
    pub fn clear_slow(&self, scope: Scope<'_>) {
        let mut tracked = write(&self.tracked);
        tracked.values_mut().for_each(|tracked| tracked.slow.retain(|query| !scope.includes(query)));
    }

    /// Forgets everything about a dropped database.
    pub fn forget_database(&self, database: &str) {
        write(&self.tracked).remove(database);
    }

    /// Returns the run times of ended queries.
    pub(crate) fn times(&self) -> &QueryTimes {
        &self.times
    }

    /// Asks a query of a scope to end. Errors: 1591 if none of this id runs there.
    pub fn kill(&self, id: u64, scope: Scope<'_>) -> Result<()> {
        let running = lock(&self.running);
        let query = running.get(&id).filter(|query| scope.includes(query)).ok_or_else(|| {
            Error::new(ErrorCode::QueryNotFound, format!("query not found: no query {id} is running"))
        })?;
        query.set_state(QueryState::Killed);
        query.interrupt.kill();
        Ok(())
    }

    /// Asks every query to end, because the server stops.
    pub fn kill_all(&self) {
        lock(&self.running).values().for_each(|query| query.interrupt.kill());
    }

    /// Returns the tracking properties of a database.
    pub fn properties(&self, database: &str) -> TrackingProperties {
        let own = read(&self.tracked).get(database).and_then(|tracked| tracked.properties.clone());
        own.unwrap_or_else(|| read(&self.default_properties).clone())
    }

    /// Changes the tracking properties of a database.
    pub fn set_properties(&self, database: &Arc<str>, properties: TrackingProperties) {
        let mut tracked = write(&self.tracked);
        let tracked = tracked.entry(Arc::clone(database)).or_default();
        tracked.shorten(properties.max_slow_queries);
        tracked.properties = Some(properties);
    }

    /// Changes the tracking properties of databases without properties of their own.
    pub fn set_default_properties(&self, properties: TrackingProperties) {
        *write(&self.default_properties) = properties;
    }

    fn unlist(&self, query: &RegisteredQuery) {
        let listed = lock(&self.running).remove(&query.id);
        debug_assert!(listed.is_some(), "a query is listed until it ends, and ends once");
    }

    fn finish(&self, query: &Arc<RegisteredQuery>) {
        if !query.is_query || query.interrupt.was_given_up() {
            self.unlist(query);
            return;
        }
        let run_time = query.began.elapsed();
        let run_time_us = (run_time.as_micros() as u64).max(1);
        query.finished_us.store(run_time_us, Ordering::Relaxed);
        self.times.all.add(run_time_us);
        if query.state() != QueryState::Killed {
            query.set_state(QueryState::Finished);
        }
        self.unlist(query);
        let properties = self.properties(&query.database);
        let threshold = if query.stream {
            properties.slow_streaming_query_threshold
        } else {
            properties.slow_query_threshold
        };
        let is_slow = run_time.as_secs_f64() >= threshold;
        if is_slow {
            self.times.slow.add(run_time_us);
        }
        if let Some(Observer(observe)) = self.observer.get() {
            observe(query, is_slow);
        }
        if is_slow && properties.enabled && properties.track_slow_queries && properties.max_slow_queries > 0 {
            let mut tracked = write(&self.tracked);
            let tracked = tracked.entry(Arc::clone(&query.database)).or_default();
            tracked.slow.push_back(Arc::clone(query));
            tracked.shorten(properties.max_slow_queries);
            query.log_as_slow();
        }
    }
}

impl Registration {
    /// Returns the query.
    pub fn query(&self) -> &Arc<RegisteredQuery> {
        &self.query
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.registry.finish(&self.query);
    }
}

/// Returns at most `max_bytes` of the text, cut between two characters, and how many bytes follow.
fn shortened(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let (kept, rest) = text.split_at(text.floor_char_boundary(max_bytes));
    format!("{kept}... ({})", rest.len())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use aql_value::Budget;
    use aql_value::budget::Limits;

    use super::*;

    fn of_database(database: &str) -> Scope<'_> {
        Scope { database: Some(database), user: None }
    }

    fn register(registry: &Arc<QueryRegistry>, database: &str, text: &str) -> Registration {
        registry.register(NewQuery {
            database: database.into(),
            user: "root".into(),
            text,
            bind_variables: &[0x0a],
            began: Instant::now(),
            stream: false,
            is_query: true,
            interrupt: Interrupt::new(),
            memory: Arc::new(MemoryAccount::unlimited()),
        })
    }

    #[test]
    fn a_query_is_listed_while_it_runs_and_only_in_its_database() {
        let registry = Arc::new(QueryRegistry::default());
        let one = register(&registry, "a", "RETURN 1");
        let _two = register(&registry, "b", "RETURN 2");
        assert_eq!(registry.running(of_database("a")).len(), 1);
        assert_eq!(registry.running(Scope::default()).len(), 2);
        assert_eq!((registry.times().count(), registry.times().total()), (0, Duration::ZERO));
        drop(one);
        assert!(registry.running(of_database("a")).is_empty());
        assert_eq!(registry.times().count(), 1);
        assert!(registry.times().total() > Duration::ZERO);
    }

    #[test]
    fn a_query_that_begins_anew_elsewhere_counts_once() {
        let registry = Arc::new(QueryRegistry::default());
        registry.set_default_properties(TrackingProperties {
            slow_query_threshold: 0.0,
            ..TrackingProperties::default()
        });
        let tried = register(&registry, "a", "RETURN SLEEP(1)");
        let interrupt = &tried.query().interrupt;
        let now = Instant::now();
        let spent = Limits {
            yield_at: now,
            deadline: now,
            overrun: Duration::ZERO,
            longest_estimate: Duration::ZERO,
        };
        assert_eq!(Budget::new(spent).run(interrupt, || interrupt.check()), Ok(None));
        drop(tried);
        assert_eq!((registry.times().count(), registry.times().total()), (0, Duration::ZERO));
        assert!(registry.running(Scope::default()).is_empty() && registry.slow(Scope::default()).is_empty());
        drop(register(&registry, "a", "RETURN SLEEP(1)"));
        assert_eq!((registry.times().count(), registry.slow(Scope::default()).len()), (1, 1));
    }

    #[test]
    fn kill_reaches_the_query_but_not_from_another_database() {
        let registry = Arc::new(QueryRegistry::default());
        let registration = register(&registry, "a", "RETURN SLEEP(100)");
        let id = registration.query().id;
        assert_eq!(registry.kill(id, of_database("b")).unwrap_err().code(), ErrorCode::QueryNotFound);
        registry.kill(id, of_database("a")).unwrap();
        assert!(registration.query().interrupt.is_set());
        assert_eq!(registration.query().state(), QueryState::Killed);
    }

    #[test]
    fn slow_queries_are_remembered_up_to_a_number_and_long_texts_are_cut() {
        let registry = Arc::new(QueryRegistry::default());
        registry.set_default_properties(TrackingProperties {
            slow_query_threshold: 0.0,
            max_slow_queries: 2,
            max_query_string_length: 8,
            ..TrackingProperties::default()
        });
        for text in ["RETURN 1", "RETURN 2", "RETURN 'ä'"] {
            drop(register(&registry, "a", text));
        }
        let texts: Vec<String> =
            registry.slow(Scope::default()).iter().map(|query| query.text.clone()).collect();
        assert_eq!(texts, ["RETURN 2", "RETURN '... (3)"]);
        registry.clear_slow(of_database("a"));
        assert!(registry.slow(Scope::default()).is_empty());
        let hidden = TrackingProperties { track_query_string: false, ..registry.properties("a") };
        registry.set_properties(&"a".into(), hidden);
        assert_eq!(register(&registry, "a", "RETURN 1").query().text, HIDDEN);
    }

    #[test]
    fn each_database_has_its_properties_and_its_slow_queries() {
        let registry = Arc::new(QueryRegistry::default());
        let default = TrackingProperties::default();
        let all = TrackingProperties { slow_query_threshold: 0.0, max_slow_queries: 2, ..default };
        registry.set_default_properties(all.clone());
        registry.set_properties(&"off".into(), TrackingProperties { enabled: false, ..all });
        let slow = |scope: Scope<'_>| registry.slow(scope).iter().map(|query| query.id).collect::<Vec<_>>();
        for database in ["a", "b", "off", "b", "a", "b"] {
            drop(register(&registry, database, "RETURN 1"));
        }
        assert_eq!(
            (slow(of_database("a")), slow(of_database("b")), slow(of_database("off"))),
            (vec![1, 5], vec![4, 6], vec![])
        );
        assert_eq!(slow(Scope::default()), [1, 4, 5, 6]);
        let _running = (register(&registry, "a", "RETURN 1"), register(&registry, "off", "RETURN 1"));
        assert_eq!(
            (registry.running(Scope::default()).len(), registry.running(of_database("off")).len()),
            (1, 0)
        );
        registry.set_properties(&"b".into(), TrackingProperties { max_slow_queries: 1, ..all });
        assert_eq!(slow(Scope::default()), [1, 5, 6]);
        registry.clear_slow(of_database("a"));
        assert_eq!(slow(Scope::default()), [6]);
        registry.forget_database("b");
        assert_eq!((slow(Scope::default()), registry.properties("b")), (vec![], all));
    }
}
