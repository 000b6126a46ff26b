//! The outcomes of transactions whose locks were met.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// The number of outcomes that are remembered.
const REMEMBERED_MAX: usize = 4096;

/// The state of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It has committed with this timestamp.
    Committed(u64),
    /// It has been rolled back.
    RolledBack,
    /// It lives. `is_passable` says that it will commit after the reader's timestamp.
    Alive {
        /// Its commit will be after the reader's timestamp.
        is_passable: bool,
    },
}

/// The outcomes of transactions that have ended, by their start timestamps.
#[derive(Default)]
pub(crate) struct Outcomes(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    outcomes: HashMap<u64, Outcome>,
    order: VecDeque<u64>,
}

impl Outcomes {
    /// Returns the outcome of the transaction with a start timestamp.
    pub(crate) fn get(&self, start: u64) -> Option<Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).outcomes.get(&start).copied()
    }

    /// Remembers an outcome.
    pub(crate) fn remember(&self, start: u64, outcome: Outcome) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.outcomes.insert(start, outcome).is_none() {
            remembered.order.push_back(start);
        }
        if remembered.order.len() > REMEMBERED_MAX
            && let Some(oldest) = remembered.order.pop_front()
        {
            remembered.outcomes.remove(&oldest);
        }
    }
}
