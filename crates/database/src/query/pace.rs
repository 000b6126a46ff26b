//! How long the runs of a plan took lately.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Shared by all runs of a plan, whatever the values of its parameters are.
#[derive(Debug)]
pub struct Pace {
    /// The last run, or half of what was here before it if that is longer: after a slow run it takes some quick ones
    /// until the plan counts as quick again. All ones as long as there was none.
    lately_us: AtomicU32,
}

/// Runs that take less than this are over before another thread has begun with them on a busy machine.
const QUICK_US: u32 = 1_000;

const UNKNOWN: u32 = u32::MAX;

impl Default for Pace {
    fn default() -> Self {
        Pace { lately_us: AtomicU32::new(UNKNOWN) }
    }
}

impl Pace {
    /// Takes note of a run.
    pub(crate) fn note(&self, time: Duration) {
        let time_us = u32::try_from(time.as_micros()).unwrap_or(UNKNOWN - 1);
        let before = match self.lately_us.load(Ordering::Relaxed) {
            UNKNOWN => 0,
            before => before / 2,
        };
        // Two runs that end at once may forget one of them: no harm.
        self.lately_us.store(time_us.max(before), Ordering::Relaxed);
    }

    /// Whether the plan's runs were quick lately.
    pub(crate) fn is_quick(&self) -> bool {
        self.lately_us.load(Ordering::Relaxed) < QUICK_US
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_quick_after_quick_runs_and_not_at_once_after_a_slow_one() {
        let pace = Pace::default();
        let note = |time_us| {
            pace.note(Duration::from_micros(time_us));
            pace.is_quick()
        };
        assert!(!pace.is_quick());
        assert!(note(100));
        assert!(!note(5_000));
        assert_eq!([note(100), note(100), note(100)], [false, false, true]);
        assert!(!note(u64::MAX));
        assert!(!note(1_000));
    }
}
