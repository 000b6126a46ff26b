//! Locks of other transactions, which a reader or writer meets.
//!
//! The primary key of a transaction tells its outcome. A lock whose transaction has ended is
//! committed or rolled back; one whose transaction has died is rolled back when it expires. A
//! reader skips the lock of a living transaction: asking the primary key has moved the
//! transaction's commit past the reader's timestamp.

use std::time::Duration;

use kv::{Error, Result};

use crate::outcomes::Outcome;
use crate::protocol::kv::{Action, CheckTxnStatusRequest, LockInfo, ResolveLockRequest};
use crate::refusals::{self, Meaning};
use crate::topology::client::Client;
use crate::topology::pd;
use crate::topology::retry::Retry;

/// A transaction of at least this many keys has its locks resolved by whole regions.
const LARGE_TRANSACTION_KEYS: u64 = 16;

/// The result of resolving locks.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// Start timestamps of transactions whose locks the reader may pass by.
    pub(crate) passable: Vec<u64>,
    /// True if a lock is left for which the caller must wait.
    pub(crate) must_wait: bool,
}

impl Client {
    /// Resolves locks that block a reader at `reader`, or a writer (`None`).
    pub(crate) async fn resolve(
        &self,
        locks: &[LockInfo],
        reader: Option<u64>,
        retry: &mut Retry,
    ) -> Result<Resolved> {
        let mut resolved = Resolved::default();
        for lock in locks {
            match self.outcome(lock, reader, retry).await? {
                Outcome::Committed(commit) => self.settle(lock, commit, retry).await?,
                Outcome::RolledBack => self.settle(lock, 0, retry).await?,
                Outcome::Alive { is_passable: true } if reader.is_some() => {
                    resolved.passable.push(lock.lock_version);
                }
                Outcome::Alive { .. } => resolved.must_wait = true,
            }
        }
        Ok(resolved)
    }

    /// Determines the outcome of a lock's transaction. Rolls it back if it is dead.
    async fn outcome(&self, lock: &LockInfo, reader: Option<u64>, retry: &mut Retry) -> Result<Outcome> {
        let start = lock.lock_version;
        if let Some(known) = self.outcomes.get(start) {
            return Ok(known);
        }
        let outcome = self.check(&lock.primary_lock, start, reader, false, retry).await?;
        let outcome = match outcome {
            Some(outcome) => outcome,
            // The primary key has neither a lock nor a record: its prewrite has not come yet, or
            // the process died before it.
            None if self.is_expired(lock).await? => self
                .check(&lock.primary_lock, start, reader, true, retry)
                .await?
                .unwrap_or(Outcome::RolledBack),
            None => Outcome::Alive { is_passable: false },
        };
        if !matches!(outcome, Outcome::Alive { .. }) {
            self.outcomes.remember(start, outcome);
        }
        Ok(outcome)
    }

    async fn is_expired(&self, lock: &LockInfo) -> Result<bool> {
        let now = self.timestamps.next().await?;
        Ok(pd::milliseconds(now) >= pd::milliseconds(lock.lock_version).saturating_add(lock.lock_ttl))
    }

    /// Asks the primary key of a transaction for its state. `None` means that there is no trace of
    /// the transaction, unless `must_end` says that it is then rolled back for good.
    pub(crate) async fn check(
        &self,
        primary: &[u8],
        start: u64,
        reader: Option<u64>,
        must_end: bool,
        retry: &mut Retry,
    ) -> Result<Option<Outcome>> {
        let request = CheckTxnStatusRequest {
            context: None,
            primary_key: primary.to_vec(),
            lock_ts: start,
            caller_start_ts: reader.unwrap_or(0),
            current_ts: self.timestamps.next().await?,
            rollback_if_not_exist: must_end,
        };
        loop {
            let reply = self.send_to_key(primary, &request, retry).await?;
            match reply.error {
                Some(error) if error.txn_not_found.is_some() => return Ok(None),
                Some(error) => {
                    let text = refusals::text(&error);
                    match refusals::meaning(error) {
                        Meaning::Failure(failure) if !failure.is_retryable() => return Err(failure),
                        // A lock of another transaction does not hide the record.
                        _ => retry.pause(&text).await?,
                    }
                }
                None if reply.commit_version > 0 => {
                    return Ok(Some(Outcome::Committed(reply.commit_version)));
                }
                None if reply.lock_ttl > 0 => {
                    let is_passable = reply.action == Action::MinCommitTsPushed as i32;
                    return Ok(Some(Outcome::Alive { is_passable }));
                }
                None if reply.action == Action::LockNotExistDoNothing as i32 => return Ok(None),
                None => return Ok(Some(Outcome::RolledBack)),
            }
        }
    }

    /// Turns a lock into its transaction's commit, or removes it if `commit` is 0.
    async fn settle(&self, lock: &LockInfo, commit: u64, retry: &mut Retry) -> Result<()> {
        let is_large = lock.txn_size >= LARGE_TRANSACTION_KEYS;
        let request = ResolveLockRequest {
            context: None,
            start_version: lock.lock_version,
            commit_version: commit,
            keys: if is_large { Vec::new() } else { vec![lock.key.clone()] },
        };
        let reply = self.send_to_key(&lock.key, &request, retry).await?;
        match reply.error {
            None => Ok(()),
            Some(error) => match refusals::meaning(error) {
                Meaning::Failure(failure) => Err(failure),
                Meaning::Locked(lock) => Err(Error::Transient {
                    reason: format!("a key is locked by the transaction {}", lock.lock_version),
                }),
            },
        }
    }
}

/// The pause before a lock is looked at again.
pub(crate) const LOCK_PAUSE: Duration = Duration::from_millis(5);
