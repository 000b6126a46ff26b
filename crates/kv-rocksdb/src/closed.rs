//! Whether a store was closed, for everything that may outlive it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kv::{Error, Result};

/// Set once. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct ClosedFlag(Arc<AtomicBool>);

impl ClosedFlag {
    /// From now on [`ClosedFlag::check`] fails.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Errors: [`Error::Closed`] if the store was closed.
    pub(crate) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }
}
