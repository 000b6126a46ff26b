//! The flag of a closed store, for all objects that may outlive the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

/// A flag that is set once. Clones share it.
#[derive(Clone, Default)]
pub struct ClosedFlag(Arc<AtomicBool>);

impl ClosedFlag {
    /// Makes [`ClosedFlag::check`] fail from now on.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Checks that the store is open. Errors: [`Error::Closed`] if it was closed.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }
}
