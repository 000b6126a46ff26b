//! The versions and locks of keys in the mock cluster: the rules of Percolator.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::is_expired;
use crate::protocol::kv::{
    Action, CommitTsExpired, KeyError, LockInfo, Mutation, Op, PrewriteRequest, WriteConflict,
};
use crate::protocol::region::Nothing;

/// The keys in order.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) records: BTreeMap<Vec<u8>, Records>,
    /// The greatest timestamp at which something was read.
    greatest_read: u64,
}

#[derive(Default)]
pub(super) struct Records {
    pub(super) lock: Option<Lock>,
    /// By the timestamp of the commit, or by that of the start for a rollback.
    pub(super) writes: BTreeMap<u64, Write>,
}

pub(super) struct Lock {
    pub(super) start: u64,
    primary: Vec<u8>,
    op: Op,
    value: Vec<u8>,
    ttl: u64,
    min_commit: u64,
    keys: u64,
}

pub(super) struct Write {
    start: u64,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Put(Vec<u8>),
    Delete,
    Lock,
    Rollback,
}

/// The state of a transaction, as its primary key has it.
pub(super) struct Status {
    pub(super) ttl: u64,
    pub(super) commit: u64,
    pub(super) action: Action,
}

impl Records {
    /// Returns the value at a timestamp.
    fn value(&self, at: u64) -> Option<&Vec<u8>> {
        self.writes.range(..=at).rev().find_map(|(_, write)| match &write.kind {
            Kind::Put(value) => Some(Some(value)),
            Kind::Delete => Some(None),
            Kind::Lock | Kind::Rollback => None,
        })?
    }

    /// Returns the lock in the way of a reader.
    fn obstacle(&self, at: u64, passable: &[u64]) -> Option<&Lock> {
        let lock = self.lock.as_ref()?;
        (lock.start <= at && lock.op != Op::Lock && !passable.contains(&lock.start)).then_some(lock)
    }

    /// Returns the commit of the transaction that started at `start`; 0 for a rollback.
    fn outcome(&self, start: u64) -> Option<u64> {
        self.writes.iter().find(|(_, write)| write.start == start).map(|(commit, write)| match write.kind {
            Kind::Rollback => 0,
            _ => *commit,
        })
    }

    fn commit(&mut self, commit: u64) {
        let Some(lock) = self.lock.take() else { return };
        let kind = match lock.op {
            Op::Put | Op::Insert => Kind::Put(lock.value),
            Op::Del => Kind::Delete,
            _ => Kind::Lock,
        };
        self.writes.insert(commit, Write { start: lock.start, kind });
    }

    fn roll_back(&mut self, start: u64) {
        if self.lock.as_ref().is_some_and(|lock| lock.start == start) {
            self.lock = None;
        }
        self.writes.entry(start).or_insert(Write { start, kind: Kind::Rollback });
    }
}

pub(super) fn locked(key: &[u8], lock: &Lock) -> KeyError {
    let info = LockInfo {
        primary_lock: lock.primary.clone(),
        lock_version: lock.start,
        key: key.to_vec(),
        lock_ttl: lock.ttl,
        txn_size: lock.keys,
        min_commit_ts: lock.min_commit,
    };
    KeyError { locked: Some(info), ..KeyError::default() }
}

impl Pairs {
    pub(super) fn locks(&self) -> usize {
        self.records.values().filter(|records| records.lock.is_some()).count()
    }

    /// Returns the start of the oldest transaction with a lock in a range.
    pub(super) fn oldest_lock(&self, (start, end): (&[u8], &[u8])) -> Option<u64> {
        let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end.to_vec()) };
        let range = self.records.range((Bound::Included(start.to_vec()), end));
        range.filter_map(|(_, records)| records.lock.as_ref().map(|lock| lock.start)).min()
    }

    pub(super) fn get(&mut self, key: &[u8], at: u64, passable: &[u64]) -> Result<Option<Vec<u8>>, KeyError> {
        self.note_read(at);
        let Some(records) = self.records.get(key) else { return Ok(None) };
        match records.obstacle(at, passable) {
            Some(lock) => Err(locked(key, lock)),
            None => Ok(records.value(at).cloned()),
        }
    }

    /// Returns the pairs of a range in order; an error for each key with a lock.
    pub(super) fn scan<'a>(
        &'a mut self,
        (start, end): (&[u8], &[u8]),
        at: u64,
        passable: &'a [u64],
    ) -> impl DoubleEndedIterator<Item = (&'a Vec<u8>, Result<&'a Vec<u8>, KeyError>)> {
        self.note_read(at);
        let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end.to_vec()) };
        let range = (Bound::Included(start.to_vec()), end);
        self.records.range(range).filter_map(move |(key, records)| match records.obstacle(at, passable) {
            Some(lock) => Some((key, Err(locked(key, lock)))),
            None => records.value(at).map(|value| (key, Ok(value))),
        })
    }

    fn note_read(&mut self, at: u64) {
        if at != u64::MAX {
            self.greatest_read = self.greatest_read.max(at);
        }
    }

    /// Locks the keys of a request, all or none. Returns the commit's timestamp if the request
    /// allowed it and it took place, or else 0.
    pub(super) fn prewrite(&mut self, request: &PrewriteRequest) -> Result<u64, Vec<KeyError>> {
        let start = request.start_version;
        let mut errors = Vec::new();
        for mutation in &request.mutations {
            match self.check(mutation, start, request.skip_constraint_check) {
                Err(error) => errors.push(error),
                // The same message came before.
                Ok(Some(commit)) => return Ok(if request.try_one_pc { commit } else { 0 }),
                Ok(None) => {}
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let min_commit = request.min_commit_ts.max(self.greatest_read + 1).max(start + 1);
        let is_in_time = request.max_commit_ts == 0 || min_commit <= request.max_commit_ts;
        let is_one_phase = request.try_one_pc && is_in_time;
        for mutation in &request.mutations {
            let records = self.records.entry(mutation.key.clone()).or_default();
            records.lock.get_or_insert_with(|| Lock {
                start,
                primary: request.primary_lock.clone(),
                op: Op::try_from(mutation.op).unwrap_or(Op::Lock),
                value: mutation.value.clone(),
                ttl: request.lock_ttl,
                min_commit,
                keys: request.txn_size,
            });
            if is_one_phase {
                records.commit(min_commit);
            }
        }
        Ok(if is_one_phase { min_commit } else { 0 })
    }

    fn check(&self, mutation: &Mutation, start: u64, locks_only: bool) -> Result<Option<u64>, KeyError> {
        let Some(records) = self.records.get(&mutation.key) else { return Ok(None) };
        if let Some(lock) = records.lock.as_ref() {
            return if lock.start == start { Ok(None) } else { Err(locked(&mutation.key, lock)) };
        }
        if locks_only {
            return Ok(None);
        }
        match records.outcome(start) {
            // The conflict is with the transaction's own rollback.
            Some(0) => {
                let conflict =
                    WriteConflict { start_ts: start, conflict_ts: start, key: mutation.key.clone() };
                return Err(KeyError { conflict: Some(conflict), ..KeyError::default() });
            }
            Some(commit) => return Ok(Some(commit)),
            None => {}
        }
        let last = records.writes.iter().rev().find(|(_, write)| !matches!(write.kind, Kind::Rollback));
        if let Some((commit, _)) = last.filter(|(commit, _)| **commit > start) {
            let conflict = WriteConflict { start_ts: start, conflict_ts: *commit, key: mutation.key.clone() };
            return Err(KeyError { conflict: Some(conflict), ..KeyError::default() });
        }
        if mutation.op == Op::Insert as i32 && records.value(u64::MAX).is_some() {
            return Err(KeyError { already_exist: Some(Nothing {}), ..KeyError::default() });
        }
        Ok(None)
    }

    pub(super) fn commit(&mut self, key: &[u8], start: u64, commit: u64) -> Result<(), KeyError> {
        let records = self.records.entry(key.to_vec()).or_default();
        match &records.lock {
            Some(lock) if lock.start == start && commit < lock.min_commit => {
                let expired = CommitTsExpired { min_commit_ts: lock.min_commit };
                Err(KeyError { commit_ts_expired: Some(expired), ..KeyError::default() })
            }
            Some(lock) if lock.start == start => {
                records.commit(commit);
                Ok(())
            }
            _ if records.outcome(start).is_some_and(|commit| commit > 0) => Ok(()),
            _ => Err(KeyError { txn_not_found: Some(Nothing {}), ..KeyError::default() }),
        }
    }

    pub(super) fn roll_back(&mut self, key: &[u8], start: u64) {
        let records = self.records.entry(key.to_vec()).or_default();
        if records.outcome(start).is_none() {
            records.roll_back(start);
        }
    }

    pub(super) fn prolong(&mut self, key: &[u8], start: u64, ttl: u64) -> bool {
        let lock = self.records.get_mut(key).and_then(|records| records.lock.as_mut());
        lock.filter(|lock| lock.start == start).map(|lock| lock.ttl = lock.ttl.max(ttl)).is_some()
    }

    /// Ends the locks of a transaction: those of the keys, or all in a range.
    pub(super) fn resolve(
        &mut self,
        keys: &[Vec<u8>],
        (first, end): (&[u8], &[u8]),
        start: u64,
        commit: u64,
    ) {
        let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end.to_vec()) };
        for (key, records) in self.records.range_mut((Bound::Included(first.to_vec()), end)) {
            let is_wanted = keys.is_empty() || keys.contains(key);
            if !is_wanted || records.lock.as_ref().is_none_or(|lock| lock.start != start) {
                continue;
            }
            match commit {
                0 => records.roll_back(start),
                commit => records.commit(commit),
            }
        }
    }

    /// Returns the state of the transaction of a primary key, or `None` if there is no trace.
    pub(super) fn status(
        &mut self,
        key: &[u8],
        start: u64,
        (reader, now): (u64, u64),
        must_end: bool,
    ) -> Option<Status> {
        let records = self.records.entry(key.to_vec()).or_default();
        if let Some(lock) = records.lock.as_mut().filter(|lock| lock.start == start) {
            if is_expired(start, lock.ttl, now) {
                records.roll_back(start);
                return Some(Status { ttl: 0, commit: 0, action: Action::TtlExpireRollback });
            }
            let mut action = Action::Nothing;
            if reader > 0 && lock.min_commit > 0 {
                lock.min_commit = lock.min_commit.max(reader + 1);
                action = Action::MinCommitTsPushed;
            }
            return Some(Status { ttl: lock.ttl, commit: 0, action });
        }
        match records.outcome(start) {
            Some(commit) => Some(Status { ttl: 0, commit, action: Action::Nothing }),
            None if must_end => {
                records.roll_back(start);
                Some(Status { ttl: 0, commit: 0, action: Action::LockNotExistRollback })
            }
            None => None,
        }
    }
}
