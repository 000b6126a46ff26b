//! Records of loads that became visible as tables.
//!
//! A table with a slot's record must lie above all earlier tables of that slot. So each load would
//! leave one more small table in the topmost level of the engine's tree. Concurrent loads leave
//! them faster than the engine merges them, and the tables of later loads pile up on top.
//!
//! Therefore each load has a record of its own under a new key, and its table goes straight to the
//! bottom level. Once a collection has enough of these records, they become part of a slot.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use errors::Result;
use kv::{Durability, Engine, TransactionOptions};

use super::{Counters, HeldRecord, Totals};
use crate::encoding::metadata::{CounterRecord, counter_key};

/// The number of records from which they become part of a slot: a reader of a collection's count
/// reads all of them.
pub(super) const LOADS_MAX: usize = 16;

/// The stored records of one collection's loads.
#[derive(Default)]
pub(super) struct LoadRecords(Mutex<State>);

#[derive(Default)]
struct State {
    stored: BTreeMap<u64, Totals>,
    /// The maximum number that any load has had.
    last_number: u64,
}

impl LoadRecords {
    /// Adds the record of a load, which is stored.
    pub(super) fn insert(&self, number: u64, totals: Totals) {
        let mut state = self.lock();
        state.stored.insert(number, totals);
        state.last_number = state.last_number.max(number);
    }

    /// Removes and returns all records if there are enough of them.
    fn take_many(&self) -> Option<BTreeMap<u64, Totals>> {
        let mut state = self.lock();
        (state.stored.len() >= LOADS_MAX).then(|| std::mem::take(&mut state.stored))
    }

    /// Puts removed records back.
    fn put_back(&self, mut records: BTreeMap<u64, Totals>) {
        self.lock().stored.append(&mut records);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counters {
    /// Reserves a record for a load by tables; the caller writes [`HeldRecord::pair`]. `tick` is a
    /// number that no load has had before.
    pub(in crate::visibility) fn hold_for_load(self: &Arc<Self>, tick: u64, change: Totals) -> HeldRecord {
        let mut state = self.loads.lock();
        // After a crash of the machine, the last ticks before it may be issued again.
        let number = tick.max(state.last_number.saturating_add(1));
        state.last_number = number;
        HeldRecord { counters: Arc::clone(self), record: CounterRecord::Load(number), change }
    }

    /// Moves the records of loads into a slot if there are enough of them.
    ///
    /// Errors: those of a commit. The totals are right nevertheless.
    pub(in crate::visibility) fn fold_loads(self: &Arc<Self>, engine: &dyn Engine) -> Result<()> {
        let Some(records) = self.loads.take_many() else { return Ok(()) };
        match self.move_to_slot(&records, engine) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.loads.put_back(records);
                Err(error)
            }
        }
    }

    fn move_to_slot(self: &Arc<Self>, records: &BTreeMap<u64, Totals>, engine: &dyn Engine) -> Result<()> {
        let mut change = Totals::default();
        let mut transaction = engine.begin(TransactionOptions::default())?;
        for (number, totals) in records {
            change.add(*totals);
            transaction.delete_unguarded(&counter_key(self.object, CounterRecord::Load(*number)))?;
        }
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
