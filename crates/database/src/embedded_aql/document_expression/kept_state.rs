//! The state that evaluations keep for the next ones.

use std::sync::{Mutex, TryLockError};

use aql_value::EvaluationState;

/// Compiled regular expressions and the random generator, kept from one evaluation to the next.
pub(crate) struct KeptState(Mutex<EvaluationState>);

impl KeptState {
    /// Returns a state without anything.
    pub(crate) fn new() -> Self {
        KeptState(Mutex::new(EvaluationState::new()))
    }

    /// Runs `work` with the state, or with a new one while another evaluation has it: nobody waits
    /// for the expressions of somebody else, which may take long.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut EvaluationState) -> T) -> T {
        let mut kept = match self.0.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let mut own = EvaluationState::new();
        let state = kept.as_deref_mut().unwrap_or(&mut own);
        state.restart_clock();
        work(state)
    }
}
