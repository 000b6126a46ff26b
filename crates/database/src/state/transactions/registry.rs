//! All stream transactions of the server: found by number, limited in number, and aborted after
//! their idle time. The outcome of an ended one stays known for a while.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aql_value::activity::Origin;
use aql_value::{Interrupt, share};
use errors::{Error, ErrorCode, Result};

use super::status::TransactionStatus;
use super::stream::{StreamTransaction, disallowed, has_ended};
use crate::base::Owner;
use crate::metrics::TransactionCounts;

/// The limits of stream transactions.
#[derive(Clone, Copy, Debug)]
pub struct TransactionLimits {
    /// Time without a request after which a transaction is aborted.
    pub idle_timeout: Duration,
    /// Time that a request waits for another one that uses the same transaction.
    pub lock_timeout: Duration,
    /// Bytes that one transaction may write.
    pub max_bytes: usize,
}

impl Default for TransactionLimits {
    /// Returns ArangoDB's limits.
    fn default() -> Self {
        TransactionLimits {
            idle_timeout: Duration::from_secs(60),
            lock_timeout: Duration::from_secs(8),
            max_bytes: 512 << 20,
        }
    }
}

/// Maximum number of open stream transactions. Each holds a snapshot of the storage engine.
const MAX_OPEN: usize = 4_096;

/// Time for which the outcome of a transaction stays known.
const KEEP_OUTCOME: Duration = Duration::from_secs(600);

/// Maximum number of outcomes that stay known; the oldest are forgotten first.
const MAX_OUTCOMES: usize = 100_000;

/// The server's stream transactions. All methods may be called from many threads.
pub struct Transactions {
    limits: TransactionLimits,
    table: Mutex<Table>,
    counts: TransactionCounts,
}

#[derive(Default)]
struct Table {
    open: HashMap<u64, Arc<StreamTransaction>>,
    outcomes: HashMap<u64, Outcome>,
    /// The numbers of `outcomes` in the order of their ends.
    ended: VecDeque<(Instant, u64)>,
}

struct Outcome {
    owner: Owner,
    status: TransactionStatus,
}

/// The number and the status of a stream transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionSummary {
    /// The number.
    pub id: u64,
    /// The status.
    pub status: TransactionStatus,
}

/// An open stream transaction as an activity of the server.
#[derive(Clone, Debug)]
pub struct TransactionActivity {
    /// The number that clients know.
    pub id: u64,
    /// The beginning.
    pub origin: Origin,
    /// The database.
    pub database: Arc<str>,
    /// The user who began it; none without authentication.
    pub user: Option<Arc<str>>,
    /// True if no declared collection may be written.
    pub is_read_only: bool,
}

impl Transactions {
    pub(crate) fn new(limits: TransactionLimits) -> Self {
        Transactions { limits, table: Mutex::default(), counts: TransactionCounts::default() }
    }

    /// Returns the limits.
    pub fn limits(&self) -> TransactionLimits {
        self.limits
    }

    /// Returns the numbers of transactions since the start.
    pub fn counts(&self) -> &TransactionCounts {
        &self.counts
    }

    /// Returns the number of open transactions.
    pub fn len(&self) -> usize {
        self.table().open.len()
    }

    /// Returns true if no transaction is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Counts a transaction that only reads, from any replica of the data or not.
    pub(crate) fn note_read(&self, from_replicas: bool) {
        self.counts.read_only.increment();
        if from_replicas {
            self.counts.dirty_read_only.increment();
        }
    }

    /// Checks that there is room for one more of a user. Concurrent calls may exceed the limit by
    /// a few.
    ///
    /// Errors: 32 if the user's share of the limit is reached.
    pub(crate) fn check_room(&self, user: Option<&Arc<str>>) -> Result<()> {
        let table = self.table();
        let own = || table.open.values().filter(|stream| stream.owner().user.as_ref() == user).count();
        if share::admits_counted(own, table.open.len(), MAX_OPEN) {
            return Ok(());
        }
        let (own, open) = (own(), table.open.len());
        let message = format!(
            "resource limit exceeded: {own} of {open} open transactions are yours, the maximum; commit or abort some"
        );
        Err(Error::new(ErrorCode::ResourceLimit, message))
    }

    pub(crate) fn insert(&self, stream: Arc<StreamTransaction>) {
        debug_assert_eq!(
            stream.status(),
            TransactionStatus::Running,
            "only open transactions are registered"
        );
        self.counts.begun.increment();
        let known = self.table().open.insert(stream.id(), stream);
        debug_assert!(known.is_none(), "a number names one transaction");
    }

    /// Returns an open transaction.
    ///
    /// `admits` decides by the owner whether the caller may use it. Errors: 1655 if there is none,
    /// 1653 and 1654 if it has ended.
    pub(crate) fn find(&self, id: u64, admits: impl Fn(&Owner) -> bool) -> Result<Arc<StreamTransaction>> {
        let table = self.table();
        if let Some(stream) = table.open.get(&id).filter(|stream| admits(stream.owner())) {
            return Ok(Arc::clone(stream));
        }
        let outcome = table.outcomes.get(&id).filter(|outcome| admits(&outcome.owner));
        Err(outcome.map_or_else(|| not_found(id), |outcome| has_ended(id, outcome.status)))
    }

    /// Returns the status of a transaction. Errors: 1655.
    pub(crate) fn status(&self, id: u64, admits: impl Fn(&Owner) -> bool) -> Result<TransactionStatus> {
        let table = self.table();
        if let Some(stream) = table.open.get(&id).filter(|stream| admits(stream.owner())) {
            return Ok(stream.status());
        }
        let outcome = table.outcomes.get(&id).filter(|outcome| admits(&outcome.owner));
        outcome.map(|outcome| outcome.status).ok_or_else(|| not_found(id))
    }

    /// Returns the open transactions that the caller may use, by number.
    pub(crate) fn list(&self, admits: impl Fn(&Owner) -> bool) -> Vec<TransactionSummary> {
        let table = self.table();
        let open = table.open.values().filter(|stream| admits(stream.owner()));
        let summary = |stream: &Arc<StreamTransaction>| TransactionSummary {
            id: stream.id(),
            status: TransactionStatus::Running,
        };
        let mut listed: Vec<TransactionSummary> = open.map(summary).collect();
        listed.sort_by_key(|summary| summary.id);
        listed
    }

    /// Returns all open transactions as activities of the server, in no order.
    pub fn activities(&self) -> Vec<TransactionActivity> {
        let activity = |stream: &Arc<StreamTransaction>| TransactionActivity {
            id: stream.id(),
            origin: stream.origin(),
            database: Arc::clone(&stream.owner().database),
            user: stream.owner().user.clone(),
            is_read_only: stream.is_read_only(),
        };
        self.table().open.values().map(activity).collect()
    }

    /// Commits a transaction. The interrupt ends a wait for another request.
    ///
    /// Errors: 1655, 1653, 28, 1500, and those of the commit.
    pub(crate) fn commit(
        &self,
        id: u64,
        admits: impl Fn(&Owner) -> bool,
        interrupt: Option<&Interrupt>,
    ) -> Result<()> {
        let stream = match self.find(id, &admits) {
            Ok(stream) => stream,
            Err(error) => return self.repeated(id, &admits, TransactionStatus::Committed, "commit", error),
        };
        let outcome = stream.commit(self.limits.lock_timeout, interrupt);
        self.note_end(&stream);
        outcome
    }

    /// Aborts a transaction. Errors: 1655, 1653.
    pub(crate) fn abort(&self, id: u64, admits: impl Fn(&Owner) -> bool) -> Result<()> {
        let stream = match self.find(id, &admits) {
            Ok(stream) => stream,
            Err(error) => return self.repeated(id, &admits, TransactionStatus::Aborted, "abort", error),
        };
        let outcome = stream.abort();
        self.note_end(&stream);
        outcome
    }

    /// Aborts the transactions of some owners that may write.
    pub(crate) fn abort_writing(&self, admits: impl Fn(&Owner) -> bool) {
        self.abort_where(|stream| admits(stream.owner()) && !stream.is_read_only());
    }

    /// Aborts the transactions of a database that is about to be dropped.
    pub fn abort_database(&self, database: &str) {
        self.abort_where(|stream| *stream.owner().database == *database);
    }

    /// Aborts all transactions, before the server stops.
    pub(crate) fn abort_all(&self) {
        self.abort_where(|_| true);
    }

    /// Aborts the transactions that nobody uses any more, and forgets old outcomes. The
    /// housekeeping thread calls it.
    pub(crate) fn expire(&self) {
        let expired = self.abort_where(|stream| stream.is_abandoned(self.limits.idle_timeout));
        self.counts.expired.add(expired);
        self.table().forget_outcomes();
    }

    fn abort_where(&self, is_chosen: impl Fn(&StreamTransaction) -> bool) -> u64 {
        let open: Vec<_> = self.table().open.values().cloned().collect();
        let chosen = open.iter().filter(|stream| is_chosen(stream));
        let mut aborted = 0;
        for stream in chosen {
            // An error means that the transaction has just been committed.
            aborted += u64::from(stream.abort().is_ok());
            self.note_end(stream);
        }
        aborted
    }

    /// Answers an end of a transaction that has ended already: it may be repeated.
    fn repeated(
        &self,
        id: u64,
        admits: impl Fn(&Owner) -> bool,
        wanted: TransactionStatus,
        verb: &str,
        error: Error,
    ) -> Result<()> {
        match self.status(id, admits) {
            Ok(status) if status == wanted => Ok(()),
            Ok(TransactionStatus::Running) | Err(_) => Err(error),
            Ok(status) => Err(disallowed(id, status, verb)),
        }
    }

    /// Moves a transaction that has ended to the outcomes.
    fn note_end(&self, stream: &Arc<StreamTransaction>) {
        let status = stream.status();
        let mut table = self.table();
        if status == TransactionStatus::Running || table.open.remove(&stream.id()).is_none() {
            return;
        }
        let counter = match status {
            TransactionStatus::Committed => &self.counts.committed,
            _ => &self.counts.aborted,
        };
        counter.increment();
        table.outcomes.insert(stream.id(), Outcome { owner: stream.owner().clone(), status });
        table.ended.push_back((Instant::now(), stream.id()));
        table.forget_outcomes();
    }

    /// Locks the table. No code that can panic runs under this lock.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn forget_outcomes(&mut self) {
        while let Some((since, id)) = self.ended.front().copied()
            && (self.ended.len() > MAX_OUTCOMES || since.elapsed() >= KEEP_OUTCOME)
        {
            self.ended.pop_front();
            self.outcomes.remove(&id);
        }
    }
}

fn not_found(id: u64) -> Error {
    Error::new(ErrorCode::TransactionNotFound, format!("transaction '{id}' not found"))
}
