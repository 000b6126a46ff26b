//! The distribution of times: a histogram of fixed size, whose intervals grow with the time.
//!
//! Up to 255 ns an interval is 1 ns. Above, each power of two is divided into 128, so that the
//! relative error of a time is at most 0.8 %.

use std::time::Duration;

/// The binary logarithm of the intervals in a power of two.
const BITS: u32 = 7;
const INTERVALS: usize = ((64 - BITS as usize) << BITS) + (1 << BITS);

/// The counts of measured times.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Histogram { counts: vec![0; INTERVALS], count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }

    pub(super) fn record(&mut self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        if let Some(count) = self.counts.get_mut(index(ns)) {
            *count += 1;
        }
        self.count += 1;
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    pub(super) fn merge(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Returns the number of measured times.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of all times, in seconds.
    pub(super) fn sum(&self) -> f64 {
        self.sum_ns as f64 / 1e9
    }

    /// Returns the mean time in seconds; 0 without times.
    pub(super) fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum() / self.count as f64 }
    }

    /// Returns the shortest time in seconds; 0 without times.
    pub(super) fn min(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.min_ns as f64 / 1e9 }
    }

    /// Returns the longest time in seconds; 0 without times.
    pub(super) fn max(&self) -> f64 {
        self.max_ns as f64 / 1e9
    }

    /// Returns the smallest time in seconds that this many percent of the times do not exceed.
    ///
    /// The result is 0 without times.
    pub(super) fn percentile(&self, percent: f64) -> f64 {
        let rank = ((percent / 100.0 * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return last_of(index).clamp(self.min_ns, self.max_ns) as f64 / 1e9;
            }
        }
        0.0
    }

    /// Returns intervals of equal size in seconds: where each begins and the count of its times.
    ///
    /// The last holds all longer times; empty ones are omitted.
    pub(super) fn intervals(&self, size: f64, most: u64) -> Vec<(f64, u64)> {
        let size = if size > 0.0 { size } else { self.max() / most as f64 }.max(1e-9);
        let mut intervals: Vec<(u64, u64)> = Vec::new();
        for (index, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let time = last_of(index).clamp(self.min_ns, self.max_ns) as f64 / 1e9;
            let number = ((time / size) as u64).min(most - 1);
            match intervals.last_mut() {
                Some((last, sum)) if *last == number => *sum += count,
                _ => intervals.push((number, *count)),
            }
        }
        intervals.into_iter().map(|(number, count)| (number as f64 * size, count)).collect()
    }
}

fn index(ns: u64) -> usize {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(BITS + 1);
    ((u64::from(shift) << BITS) + (ns >> shift)) as usize
}

/// Returns the longest time of an interval.
fn last_of(index: usize) -> u64 {
    let index = index as u64;
    let shift = (index >> BITS).saturating_sub(1);
    let first = (index - (shift << BITS)) << shift;
    first + ((1u64 << shift) - 1)
}
