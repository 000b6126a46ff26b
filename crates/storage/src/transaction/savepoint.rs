//! Savepoints: states of a transaction to which it can return.

use super::{Joined, Transaction};
use crate::change_log::RecorderSavepoint;
use crate::visibility::counters::Totals;
use crate::visibility::estimate::{EstimateChange, EstimatePosition};
use crate::visibility::read_cache::Removes;

/// A state of a transaction to which [`Transaction::rollback_to`] returns.
///
/// It is valid until an intermediate commit, or until the transaction returns to an earlier one.
#[derive(Debug)]
pub struct Savepoint {
    engine: kv::Savepoint,
    recorded: RecorderSavepoint,
    /// The changes of the collections that were joined so far, in order.
    joined: Vec<JoinedState>,
}

#[derive(Debug)]
struct JoinedState {
    change: Totals,
    estimates: Vec<EstimatePosition>,
    is_written: bool,
    removes: Removes,
}

impl Transaction {
    /// Sets a savepoint after the writes so far. It takes memory for each joined collection.
    pub fn savepoint(&mut self) -> Savepoint {
        let joined = self.joined.iter().map(Joined::state).collect();
        let recorded = self.recorder.savepoint();
        Savepoint { engine: self.engine.savepoint(), recorded, joined }
    }

    /// Undoes all writes since the savepoint. Locks that were taken since then stay until the end.
    pub fn rollback_to(&mut self, savepoint: &Savepoint) {
        self.engine.rollback_to(savepoint.engine);
        self.recorder.rollback_to(savepoint.recorded);
        let mut states = savepoint.joined.iter();
        for joined in &mut self.joined {
            match states.next() {
                Some(state) => joined.return_to(state),
                // It joined after the savepoint.
                None => joined.begin_anew(),
            }
        }
    }
}

impl Joined {
    fn state(&self) -> JoinedState {
        JoinedState {
            change: self.change,
            estimates: self.estimates.iter().map(EstimateChange::position).collect(),
            is_written: self.is_written,
            removes: self.removes,
        }
    }

    fn return_to(&mut self, state: &JoinedState) {
        self.change = state.change;
        self.is_written = state.is_written;
        self.removes = state.removes;
        for (estimate, position) in self.estimates.iter_mut().zip(&state.estimates) {
            estimate.return_to(*position);
        }
    }
}
