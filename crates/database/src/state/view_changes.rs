//! The lock of changes of views.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock that a request holds from reading a view until its change is visible.
#[derive(Debug, Default)]
pub(crate) struct ViewChanges(Mutex<()>);

impl ViewChanges {
    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data of its own.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
