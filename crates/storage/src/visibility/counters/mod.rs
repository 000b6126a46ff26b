//! The counters of a collection: its documents, its last revision, the last value of its key
//! generator.
//!
//! The count must be exact, even in a snapshot and after `kill -9`, and must not serialize writers.
//! So it is spread over slots, each with its own record in the engine. A commit holds one free
//! slot, and writes the slot's new values in the same atomic batch as the documents. The sum of a
//! snapshot's slots is the snapshot's count.
//!
//! Commits take the lowest free slot. So a collection has as many records as its maximum number of
//! concurrent commits so far. Loads by tables have records of their own ([`loads`]), which count in
//! the same sum.
//!
//! Servers that share a store have records of their own, so that each record has one writer. The
//! sum in memory lacks what others have committed since the last read.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use catalog::ObjectId;
use errors::Result;
use kv::{Engine, MemberNumber, Snapshot, WriteTransaction};

use crate::Revision;
use crate::encoding::metadata::{CounterRecord, counter_key};
use crate::encoding::pack;
use crate::sharing::{Coordination, Members};

mod loads;
mod records;
#[cfg(test)]
mod tests;

use loads::LoadRecords;

pub(crate) use records::{Records, commits_of_all, read, read_many};

/// Maximum number of concurrent commits to one collection; others wait. Also the number of bits in
/// the mask of free slots.
const SLOTS: usize = 64;
/// The greatest age of a sum that is used for estimates, where several servers write.
const ABOUT: Duration = Duration::from_secs(10);

/// The values of one record, or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Number of documents; in a record, the net change by its commits.
    pub(crate) count: i64,
    /// The greatest revision.
    pub(crate) revision: Revision,
    /// The greatest value of the key generator.
    pub(crate) key_value: u64,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.count = self.count.saturating_add(other.count);
        self.revision = self.revision.max(other.revision);
        self.key_value = self.key_value.max(other.key_value);
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        pack::numbers(&[self.count.cast_unsigned(), self.revision.0, self.key_value])
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let [count, revision, key_value] = pack::read_numbers::<3>(bytes, "counter")?;
        Ok(Totals { count: count.cast_signed(), revision: Revision(revision), key_value })
    }

    /// Returns the number of documents, at least 0.
    pub(crate) fn documents(&self) -> u64 {
        u64::try_from(self.count).unwrap_or(0)
    }
}

/// The counters of one collection in memory.
pub(crate) struct Counters {
    object: ObjectId,
    /// The free slots, one bit for each; commits hold the others.
    free: Mutex<u64>,
    freed: Condvar,
    /// The values of each slot's record. Only the commit that holds a slot writes to it.
    slots: [Slot; SLOTS],
    loads: LoadRecords,
    /// The sum of all records.
    count: AtomicI64,
    revision: AtomicU64,
    /// Commits that have begun, and those that have ended: see [`Counters::commits`].
    begun: AtomicU64,
    over: AtomicU64,
    shared: Option<SharedCounters>,
}

/// The part of the counters of a collection that several servers share.
struct SharedCounters {
    members: Arc<Members>,
    member: MemberNumber,
    /// The moment of the last look at the sum in the store.
    read: Mutex<Instant>,
}

#[derive(Debug, Default)]
struct Slot {
    count: AtomicI64,
    revision: AtomicU64,
    key_value: AtomicU64,
}

impl Slot {
    fn load(&self) -> Totals {
        Totals {
            count: self.count.load(Ordering::Relaxed),
            revision: Revision(self.revision.load(Ordering::Relaxed)),
            key_value: self.key_value.load(Ordering::Relaxed),
        }
    }

    fn store(&self, totals: Totals) {
        self.count.store(totals.count, Ordering::Relaxed);
        self.revision.store(totals.revision.0, Ordering::Relaxed);
        self.key_value.store(totals.key_value, Ordering::Relaxed);
    }
}

impl Counters {
    /// Makes the counters of a new, empty object.
    pub(crate) fn empty(object: ObjectId) -> Self {
        Counters {
            object,
            free: Mutex::new(u64::MAX),
            freed: Condvar::new(),
            slots: std::array::from_fn(|_| Slot::default()),
            loads: LoadRecords::default(),
            count: AtomicI64::new(0),
            revision: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            over: AtomicU64::new(0),
            shared: None,
        }
    }

    /// Makes the counters, which nobody uses yet, those of a collection that several servers share,
    /// if there are some.
    pub(crate) fn shared_by(self, coordination: &Coordination) -> Self {
        let shared = coordination.members().map(|members| SharedCounters {
            members: Arc::clone(members),
            member: members.own().number,
            read: Mutex::new(Instant::now()),
        });
        Counters { shared, ..self }
    }

    /// Makes the counters of a new object whose first slot was written with these totals.
    pub(crate) fn starting_with(object: ObjectId, totals: Totals, coordination: &Coordination) -> Self {
        let counters = Counters::empty(object).shared_by(coordination);
        counters.note(CounterRecord::Slot(0), totals);
        counters.count(totals);
        counters
    }

    /// Reads the counters from a snapshot, and returns the totals with them.
    pub(crate) fn open(
        snapshot: &dyn Snapshot,
        object: ObjectId,
        coordination: &Coordination,
    ) -> Result<(Self, Totals)> {
        Ok(Self::of_records(Records::read(snapshot, object)?, object, coordination))
    }

    /// Makes the counters of an object that has these records, and returns the totals with them.
    pub(crate) fn of_records(
        records: Records,
        object: ObjectId,
        coordination: &Coordination,
    ) -> (Self, Totals) {
        let counters = Counters::empty(object).shared_by(coordination);
        let mut totals = Totals::default();
        let Records { records, loads_from } = records;
        counters.loads.begin_at(loads_from);
        for (record, values) in records {
            counters.note(record, values);
            totals.add(values);
        }
        counters.count(totals);
        (counters, totals)
    }

    /// Stores the values of a record in memory.
    fn note(&self, record: CounterRecord, values: Totals) {
        if let Some(slot) = self.slot_of(record) {
            slot.store(values);
        } else if let (CounterRecord::Load(number), None) = (record, &self.shared) {
            self.loads.insert(number, values);
        }
    }

    /// Returns the slot whose record this server writes; `None` for records of others.
    fn slot_of(&self, record: CounterRecord) -> Option<&Slot> {
        match (record, self.shared.as_ref().map(|shared| shared.member)) {
            (CounterRecord::Slot(number), None) => self.slot(number),
            (CounterRecord::Member(member, number), Some(own)) if member == own => self.slot(number),
            _ => None,
        }
    }

    /// Reads the sum in the store if other servers also write. Without an answer of the store,
    /// `None`, and the sum in memory stays as it is.
    fn refresh(&self) -> Option<Totals> {
        let shared = self.shared.as_ref()?;
        let snapshot = shared.members.engine().snapshot().ok()?;
        let totals = read(snapshot.as_ref(), self.object).ok()?;
        self.count.store(totals.count, Ordering::Relaxed);
        self.revision.fetch_max(totals.revision.0, Ordering::Relaxed);
        *shared.read.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(totals)
    }

    /// Returns the number of documents about now, for estimates.
    pub(crate) fn documents_about(&self) -> u64 {
        if let Some(shared) = &self.shared {
            let mut read = shared.read.lock().unwrap_or_else(PoisonError::into_inner);
            if read.elapsed() >= ABOUT {
                // Others use the old sum until then.
                *read = Instant::now();
                drop(read);
                return self.documents();
            }
        }
        self.documents_in_memory()
    }

    fn documents_in_memory(&self) -> u64 {
        u64::try_from(self.count.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Adds a change to the sum of all records.
    fn count(&self, change: Totals) {
        self.count.fetch_add(change.count, Ordering::Relaxed);
        self.revision.fetch_max(change.revision.0, Ordering::Relaxed);
    }

    /// Returns the number of documents that are committed now.
    pub(crate) fn documents(&self) -> u64 {
        self.refresh().map_or_else(|| self.documents_in_memory(), |totals| totals.documents())
    }

    /// Returns the greatest revision that is committed now.
    pub(crate) fn revision(&self) -> Revision {
        let _ = self.refresh();
        Revision(self.revision.load(Ordering::Relaxed))
    }

    /// Returns how many commits have written to the object since the store opened; `None` while one
    /// is in progress, or if other servers also commit.
    ///
    /// A caller asks this first and then takes a snapshot. As long as this returns the same number,
    /// every reader reads the data of that snapshot.
    pub(crate) fn commits(&self) -> Option<u64> {
        if self.shared.is_some() {
            return None;
        }
        // The order matters: `over` is never ahead of `begun`, so equal numbers mean that no commit
        // was in progress in between.
        let over = self.over.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == over).then_some(over)
    }

    /// Registers a commit that may change the object.
    pub(in crate::visibility) fn begin_commit(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends a commit whose outcome is visible to new snapshots. Not to be called if the outcome is
    /// not known, because the commit may then become visible at any time.
    pub(in crate::visibility) fn end_commit(&self) {
        let over = self.over.fetch_add(1, Ordering::SeqCst);
        debug_assert!(over < self.begun.load(Ordering::SeqCst), "a commit ends that was not announced");
    }

    /// Takes a free slot and writes its new values into the transaction.
    ///
    /// The commit holds the slot until it calls [`HeldRecord::committed`], or drops the record
    /// because nothing was committed.
    pub(in crate::visibility) fn hold(
        self: &Arc<Self>,
        change: Totals,
        transaction: &mut dyn WriteTransaction,
    ) -> Result<HeldRecord> {
        let held = self.hold_for(change);
        let (key, value) = held.pair();
        // The slot belongs to this commit alone, so the write needs no lock and no conflict check.
        transaction.put_unguarded(&key, &value)?;
        Ok(held)
    }

    /// As [`Counters::hold`], but the caller writes [`HeldRecord::pair`].
    pub(in crate::visibility) fn hold_for(self: &Arc<Self>, change: Totals) -> HeldRecord {
        let slot = self.take();
        let member = self.shared.as_ref().map(|shared| shared.member);
        let record = member.map_or(CounterRecord::Slot(slot), |member| CounterRecord::Member(member, slot));
        HeldRecord { record, counters: Arc::clone(self), change }
    }

    /// Returns a slot by its number; `None` from [`SLOTS`] on, which no commit holds.
    fn slot(&self, number: u8) -> Option<&Slot> {
        self.slots.get(usize::from(number))
    }

    /// Takes the lowest free slot. Waits for one if all are held.
    fn take(&self) -> u8 {
        let mut free = self.lock();
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        let number = free.trailing_zeros();
        *free &= !(1 << number);
        // The number is at most 63.
        number as u8
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot during a commit, or the record of a load until the load is visible.
pub(in crate::visibility) struct HeldRecord {
    counters: Arc<Counters>,
    record: CounterRecord,
    change: Totals,
}

impl HeldRecord {
    /// Returns the record with its new values.
    pub(in crate::visibility) fn pair(&self) -> (Vec<u8>, Vec<u8>) {
        (self.key(), self.values().to_bytes())
    }

    /// Counts the change, which was committed.
    pub(in crate::visibility) fn committed(self) {
        self.counters.count(self.change);
        self.store();
    }

    /// Counts the change if the engine holds it, for a commit with an unknown outcome.
    pub(in crate::visibility) fn reread(self, engine: &dyn Engine) -> Result<()> {
        if self.is_stored(engine)? {
            self.committed();
        }
        Ok(())
    }

    /// Returns true if the engine holds the record with its new values.
    fn is_stored(&self, engine: &dyn Engine) -> Result<bool> {
        let snapshot = engine.snapshot()?;
        let (key, value) = self.pair();
        Ok(snapshot.get_many(&[&key])?.iter().next().flatten() == Some(value.as_slice()))
    }

    /// Stores the record's new values in memory; the sum includes them already.
    fn store(self) {
        self.counters.note(self.record, self.values());
    }

    fn key(&self) -> Vec<u8> {
        counter_key(self.counters.object, self.record)
    }

    fn values(&self) -> Totals {
        let before = self.counters.slot_of(self.record).map(Slot::load).unwrap_or_default();
        let mut values = before;
        values.add(self.change);
        if self.counters.shared.is_some() && values.revision == before.revision {
            // Other servers see by the revision that there was a commit, also where documents have
            // kept their old ones: see `commits_of_all`.
            values.revision = Revision(before.revision.0.saturating_add(1));
        }
        values
    }
}

impl Drop for HeldRecord {
    fn drop(&mut self) {
        let (CounterRecord::Slot(number) | CounterRecord::Member(_, number)) = self.record else { return };
        let mut free = self.counters.lock();
        debug_assert!(*free & (1 << number) == 0, "two commits hold counter slot {number}");
        *free |= 1 << number;
        drop(free);
        self.counters.freed.notify_one();
    }
}
