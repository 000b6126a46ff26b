//! Histograms with fixed bucket bounds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The seconds of a microsecond, in which times are counted.
const MICROSECOND: f64 = 1e-6;

/// Counts of values in buckets that end at `CUTS` bounds, and the sum of the values.
#[derive(Debug)]
pub struct Histogram<const CUTS: usize> {
    cuts: &'static [f64; CUTS],
    /// The size of 1 in the unit of the cuts.
    unit: f64,
    counts: [AtomicU64; CUTS],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const CUTS: usize> Histogram<CUTS> {
    /// Returns an empty histogram of whole numbers.
    pub const fn of_numbers(cuts: &'static [f64; CUTS]) -> Self {
        Self::new(cuts, 1.0)
    }

    /// Returns an empty histogram of times, whose cuts are in seconds. It counts microseconds.
    pub const fn of_times(cuts: &'static [f64; CUTS]) -> Self {
        Self::new(cuts, MICROSECOND)
    }

    const fn new(cuts: &'static [f64; CUTS], unit: f64) -> Self {
        Histogram {
            cuts,
            unit,
            counts: [const { AtomicU64::new(0) }; CUTS],
            above: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    /// Counts a number, or a time in microseconds.
    pub fn add(&self, value: u64) {
        self.add_all(1, value);
    }

    /// Counts a time.
    pub fn add_time(&self, time: Duration) {
        self.add(micros(time));
    }

    /// Counts several events that took so long together.
    pub fn add_times(&self, events: u64, together: Duration) {
        self.add_all(events, micros(together));
    }

    fn add_all(&self, events: u64, sum: u64) {
        let each = sum as f64 * self.unit / events.max(1) as f64;
        let place = self.cuts.iter().position(|cut| each <= *cut);
        let bucket = place.and_then(|place| self.counts.get(place)).unwrap_or(&self.above);
        bucket.fetch_add(events, Ordering::Relaxed);
        self.sum.fetch_add(sum, Ordering::Relaxed);
    }

    /// Returns the counts of this moment.
    pub fn summary(&self) -> Summary {
        let counters = self.counts.iter().chain([&self.above]);
        Summary {
            cuts: self.cuts,
            counts: counters.map(|counter| counter.load(Ordering::Relaxed)).collect(),
            sum: self.sum.load(Ordering::Relaxed) as f64 * self.unit,
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The counts of a histogram, read at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The upper ends of all buckets but the last.
    pub cuts: &'static [f64],
    /// The count of each bucket, in the order of the cuts. The last one counts the values above all
    /// cuts.
    pub counts: Vec<u64>,
    /// The sum of all values.
    pub sum: f64,
}

impl Summary {
    /// Returns a summary of no values.
    pub fn empty(cuts: &'static [f64]) -> Self {
        Summary { cuts, counts: vec![0; cuts.len() + 1], sum: 0.0 }
    }

    /// Returns the number of all values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds the values of another summary with the same cuts.
    pub fn add(&mut self, other: &Summary) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.sum += other.sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_at_the_first_cut_that_it_does_not_exceed() {
        let histogram = Histogram::of_numbers(&[10.0, 100.0, 1_000.0]);
        for value in [0, 10, 11, 100, 101, 5_000] {
            histogram.add(value);
        }
        let summary = histogram.summary();
        assert_eq!((&*summary.counts, summary.sum, summary.count()), (&[2, 2, 1, 1][..], 5_222.0, 6));
    }

    #[test]
    fn events_that_took_a_time_together_count_with_their_mean() {
        let histogram = Histogram::of_times(&[0.001, 1.0]);
        histogram.add_times(4, Duration::from_millis(4));
        histogram.add_time(Duration::from_millis(2));
        let mut summary = histogram.summary();
        assert_eq!(summary.counts, [4, 1, 0]);
        assert!((summary.sum - 0.006).abs() < 1e-9);
        summary.add(&histogram.summary());
        assert_eq!(summary.count(), 10);
    }
}
