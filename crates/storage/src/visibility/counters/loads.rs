//! Records of loads that became visible as tables.
//!
//! A table with a slot's record must lie above all earlier tables of that slot. So each load would
//! leave one more small table in the topmost level of the engine's tree. Concurrent loads leave
//! them faster than the engine merges them, and the tables of later loads pile up on top.
//!
//! Therefore each load has a record of its own under a new key, and its table goes straight to the
//! bottom level. Once a collection has enough of these records, they become part of a slot. The
//! removed records stay in their tables until the engine merges these. So a bound says from which
//! number on records count, and readers begin there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use errors::Result;
use kv::{Durability, Engine, TransactionOptions};

use super::{Counters, HeldRecord, Totals};
use crate::encoding::metadata::{CounterRecord, counter_key, loads_from_key};
use crate::encoding::pack;

/// The number of records from which they become part of a slot. A reader of a collection's count
/// reads all of them, and each is in a table of its own. Making them part of a slot is a small
/// commit, which takes a thousandth of the time of a load.
pub(super) const LOADS_MAX: usize = 4;

/// The stored records of one collection's loads.
#[derive(Default)]
pub(super) struct LoadRecords(Mutex<State>);

#[derive(Default)]
struct State {
    stored: BTreeMap<u64, Totals>,
    /// The numbers of loads whose records may be stored at any time: those in progress, and those
    /// that failed, since the engine may find them stored at its next start.
    open: BTreeSet<u64>,
    /// The maximum number that any load has had.
    last_number: u64,
    /// True while records become part of a slot.
    is_folding: bool,
}

/// Records that become part of a slot.
struct Folded {
    records: BTreeMap<u64, Totals>,
    /// The number from which on records count afterwards.
    loads_from: u64,
}

impl LoadRecords {
    /// Makes all later loads have numbers from `number` on.
    pub(super) fn begin_at(&self, number: u64) {
        let mut state = self.lock();
        state.last_number = state.last_number.max(number.saturating_sub(1));
    }

    /// Adds the record of a load, which is stored.
    pub(super) fn insert(&self, number: u64, totals: Totals) {
        let mut state = self.lock();
        state.stored.insert(number, totals);
        state.open.remove(&number);
        state.last_number = state.last_number.max(number);
    }

    /// Returns a number for a load that begins. `tick` is a number that no load has had before.
    fn open(&self, tick: u64) -> u64 {
        let mut state = self.lock();
        // After a crash of the machine, the last ticks before it may be issued again.
        let number = tick.max(state.last_number.saturating_add(1));
        state.last_number = number;
        state.open.insert(number);
        number
    }

    /// Removes and returns all records if there are enough of them, and nobody else makes records
    /// part of a slot. So the bound of one batch never excludes the records of another.
    fn begin_fold(&self) -> Option<Folded> {
        let mut state = self.lock();
        if state.is_folding || state.stored.len() < LOADS_MAX {
            return None;
        }
        state.is_folding = true;
        let next = state.last_number.saturating_add(1);
        let loads_from = state.open.first().copied().unwrap_or(next);
        Some(Folded { records: std::mem::take(&mut state.stored), loads_from })
    }

    /// Ends what [`LoadRecords::begin_fold`] began, and puts records that were not stored elsewhere
    /// back.
    fn end_fold(&self, mut left: BTreeMap<u64, Totals>) {
        let mut state = self.lock();
        state.stored.append(&mut left);
        state.is_folding = false;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counters {
    /// Reserves a record for a load by tables; the caller writes [`HeldRecord::pair`]. `tick` is a
    /// number that no load has had before.
    pub(in crate::visibility) fn hold_for_load(self: &Arc<Self>, tick: u64, change: Totals) -> HeldRecord {
        let number = self.loads.open(tick);
        HeldRecord { counters: Arc::clone(self), record: CounterRecord::Load(number), change }
    }

    /// Moves the records of loads into a slot if there are enough of them.
    ///
    /// Errors: those of a commit. The totals are right nevertheless.
    pub(in crate::visibility) fn fold_loads(self: &Arc<Self>, engine: &dyn Engine) -> Result<()> {
        let Some(folded) = self.loads.begin_fold() else { return Ok(()) };
        let moved = self.move_to_slot(&folded, engine);
        self.loads.end_fold(if moved.is_ok() { BTreeMap::new() } else { folded.records });
        moved
    }

    fn move_to_slot(self: &Arc<Self>, folded: &Folded, engine: &dyn Engine) -> Result<()> {
        let mut change = Totals::default();
        let mut transaction = engine.begin(TransactionOptions::default())?;
        for (number, totals) in &folded.records {
            change.add(*totals);
            transaction.delete_unguarded(&counter_key(self.object, CounterRecord::Load(*number)))?;
        }
        let loads_from = pack::numbers(&[folded.loads_from]);
        transaction.put_unguarded(&loads_from_key(self.object), &loads_from)?;
        let held = self.hold(change, transaction.as_mut())?;
        match transaction.commit(Durability::Buffered) {
            Ok(()) => {
                held.store();
                Ok(())
            }
            Err(kv::Error::Undetermined { .. }) if held.is_stored(engine)? => {
                held.store();
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}
