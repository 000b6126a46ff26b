//! The large writes in progress, for callers that do not wait behind them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The size in bytes from which a write is large: it takes a millisecond or more, and all later
/// ones wait.
const LARGE_BYTES: usize = 128 << 10;

/// The number of large writes in progress.
#[derive(Debug, Default)]
pub struct LargeWrites(AtomicUsize);

/// A large write in progress, until it is dropped.
pub struct LargeWrite<'a>(&'a LargeWrites);

impl LargeWrites {
    /// Counts a write until the result is dropped, if its size in bytes makes it a large one.
    pub fn begin(&self, bytes: usize) -> Option<LargeWrite<'_>> {
        (bytes >= LARGE_BYTES).then(|| {
            self.0.fetch_add(1, Ordering::Relaxed);
            LargeWrite(self)
        })
    }

    /// Returns true if a large write is in progress.
    pub fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for LargeWrite<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
