//! How a running query is ended from outside: killed by a client, or out of its time.

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shared between a query and whoever may end it. Clones are handles to the same flag.
///
/// Operators and long loops call [`Interrupt::check`] at least every few thousand rows, so that a query ends within
/// a tenth of a second wherever it is.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    killed: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Interrupt {
    /// Ends only by [`Interrupt::kill`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends by [`Interrupt::kill`], or `max_runtime` from now. A runtime too long to be represented is no limit.
    pub fn with_max_runtime(max_runtime: Duration) -> Self {
        Self { killed: Arc::default(), deadline: Instant::now().checked_add(max_runtime) }
    }

    /// Asks the query to end; takes effect at its next check.
    pub fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
    }

    /// Whether the query was killed or is out of time.
    pub fn is_set(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Error 1500 if the query was killed or is out of time.
    pub fn check(&self) -> Result<()> {
        if self.is_set() { Err(Error::killed()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kill_reaches_every_handle() {
        let interrupt = Interrupt::new();
        let handle = interrupt.clone();
        assert!(interrupt.check().is_ok());
        handle.kill();
        assert_eq!(interrupt.check().unwrap_err().number, 1500);
    }

    #[test]
    fn runs_out_of_time() {
        assert!(Interrupt::with_max_runtime(Duration::ZERO).check().is_err());
        assert!(Interrupt::with_max_runtime(Duration::from_secs(3600)).check().is_ok());
        assert!(Interrupt::with_max_runtime(Duration::MAX).check().is_ok());
    }
}
