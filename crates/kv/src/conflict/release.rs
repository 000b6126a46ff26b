//! The release of a finished transaction's keys.
//!
//! A transaction with few keys looks them up one by one. A transaction with very many keys holds
//! most of the table: a pass over each whole shard is then several times as fast. So nobody waits
//! long for the end of a query that was killed after millions of writes.

use std::collections::hash_map::Entry;

use super::{ConflictTable, Keys, Shard, lock};

/// A transaction with at least this many keys may be released by passes over whole shards. The
/// condition is that it holds at least one in `LEAST_PART` of the table's keys.
const MANY_KEYS: usize = 1 << 14;
const LEAST_PART: usize = 4;

impl ConflictTable {
    /// Releases keys. `stamp` is the commit that wrote them, if it must be remembered.
    pub(super) fn release(&self, holder: u64, hashes: &[u64], stamp: Option<u64>) {
        if hashes.len() >= MANY_KEYS && hashes.len() >= self.key_count() / LEAST_PART {
            self.shards.iter().for_each(|shard| release_all(shard, holder, stamp));
            return;
        }
        for hash in hashes {
            let shard = self.shard(*hash);
            let mut keys = lock(&shard.keys);
            if let Entry::Occupied(mut state) = keys.by_hash.entry(*hash) {
                state.get_mut().holder = 0;
                if let Some(commit) = stamp {
                    state.get_mut().commit = commit;
                } else if state.get().commit == 0 {
                    state.remove();
                    keys.shrink();
                }
            }
            let waiting = keys.waiting;
            drop(keys);
            if waiting > 0 {
                shard.released.notify_all();
            }
        }
    }
}

/// Releases all keys of a holder in a shard.
fn release_all(shard: &Shard, holder: u64, stamp: Option<u64>) {
    let mut guard = lock(&shard.keys);
    let Keys { by_hash, waiting } = &mut *guard;
    by_hash.retain(|_, state| {
        if state.holder == holder {
            state.holder = 0;
            state.commit = stamp.unwrap_or(state.commit);
        }
        state.holder != 0 || state.commit != 0
    });
    let has_waiting = *waiting > 0;
    guard.shrink();
    drop(guard);
    if has_waiting {
        shard.released.notify_all();
    }
}
