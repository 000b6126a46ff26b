//! The log of queries: those that have ended and were chosen wait here to become documents of the
//! collection `_queries`.
//!
//! Source: ArangoDB 3.12 documentation, "AQL query logging".

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use catalog::SYSTEM_DATABASE;
use velocypack::{Builder, Slice};

use super::query_registry::RegisteredQuery;

/// Maximum size in bytes of the documents that wait.
const WAITING_MAX_BYTES: usize = 16 << 20;

/// The options of the log of queries.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryLogOptions {
    /// True to log queries.
    pub is_enabled: bool,
    /// True to log queries of the system database too.
    pub includes_system: bool,
    /// The chance of a query to be logged, in percent.
    pub probability: f64,
    /// True to log every slow query.
    pub all_slow: bool,
    /// The longest time that a query waits to be written.
    pub push_interval: Duration,
    /// Maximum number of queries that wait; further ones are lost.
    pub max_waiting: usize,
    /// The time since its start after which a query is removed.
    pub retention: Duration,
    /// The time between two removals.
    pub cleanup_interval: Duration,
}

impl Default for QueryLogOptions {
    /// Returns ArangoDB's options.
    fn default() -> Self {
        QueryLogOptions {
            is_enabled: false,
            includes_system: false,
            probability: 0.1,
            all_slow: true,
            push_interval: Duration::from_secs(3),
            max_waiting: 4_096,
            retention: Duration::from_secs(28_800),
            cleanup_interval: Duration::from_secs(600),
        }
    }
}

/// The queries that wait to be written.
pub(crate) struct QueryLog {
    options: QueryLogOptions,
    waiting: Mutex<Waiting>,
    quarter_full: Condvar,
    /// The thread that writes. Its own queries are not logged.
    writer: OnceLock<ThreadId>,
    /// The state of the random numbers that choose queries.
    dice: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    /// Documents without a key.
    documents: Vec<Vec<u8>>,
    bytes: usize,
}

impl QueryLog {
    pub(crate) fn new(options: QueryLogOptions) -> Self {
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        QueryLog {
            options,
            waiting: Mutex::default(),
            quarter_full: Condvar::new(),
            writer: OnceLock::new(),
            dice: AtomicU64::new(seed.into()),
        }
    }

    pub(crate) fn options(&self) -> &QueryLogOptions {
        &self.options
    }

    /// Makes the calling thread the one that writes.
    pub(crate) fn set_writer(&self) {
        let _ = self.writer.set(std::thread::current().id());
    }

    /// Takes a query that has ended, if it is chosen.
    pub(crate) fn offer(&self, query: &RegisteredQuery, is_slow: bool) {
        if !self.chooses(query, is_slow) {
            return;
        }
        // The members are few and short, so this cannot fail.
        let Ok(document) = describe(query) else { return };
        let mut waiting = self.lock();
        let bytes = waiting.bytes + document.len();
        if waiting.documents.len() >= self.options.max_waiting || bytes > WAITING_MAX_BYTES {
            return;
        }
        waiting.documents.push(document);
        waiting.bytes = bytes;
        if self.is_quarter_full(&waiting) {
            self.quarter_full.notify_one();
        }
    }

    fn chooses(&self, query: &RegisteredQuery, is_slow: bool) -> bool {
        if *query.database == *SYSTEM_DATABASE && !self.options.includes_system {
            return false;
        }
        if self.writer.get() == Some(&std::thread::current().id()) {
            return false;
        }
        (is_slow && self.options.all_slow) || self.percent() < self.options.probability
    }

    /// Returns a random number from 0 to below 100: SplitMix64 of a counter.
    fn percent(&self) -> f64 {
        let mut bits = self.dice.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 * 100.0
    }

    /// Waits for so long, or until a quarter of the room is taken. Returns true if it is.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        let waiting = self.lock();
        let waited = self
            .quarter_full
            .wait_timeout_while(waiting, timeout, |waiting| !self.is_quarter_full(waiting))
            .unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }

    /// Takes the documents that wait.
    pub(crate) fn take(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut *self.lock()).documents
    }

    fn is_quarter_full(&self, waiting: &Waiting) -> bool {
        let limit = self.options.max_waiting.div_ceil(4).max(1);
        waiting.documents.len() >= limit || waiting.bytes >= WAITING_MAX_BYTES / 4
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the document of a query that has ended.
fn describe(query: &RegisteredQuery) -> velocypack::Result<Vec<u8>> {
    let mut out = Builder::new();
    out.open_object()?;
    for (name, text) in [
        ("id", query.id.to_string().as_str()),
        ("database", &query.database),
        ("user", &query.user),
        ("query", &query.text),
        ("started", &iso_time(query.started)),
        ("state", query.state().name()),
    ] {
        out.key(name)?;
        out.add_str(text)?;
    }
    out.key("bindVars")?;
    out.add_slice(match query.bind_variables.as_slice() {
        [] => Slice::EMPTY_OBJECT,
        bytes => Slice::new(bytes),
    })?;
    out.key("runTime")?;
    out.add_f64(query.run_time().as_secs_f64())?;
    for (name, number) in [
        ("peakMemoryUsage", query.memory.peak()),
        ("warnings", query.warnings() as u64),
        ("exitCode", query.exit_code().into()),
    ] {
        out.key(name)?;
        out.add_u64(number)?;
    }
    for (name, flag) in [("stream", query.stream), ("modificationQuery", query.is_modification())] {
        out.key(name)?;
        out.add_bool(flag)?;
    }
    out.close()?;
    Ok(out.into_vec())
}

/// Returns a time in ISO 8601, UTC, with milliseconds.
pub(crate) fn iso_time(time: SystemTime) -> String {
    let ms = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    aql_date::to_iso_utc(i64::try_from(ms).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use aql_value::{Interrupt, MemoryAccount};

    use super::*;
    use crate::state::query_registry::{NewQuery, QueryRegistry, Registration};

    fn options() -> QueryLogOptions {
        QueryLogOptions { is_enabled: true, probability: 100.0, ..QueryLogOptions::default() }
    }

    fn query(database: &str) -> Registration {
        Arc::new(QueryRegistry::default()).register(NewQuery {
            database: database.into(),
            user: "root".into(),
            text: "RETURN 1",
            bind_variables: &[],
            began: Instant::now(),
            stream: false,
            is_query: true,
            interrupt: Interrupt::new(),
            memory: Arc::new(MemoryAccount::unlimited()),
        })
    }

    #[test]
    fn queries_are_chosen_by_chance_by_time_and_by_database() {
        let shop = query("shop");
        let taken = |options: QueryLogOptions, registration: &Registration, is_slow| {
            let log = QueryLog::new(options);
            (0..1_000).for_each(|_| log.offer(registration.query(), is_slow));
            log.take().len()
        };
        assert_eq!(taken(options(), &shop, false), 1_000);
        let never = QueryLogOptions { probability: 0.0, ..options() };
        assert_eq!(taken(never.clone(), &shop, false), 0);
        assert_eq!(taken(never.clone(), &shop, true), 1_000);
        assert_eq!(taken(QueryLogOptions { all_slow: false, ..never }, &shop, true), 0);
        let some = taken(QueryLogOptions { probability: 50.0, ..options() }, &shop, false);
        assert!((350..650).contains(&some), "{some}");
        let system = query(SYSTEM_DATABASE);
        assert_eq!(taken(options(), &system, true), 0);
        assert_eq!(taken(QueryLogOptions { includes_system: true, ..options() }, &system, false), 1_000);
    }

    #[test]
    fn a_full_log_loses_queries_and_a_quarter_full_one_is_written() {
        let log = QueryLog::new(QueryLogOptions { max_waiting: 8, ..options() });
        let shop = query("shop");
        log.offer(shop.query(), false);
        assert!(!log.wait(Duration::ZERO));
        log.offer(shop.query(), false);
        assert!(log.wait(Duration::ZERO));
        (0..20).for_each(|_| log.offer(shop.query(), false));
        assert_eq!(log.take().len(), 8);
        assert!(log.take().is_empty() && !log.wait(Duration::ZERO));
    }

    #[test]
    fn the_thread_that_writes_is_not_logged() {
        let log = QueryLog::new(options());
        log.set_writer();
        log.offer(query("shop").query(), true);
        assert!(log.take().is_empty());
    }
}
