//! The lock of the definitions of graphs.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock that a writer holds while it changes definitions of graphs.
///
/// It is also held to drop or rename collections that graphs may name.
#[derive(Debug, Default)]
pub(crate) struct GraphChanges(Mutex<()>);

impl GraphChanges {
    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data of its own.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
