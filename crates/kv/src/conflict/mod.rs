//! Which transaction may write which key: the concurrency control of local engines.
//!
//! # The protocol
//! There is one clock, a number that grows by one with every commit. A transaction
//! 1. *starts to read*: notes the clock as its `start`, then takes the engine's snapshot;
//! 2. *claims* each key before it writes it: the claim fails if another transaction holds the key, or if a transaction
//!    whose commit number is greater than `start` has written it;
//! 3. *commits*: hands its writes to the engine, which makes them visible at once; then advances the clock to its
//!    commit number `c`; then stamps its keys with `c` and lets go of them.
//!
//! # Why no update is lost
//! Let T have written key `k` and committed with number `c`, and let U, which started at `s`, claim `k`.
//! - If T holds `k` at that moment, U's claim fails (or waits until T has let go, and is decided by what follows).
//! - If T has let go, the stamp is there, since both are done under the lock of the key's shard.
//!   If `c > s`, the claim fails. If `c <= s`, U read the clock after T advanced it, and T advanced it after its writes
//!   were visible; U took its snapshot after it read the clock. So U's snapshot has T's writes, and U overwrites
//!   nothing that it did not see.
//! - If T claims `k` only after U has claimed it, the same holds with the parts exchanged.
//!
//! A claim may fail though U's snapshot has T's writes: when U started between the moment T's writes became visible
//! and the moment T advanced the clock. T had not returned from its commit then, so U cannot know that it should have
//! succeeded. A transaction that starts after the commit returned has `s >= c` and never conflicts with it.
//!
//! # What is remembered
//! A stamp `c` matters only to transactions that started before `c`. When the oldest living transaction started at or
//! after `c`, the stamp is removed. So without old transactions the table holds the keys of the transactions that run
//! now and nothing else. An old transaction makes the table grow up to `remembered_keys_max` stamps; then the oldest
//! are forgotten, and transactions that started before them have their later claims answered by
//! [`Claim::Forgotten`]: the engine compares the key's value in the snapshot with the one of now.
//!
//! Starting and removing stamps exclude each other (both happen under the registry's lock), so a stamp cannot be
//! removed on behalf of a transaction that has read the clock and is not yet listed.
//!
//! # Keys are hashed
//! The table knows keys by a 64-bit hash with a secret seed. Two keys of the same hash count as one: at worst a
//! transaction conflicts without need, and starts again.

use std::cell::Cell;
use std::collections::VecDeque;
use std::collections::hash_map::{Entry as MapEntry, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Error, Result, WaitPolicy};

mod release;
#[cfg(test)]
mod tests;

/// Locks are held for less than a microsecond; this many make it unlikely that two cores want the same one.
const SHARDS: usize = 64;

/// A shard keeps room for this many keys when it has none.
const SHARD_KEYS_KEPT: usize = 128;

/// Waiting for a key ends after a day at the latest.
const WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The default of `remembered_keys_max`: about 50 MB of stamps.
pub const REMEMBERED_KEYS_MAX: usize = 1 << 20;

/// The keys that transactions hold or have committed lately.
pub struct ConflictTable {
    /// The number of the last commit. Written under the registry's lock.
    clock: AtomicU64,
    /// Stamps up to this commit may have been forgotten while transactions that started before it were alive.
    forgotten: AtomicU64,
    last_holder: AtomicU64,
    conflicts: AtomicU64,
    registry: Mutex<Registry>,
    shards: Box<[Shard]>,
    hasher: RandomState,
    remembered_keys_max: usize,
}

/// Who reads, and which stamps are kept for them.
#[derive(Default)]
struct Registry {
    /// Living transactions by their start, ascending, and how many there are of each.
    readers: VecDeque<(u64, usize)>,
    /// The stamps that are kept, by commit, nearly ascending.
    remembered: VecDeque<(u64, Vec<u64>)>,
    remembered_keys: usize,
}

#[derive(Default)]
struct Shard {
    keys: Mutex<Keys>,
    released: Condvar,
}

#[derive(Default)]
struct Keys {
    by_hash: HashMap<u64, KeyState, BuildHasherDefault<HashedAlready>>,
    /// How many transactions wait for a key of this shard.
    waiting: usize,
}

/// What is known of a key.
#[derive(Clone, Copy, Default)]
struct KeyState {
    /// The transaction that holds it; 0 for none.
    holder: u64,
    /// The number of the last commit that wrote it, as far as it is remembered; 0 for none.
    commit: u64,
}

/// How a claim succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Claim {
    /// Nobody has written the key since the transaction started to read.
    Unchanged,
    /// The transaction holds the key, but is so old that the table does not know whether it was written since. It
    /// must compare the key's value in its snapshot with the one of now, and answer a conflict if they differ. (If the
    /// key was written and written back, that is as if it had not been written: what is overwritten is what was seen.)
    Forgotten,
}

/// One transaction's part in a [`ConflictTable`]. Dropping it without a commit lets go of all its keys.
pub struct Claims {
    table: Arc<ConflictTable>,
    holder: u64,
    /// The clock when the transaction started to read.
    start: Cell<Option<u64>>,
    held: Vec<u64>,
}

impl ConflictTable {
    /// An empty table that remembers at most about `remembered_keys_max` keys for old transactions.
    pub fn new(remembered_keys_max: usize) -> Self {
        ConflictTable {
            clock: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
            last_holder: AtomicU64::new(0),
            conflicts: AtomicU64::new(0),
            registry: Mutex::default(),
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            hasher: RandomState::new(),
            remembered_keys_max,
        }
    }

    /// Enters a transaction that has not started to read.
    pub fn enter(self: &Arc<Self>) -> Claims {
        let holder = self.last_holder.fetch_add(1, Ordering::Relaxed) + 1;
        Claims { table: Arc::clone(self), holder, start: Cell::new(None), held: Vec::new() }
    }

    /// The number of the last commit. All commits up to it were handed to the engine before this returns.
    pub fn last_commit(&self) -> u64 {
        self.clock.load(Ordering::Acquire)
    }

    /// Claims that failed since the table was made.
    pub fn conflicts(&self) -> u64 {
        self.conflicts.load(Ordering::Relaxed)
    }

    /// How many keys are held or remembered now.
    pub fn key_count(&self) -> usize {
        self.shards.iter().map(|shard| lock(&shard.keys).by_hash.len()).sum()
    }

    fn shard(&self, hash: u64) -> &Shard {
        // The maps use the lowest and the highest bits.
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    fn start_reading(&self) -> u64 {
        let mut registry = lock(&self.registry);
        let start = self.clock.load(Ordering::Acquire);
        match registry.readers.back_mut() {
            Some((last, count)) if *last == start => *count += 1,
            _ => registry.readers.push_back((start, 1)),
        }
        start
    }

    /// Takes a reader off the list. Answers the hashes and commits of stamps that nobody needs any more.
    fn stop_reading(&self, registry: &mut Registry, start: Option<u64>) -> Vec<(u64, Vec<u64>)> {
        if let Some(start) = start {
            registry.remove_reader(start);
        }
        let horizon = registry.horizon(self.clock.load(Ordering::Acquire));
        let mut trimmed = registry.take_remembered_until(horizon);
        while registry.remembered_keys > self.remembered_keys_max {
            let Some((commit, hashes)) = registry.pop_remembered() else { break };
            // Stored before the stamp is removed: who finds no stamp under the shard's lock finds this.
            self.forgotten.fetch_max(commit, Ordering::AcqRel);
            trimmed.push((commit, hashes));
        }
        trimmed
    }

    fn remove_stamps(&self, stamps: &[(u64, Vec<u64>)]) {
        for (commit, hashes) in stamps {
            for hash in hashes {
                let mut keys = lock(&self.shard(*hash).keys);
                let MapEntry::Occupied(mut state) = keys.by_hash.entry(*hash) else { continue };
                if state.get().commit != *commit {
                    continue; // Written again since; that commit removes its own stamp.
                }
                state.get_mut().commit = 0;
                if state.get().holder == 0 {
                    state.remove();
                    keys.shrink();
                }
            }
        }
    }

    /// Lists stamps that were made, for removal when nobody needs them any more. Not listed before they are made:
    /// another thread could remove them from the list and find nothing to remove in the shards.
    fn remember(&self, commit: u64, hashes: Vec<u64>) {
        let trimmed = {
            let mut registry = lock(&self.registry);
            registry.remembered_keys += hashes.len();
            registry.remembered.push_back((commit, hashes));
            self.stop_reading(&mut registry, None)
        };
        self.remove_stamps(&trimmed);
    }

    fn conflict(&self) -> Error {
        self.conflicts.fetch_add(1, Ordering::Relaxed);
        Error::Conflict
    }
}

impl Keys {
    /// Gives memory back after many keys were removed, seldom enough that it does not count.
    fn shrink(&mut self) {
        if self.by_hash.capacity() > SHARD_KEYS_KEPT && self.by_hash.len() < self.by_hash.capacity() / 8 {
            self.by_hash.shrink_to(SHARD_KEYS_KEPT.max(self.by_hash.len() * 2));
        }
    }
}

impl Registry {
    fn remove_reader(&mut self, start: u64) {
        let Ok(at) = self.readers.binary_search_by_key(&start, |(start, _)| *start) else { return };
        let Some((_, count)) = self.readers.get_mut(at) else { return };
        *count -= 1;
        if *count == 0 {
            // Cheap: nearly always the first or one of the last.
            self.readers.remove(at);
        }
    }

    /// The start of the oldest living transaction; `now` if there is none. Stamps up to it are not needed.
    fn horizon(&self, now: u64) -> u64 {
        self.readers.front().map_or(now, |(start, _)| *start)
    }

    fn take_remembered_until(&mut self, horizon: u64) -> Vec<(u64, Vec<u64>)> {
        let mut taken = Vec::new();
        while self.remembered.front().is_some_and(|(commit, _)| *commit <= horizon) {
            taken.extend(self.pop_remembered());
        }
        taken
    }

    fn pop_remembered(&mut self) -> Option<(u64, Vec<u64>)> {
        let (commit, hashes) = self.remembered.pop_front()?;
        self.remembered_keys -= hashes.len();
        Some((commit, hashes))
    }
}

impl Claims {
    /// Starts to read, if that was not done before. The engine's snapshot must be taken *after* this.
    pub fn start_reading(&self) {
        if self.start.get().is_none() {
            self.start.set(Some(self.table.start_reading()));
        }
    }

    /// Number of keys that the transaction holds.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Bytes of memory that the held keys take, here and in the table, roughly.
    pub fn memory_bytes(&self) -> usize {
        self.held.capacity() * size_of::<u64>() + self.held.len() * 2 * size_of::<(u64, KeyState)>()
    }

    /// Whether the transaction holds no key.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Claims `key`, waiting for another transaction that holds it as `wait` says. Answers [`Error::Conflict`] if
    /// it still holds it then, or if the key was committed since this transaction started to read. A cycle of waiting
    /// transactions ends with the first timeout.
    pub fn claim(&mut self, key: &[u8], wait: WaitPolicy) -> Result<Claim> {
        let table = &*self.table;
        let hash = table.hasher.hash_one(key);
        let shard = table.shard(hash);
        let mut keys = lock(&shard.keys);
        let mut deadline = None;
        loop {
            let state = keys.by_hash.entry(hash).or_default();
            if state.holder == 0 || state.holder == self.holder {
                break;
            }
            let now = Instant::now();
            let deadline = *deadline.get_or_insert_with(|| now + wait.limit().min(WAIT_MAX));
            if now >= deadline {
                return Err(table.conflict());
            }
            keys.waiting += 1;
            let (guard, _) =
                shard.released.wait_timeout(keys, deadline - now).unwrap_or_else(PoisonError::into_inner);
            keys = guard;
            keys.waiting -= 1;
        }
        let state = keys.by_hash.entry(hash).or_default();
        let is_held = state.holder == self.holder;
        let mut answer = Claim::Unchanged;
        if let Some(start) = self.start.get() {
            if state.commit > start {
                return Err(table.conflict());
            }
            // Even if the transaction holds the hash: it may hold it for another key.
            if table.forgotten.load(Ordering::Acquire) > start {
                answer = Claim::Forgotten;
            }
        }
        if !is_held {
            state.holder = self.holder;
            self.held.push(hash);
        }
        Ok(answer)
    }

    /// Counts and answers the conflict that followed a [`Claim::Forgotten`]. The key stays held until the end.
    pub fn conflict(&self) -> Error {
        self.table.conflict()
    }

    /// Advances the clock after the engine made the writes visible, stamps the keys and lets go of them. Answers the
    /// commit's number.
    pub fn commit(mut self) -> u64 {
        let table = Arc::clone(&self.table);
        let held = std::mem::take(&mut self.held);
        let start = self.start.take();
        let (commit, is_needed, trimmed) = {
            let mut registry = lock(&table.registry);
            let commit = table.clock.load(Ordering::Acquire) + 1;
            table.clock.store(commit, Ordering::Release);
            let trimmed = table.stop_reading(&mut registry, start);
            (commit, registry.horizon(commit) < commit, trimmed)
        };
        table.release(self.holder, &held, is_needed.then_some(commit));
        table.remove_stamps(&trimmed);
        if is_needed {
            table.remember(commit, held);
        }
        commit
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        self.table.release(self.holder, &self.held, None);
        if let Some(start) = self.start.get() {
            let trimmed = self.table.stop_reading(&mut lock(&self.table.registry), Some(start));
            self.table.remove_stamps(&trimmed);
        }
    }
}

/// A thread that panicked while it held a lock left nothing half-done: all changes under these locks are single steps.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The table's keys are hashes already.
#[derive(Default)]
struct HashedAlready(u64);

impl Hasher for HashedAlready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
