//! Times of many requests as their median, 99th percentile and maximum.

use std::time::{Duration, Instant};

use crate::Failure;

/// Times in milliseconds; zero without any.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quantiles {
    pub(crate) median: f64,
    pub(crate) p99: f64,
    pub(crate) most: f64,
}

impl Quantiles {
    /// Returns the quantiles of these times.
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let last = times.len().saturating_sub(1);
            let position = ((times.len() as f64 * share) as usize).min(last);
            times.get(position).map_or(0.0, Duration::as_secs_f64) * 1e3
        };
        Quantiles { median: at(0.5), p99: at(0.99), most: at(1.0) }
    }

    /// Calls a function some times and returns the quantiles of its times.
    pub(crate) fn measure(
        times: u64,
        mut work: impl FnMut(u64) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut taken = Vec::new();
        for number in 0..times {
            let begin = Instant::now();
            work(number)?;
            taken.push(begin.elapsed());
        }
        Ok(Quantiles::of(taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_sorted_times() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let quantiles = Quantiles::of(times);
        assert_eq!((quantiles.median, quantiles.p99, quantiles.most), (101.0, 199.0, 200.0));
        assert_eq!(Quantiles::of(Vec::new()).most, 0.0);
    }
}
