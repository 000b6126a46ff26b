//! The lock of the definitions of graphs.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A writer holds it while it changes definitions of graphs, or drops or renames collections that they may name.
#[derive(Debug, Default)]
pub(crate) struct GraphChanges(Mutex<()>);

impl GraphChanges {
    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data of its own.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
