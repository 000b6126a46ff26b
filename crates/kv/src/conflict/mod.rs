//! The concurrency control of local engines: which transaction may write which key.
//!
//! # The protocol
//! There is one clock, a number that grows by one with every commit. A transaction
//! 1. *starts to read*: it notes the clock as its `start`, then takes the engine's snapshot;
//! 2. *claims* each key before it writes it: the claim fails if another transaction holds the key,
//!    or if a transaction with a commit number greater than `start` has written it;
//! 3. *commits*: it gives its writes to the engine, which makes them visible atomically; then it
//!    advances the clock to its commit number `c`; then it stamps its keys with `c` and releases
//!    them.
//!
//! # Why no update is lost
//! Let T have written key `k` and committed with number `c`, and let U, which started at `s`, claim
//! `k`.
//! - If T holds `k` at that moment, U's claim fails, or waits until T has released `k`. The next
//!   case then decides.
//! - If T has released `k`, the stamp is there, because T sets the stamp and releases the key under
//!   the lock of the key's shard. If `c > s`, the claim fails. If `c <= s`, U read the clock after
//!   T advanced it, and T advanced it after its writes were visible. U took its snapshot after it
//!   read the clock. So U's snapshot has T's writes, and U overwrites nothing that it did not see.
//! - If T claims `k` only after U has claimed it, the same holds with the roles exchanged.
//!
//! A claim may fail even though U's snapshot has T's writes: U may start after T's writes became
//! visible and before T advanced the clock. T had not returned from its commit then, so U cannot
//! know that the claim should have succeeded. A transaction that starts after the commit returned
//! has `s >= c` and never conflicts with it.
//!
//! # Which stamps are remembered
//! A stamp `c` matters only to transactions that started before `c`. When the oldest living
//! transaction started at or after `c`, the stamp is removed. So without old transactions the table
//! holds only the keys of the running transactions. An old transaction lets the table grow up to
//! `remembered_keys_max` stamps; then the oldest stamps are forgotten. Transactions that started
//! before those get [`Claim::Forgotten`] for their later claims: the engine then compares the key's
//! value in the snapshot with the current one.
//!
//! Both a start and a removal of stamps take the registry's lock. So no stamp is removed between
//! the moment a transaction reads the clock and the moment it is listed.
//!
//! # Keys are hashed
//! The table knows keys by a 64-bit hash with a secret seed. Two keys with the same hash count as
//! one: at worst, a transaction conflicts without need and is retried.

use std::cell::Cell;
use std::collections::VecDeque;
use std::collections::hash_map::{Entry as MapEntry, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use owner::{Interrupt, Waiting};

use crate::{Error, Result, WaitPolicy};

mod release;
#[cfg(test)]
mod tests;

/// The number of shards. Locks are held for less than a microsecond; with this many, two cores
/// rarely contend for the same one.
const SHARDS: usize = 64;

/// The number of keys for which an empty shard keeps room.
const SHARD_KEYS_KEPT: usize = 128;

/// The maximum time that a claim waits for a key.
const WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The time between two looks at the interrupt of a transaction that waits.
const CHECK_EVERY: Duration = Duration::from_millis(50);

/// The default of `remembered_keys_max`: about 50 MB of stamps.
pub const REMEMBERED_KEYS_MAX: usize = 1 << 20;

/// The keys that transactions hold or have committed lately.
pub struct ConflictTable {
    /// The number of the last commit. It is written under the registry's lock.
    clock: AtomicU64,
    /// The last commit whose stamps may have been forgotten while older transactions were alive.
    forgotten: AtomicU64,
    last_holder: AtomicU64,
    conflicts: AtomicU64,
    registry: Mutex<Registry>,
    shards: Box<[Shard]>,
    hasher: RandomState,
    remembered_keys_max: usize,
}

/// The living transactions that read, and the stamps that are kept for them.
#[derive(Default)]
struct Registry {
    /// The starts of the living transactions, ascending, with the number of transactions at each.
    readers: VecDeque<(u64, usize)>,
    /// The kept stamps by commit, nearly ascending.
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
    /// The number of transactions that wait for a key of this shard.
    waiting: usize,
}

/// The state of a key.
#[derive(Clone, Copy, Default)]
struct KeyState {
    /// The transaction that holds the key; 0 for none.
    holder: u64,
    /// The number of the last remembered commit that wrote the key; 0 for none.
    commit: u64,
}

/// The kinds of successful claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Claim {
    /// No transaction has written the key since this one started to read.
    Unchanged,
    /// The transaction holds the key, but is so old that the table has forgotten whether the key
    /// was written since.
    ///
    /// The transaction must compare the key's value in its snapshot with the current one, and
    /// report a conflict if they differ. A key that was written and then written back counts as
    /// unwritten: the transaction overwrites the value that it has seen.
    Forgotten,
}

/// One transaction's part in a [`ConflictTable`]. Dropping it without a commit releases all its
/// keys.
pub struct Claims {
    table: Arc<ConflictTable>,
    holder: u64,
    /// The clock when the transaction started to read.
    start: Cell<Option<u64>>,
    held: Vec<u64>,
    /// Ends a wait early.
    interrupt: Option<Interrupt>,
}

impl ConflictTable {
    /// Creates an empty table that remembers about `remembered_keys_max` keys at most for old
    /// transactions.
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
        Claims { table: Arc::clone(self), holder, start: Cell::new(None), held: Vec::new(), interrupt: None }
    }

    /// Returns the number of the last commit. All commits up to it were given to the engine before
    /// this returns.
    pub fn last_commit(&self) -> u64 {
        self.clock.load(Ordering::Acquire)
    }

    /// Returns the number of failed claims since the table was created.
    pub fn conflicts(&self) -> u64 {
        self.conflicts.load(Ordering::Relaxed)
    }

    /// Returns the number of keys that are held or remembered now.
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

    /// Removes a reader from the list. Returns the hashes and commits of stamps that nobody needs
    /// any more.
    fn stop_reading(&self, registry: &mut Registry, start: Option<u64>) -> Vec<(u64, Vec<u64>)> {
        if let Some(start) = start {
            registry.remove_reader(start);
        }
        let horizon = registry.horizon(self.clock.load(Ordering::Acquire));
        let mut trimmed = registry.take_remembered_until(horizon);
        while registry.remembered_keys > self.remembered_keys_max {
            let Some((commit, hashes)) = registry.pop_remembered() else { break };
            // Store this before the stamp is removed: a claim that finds no stamp under the shard's
            // lock then finds this.
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
                    continue; // A later commit wrote the key; it removes its own stamp.
                }
                state.get_mut().commit = 0;
                if state.get().holder == 0 {
                    state.remove();
                    keys.shrink();
                }
            }
        }
    }

    /// Lists stamps for removal once nobody needs them any more.
    ///
    /// The stamps must be set before they are listed. Otherwise another thread could remove them
    /// from the list and find nothing to remove in the shards.
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
    /// Frees memory after many keys were removed, so rarely that its cost does not matter.
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
            // This is cheap: it is nearly always the first reader or one of the last.
            self.readers.remove(at);
        }
    }

    /// Returns the start of the oldest living transaction, or `now` if there is none. Stamps up to
    /// it are not needed.
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
    /// Ends later waits early when this interrupt is set.
    pub fn set_interrupt(&mut self, interrupt: Option<Interrupt>) {
        self.interrupt = interrupt;
    }

    /// Starts to read, unless the transaction has already done so. The engine's snapshot must be
    /// taken *after* this.
    pub fn start_reading(&self) {
        if self.start.get().is_none() {
            self.start.set(Some(self.table.start_reading()));
        }
    }

    /// Returns the number of keys that the transaction holds.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Estimates the bytes of memory that the held keys take, here and in the table.
    pub fn memory_bytes(&self) -> usize {
        self.held.capacity() * size_of::<u64>() + self.held.len() * 2 * size_of::<(u64, KeyState)>()
    }

    /// Returns true if the transaction holds no key.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Claims `key`. While another transaction holds it, waits as long as `wait` says, and at most
    /// until the interrupt is set.
    ///
    /// Errors: [`Error::Conflict`] if the other transaction still holds the key after that, or if
    /// the key was committed since this transaction started to read. A cycle of waiting
    /// transactions ends with the first timeout. [`Error::Interrupted`].
    pub fn claim(&mut self, key: &[u8], wait: WaitPolicy) -> Result<Claim> {
        let table = &*self.table;
        let hash = table.hasher.hash_one(key);
        let shard = table.shard(hash);
        let mut keys = lock(&shard.keys);
        let mut deadline = None;
        let mut waiting = None;
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
            if self.interrupt.as_ref().is_some_and(Interrupt::is_set) {
                return Err(Error::Interrupted);
            }
            waiting.get_or_insert_with(Waiting::begin);
            keys.waiting += 1;
            let longest = (deadline - now).min(CHECK_EVERY);
            let (guard, _) =
                shard.released.wait_timeout(keys, longest).unwrap_or_else(PoisonError::into_inner);
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
            // Check this even if the transaction holds the hash: it may hold it for another key.
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

    /// Counts and returns the conflict that followed a [`Claim::Forgotten`]. The key stays held
    /// until the end.
    pub fn conflict(&self) -> Error {
        self.table.conflict()
    }

    /// Advances the clock after the engine made the writes visible, stamps the keys and releases
    /// them.
    ///
    /// Returns the commit's number.
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

/// Locks a mutex. A thread that panicked under one of these locks left nothing half-done, because
/// every change under them is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A hasher for keys that are hashes already.
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
