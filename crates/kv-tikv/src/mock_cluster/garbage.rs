//! The collection of old versions in the mock cluster.

use std::ops::Bound;

use super::State;
use super::mvcc::{Kind, Pairs, locked};
use crate::protocol::garbage::{ScanLockRequest, ScanLockResponse};
use crate::protocol::kv::LockInfo;

/// Answers a region's part of a search for locks.
pub(super) fn scan_locks(
    state: &mut State,
    request: &ScanLockRequest,
    (start, end): &(Vec<u8>, Vec<u8>),
) -> ScanLockResponse {
    let low = start.max(&request.start_key).as_slice();
    let is_cut = !request.end_key.is_empty() && (end.is_empty() || request.end_key < *end);
    let high = if is_cut { &request.end_key } else { end };
    let locks = state.pairs.locks_until((low, high), request.max_version, request.limit as usize);
    ScanLockResponse { locks, ..ScanLockResponse::default() }
}

/// Makes a state the oldest readable one, as far as no service has asked for an older one. Returns
/// the oldest one then.
pub(super) fn end_reads_before(state: &mut State, target: u64) -> u64 {
    let oldest = state.oldest_kept().unwrap_or(u64::MAX);
    state.safe_point = state.safe_point.max(target.min(oldest));
    state.safe_point
}

impl Pairs {
    /// Returns the locks in a range whose transactions began up to a timestamp.
    fn locks_until(&self, (start, end): (&[u8], &[u8]), until: u64, limit: usize) -> Vec<LockInfo> {
        let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end.to_vec()) };
        let range = self.records.range((Bound::Included(start.to_vec()), end));
        let found = range.filter_map(|(key, records)| {
            let lock = records.lock.as_ref().filter(|lock| lock.start <= until)?;
            locked(key, lock).locked
        });
        found.take(limit).collect()
    }

    /// Removes the versions that no state from `oldest` on needs, as a store does while it merges
    /// its files. Returns the number of locks whose transactions it may have forgotten.
    pub(super) fn let_go_before(&mut self, oldest: u64) -> usize {
        let mut forgotten = 0;
        for records in self.records.values_mut() {
            forgotten += usize::from(records.lock.as_ref().is_some_and(|lock| lock.start <= oldest));
            let is_version = |kind: &Kind| matches!(kind, Kind::Put(_) | Kind::Delete);
            let mut before = records.writes.range(..=oldest).rev();
            let needed = before.find(|(_, write)| is_version(&write.kind)).map(|(commit, write)| {
                // Without a removal, there is no value either.
                (*commit, matches!(write.kind, Kind::Put(_)))
            });
            records.writes.retain(|commit, _| {
                *commit > oldest || needed.is_some_and(|(needed, is_value)| is_value && *commit == needed)
            });
        }
        self.records.retain(|_, records| records.lock.is_some() || !records.writes.is_empty());
        forgotten
    }

    /// Returns the number of versions of all keys, removals included.
    pub(super) fn versions(&self) -> usize {
        self.records.values().map(|records| records.writes.len()).sum()
    }
}
