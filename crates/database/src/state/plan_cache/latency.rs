//! The latency of a plan, and the estimate for its next run.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The expected time of a query, or of delivering a cached result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Estimate {
    /// It takes microseconds for any data.
    Constant,
    /// Recent runs took this long.
    Latency(Duration),
    /// The time is unknown, or the query may wait.
    Unknown,
}

/// The latency of a plan's runs, for any values of its parameters.
#[derive(Debug)]
pub struct Latency {
    /// The last run in microseconds, or half of the value before if that is longer. After a slow
    /// run it takes some fast ones until the plan is expected to be fast again. `UNKNOWN` before
    /// the first run.
    recent_us: AtomicU32,
}

const UNKNOWN: u32 = u32::MAX;

impl Default for Latency {
    fn default() -> Self {
        Latency { recent_us: AtomicU32::new(UNKNOWN) }
    }
}

impl Latency {
    /// Records a run.
    pub(crate) fn note(&self, time: Duration) {
        let time_us = u32::try_from(time.as_micros()).unwrap_or(UNKNOWN - 1);
        let before = match self.recent_us.load(Ordering::Relaxed) {
            UNKNOWN => 0,
            before => before / 2,
        };
        // Concurrent runs may lose one of two updates. This does no harm.
        self.recent_us.store(time_us.max(before), Ordering::Relaxed);
    }

    /// Returns the estimate for the next run.
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
    fn a_plan_is_expected_to_be_fast_after_fast_runs_and_not_right_after_a_slow_one() {
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
