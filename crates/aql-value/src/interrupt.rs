//! How a running query is ended from outside: killed by a client, or out of its time.

use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Shared between a query and whoever may end it. Clones are handles to the same flag.
///
/// Operators and long loops call [`Interrupt::check`] at least every few thousand rows, so that a query ends within
/// a tenth of a second wherever it is.
///
/// A *moment* ends a query that must not go on where it is, rather than for good: whoever began it tries again
/// elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
    deadline: Option<Instant>,
    /// What the query is a part of.
    whole: Option<Arc<Shared>>,
}

#[derive(Debug)]
struct Shared {
    killed: AtomicBool,
    created: Instant,
    /// When the moment is over, in microseconds after `created`.
    moment_end_us: AtomicU64,
    /// Somebody met the end of the moment.
    moment_missed: AtomicBool,
}

/// No moment.
const NEVER: u64 = u64::MAX;

impl Default for Shared {
    fn default() -> Self {
        Self {
            killed: AtomicBool::new(false),
            created: Instant::now(),
            moment_end_us: AtomicU64::new(NEVER),
            moment_missed: AtomicBool::new(false),
        }
    }
}

impl Interrupt {
    /// Ends only by [`Interrupt::kill`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends by [`Interrupt::kill`], or `max_runtime` from now. A runtime too long to be represented is no limit.
    pub fn with_max_runtime(max_runtime: Duration) -> Self {
        let shared = Arc::<Shared>::default();
        let deadline = shared.created.checked_add(max_runtime);
        Self { shared, deadline, whole: None }
    }

    /// The same, ended also by what ends `whole`.
    pub fn part_of(self, whole: &Interrupt) -> Self {
        Self { whole: Some(Arc::clone(&whole.shared)), ..self }
    }

    /// From `length` from now on checks fail, until [`Interrupt::end_moment`].
    pub fn begin_moment(&self, length: Duration) {
        let end = self.shared.created.elapsed().saturating_add(length);
        let end_us = u64::try_from(end.as_micros()).unwrap_or(NEVER);
        self.shared.moment_missed.store(false, Ordering::Relaxed);
        self.shared.moment_end_us.store(end_us, Ordering::Relaxed);
    }

    /// Checks do not fail for the moment any more. Whether one has: what was done meanwhile may be incomplete.
    pub fn end_moment(&self) -> bool {
        self.shared.moment_end_us.store(NEVER, Ordering::Relaxed);
        self.missed_its_moment()
    }

    /// Whether a check failed for the last moment: whoever began it does everything again elsewhere.
    pub fn missed_its_moment(&self) -> bool {
        self.shared.moment_missed.load(Ordering::Relaxed)
    }

    fn moment_is_over(&self) -> bool {
        let end_us = self.shared.moment_end_us.load(Ordering::Relaxed);
        let is_over = end_us != NEVER && self.shared.created.elapsed() >= Duration::from_micros(end_us);
        if is_over {
            self.shared.moment_missed.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Asks the query to end; takes effect at its next check.
    pub fn kill(&self) {
        self.shared.killed.store(true, Ordering::Relaxed);
    }

    /// Whether the query or what it is a part of was killed, or is out of its time or of its moment.
    pub fn is_set(&self) -> bool {
        self.shared.killed.load(Ordering::Relaxed)
            || self.whole.as_ref().is_some_and(|whole| whole.killed.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.moment_is_over()
    }

    /// Error 1500 if the query was killed, or is out of its time or of its moment.
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
        assert_eq!(interrupt.check().unwrap_err().number(), 1500);
    }

    #[test]
    fn a_part_ends_with_the_whole() {
        let whole = Interrupt::new();
        let (part, other) = (Interrupt::new().part_of(&whole), Interrupt::new().part_of(&whole));
        part.kill();
        assert!(part.is_set() && !whole.is_set() && !other.is_set());
        whole.kill();
        assert!(other.is_set());
    }

    #[test]
    fn a_moment_passes() {
        let interrupt = Interrupt::new();
        interrupt.begin_moment(Duration::from_secs(3600));
        assert!(interrupt.check().is_ok() && !interrupt.end_moment());
        interrupt.begin_moment(Duration::ZERO);
        assert!(interrupt.check().is_err());
        assert!(interrupt.end_moment() && interrupt.missed_its_moment());
        assert!(interrupt.check().is_ok());
        // Nobody has noticed.
        interrupt.begin_moment(Duration::ZERO);
        assert!(!interrupt.end_moment());
        // A query that is killed stays killed.
        interrupt.begin_moment(Duration::from_secs(3600));
        interrupt.kill();
        assert!(interrupt.check().is_err() && !interrupt.end_moment() && interrupt.check().is_err());
    }

    #[test]
    fn runs_out_of_time() {
        assert!(Interrupt::with_max_runtime(Duration::ZERO).check().is_err());
        assert!(Interrupt::with_max_runtime(Duration::from_secs(3600)).check().is_ok());
        assert!(Interrupt::with_max_runtime(Duration::MAX).check().is_ok());
    }
}
