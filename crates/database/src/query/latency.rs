//! How long a plan takes: what is expected of its next run.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What is expected of a query, or of a result that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Estimate {
    /// It takes microseconds, whatever the data is.
    Constant,
    /// It took so long lately.
    Latency(Duration),
    /// Nobody knows, or it may wait.
    Unknown,
}

/// The latency of a plan's runs, whatever the values of its parameters are.
#[derive(Debug)]
pub struct Latency {
    /// The last run, or half of what was here before it if that is longer: after a slow run it takes some fast ones
    /// until the plan is expected to be fast again. All ones as long as there was none.
    recent_us: AtomicU32,
}

const UNKNOWN: u32 = u32::MAX;

impl Default for Latency {
    fn default() -> Self {
        Latency { recent_us: AtomicU32::new(UNKNOWN) }
    }
}

impl Latency {
    /// Takes note of a run.
    pub(crate) fn note(&self, time: Duration) {
        let time_us = u32::try_from(time.as_micros()).unwrap_or(UNKNOWN - 1);
        let before = match self.recent_us.load(Ordering::Relaxed) {
            UNKNOWN => 0,
            before => before / 2,
        };
        // Two runs that end at once may forget one of them: no harm.
        self.recent_us.store(time_us.max(before), Ordering::Relaxed);
    }

    /// What is expected of the next run.
    pub(crate) fn estimate(&self) -> Estimate {
        match self.recent_us.load(Ordering::Relaxed) {
            UNKNOWN => Estimate::Unknown,
            recent_us => Estimate::Latency(Duration::from_micros(recent_us.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_expected_to_be_fast_after_fast_runs_and_not_at_once_after_a_slow_one() {
        let latency = Latency::default();
        let note = |time_us| {
            latency.note(Duration::from_micros(time_us));
            match latency.estimate() {
                Estimate::Latency(latency) => latency.as_micros(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(latency.estimate(), Estimate::Unknown);
        assert_eq!(note(100), 100);
        assert_eq!(note(5_000), 5_000);
        assert_eq!([note(100), note(100), note(100)], [2_500, 1_250, 625]);
        assert_eq!(note(u64::MAX), u128::from(u32::MAX - 1));
        assert_eq!(note(1_000), u128::from(u32::MAX - 1) / 2);
    }
}
