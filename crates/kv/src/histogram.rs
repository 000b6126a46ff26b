//! Histograms with fixed bucket bounds.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of values in buckets that end at `CUTS` bounds, and the sum. The caller chooses the unit.
#[derive(Debug)]
pub struct Histogram<const CUTS: usize> {
    counts: [AtomicU64; CUTS],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const CUTS: usize> Default for Histogram<CUTS> {
    fn default() -> Self {
        Histogram {
            counts: [const { AtomicU64::new(0) }; CUTS],
            above: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }
}

/// The counts of a histogram, read at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The count of each bucket, in the order of the cuts. The last one counts the values above all
    /// cuts.
    pub counts: Vec<u64>,
    /// The sum of all values.
    pub sum: f64,
}

impl Summary {
    /// Returns the number of all values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl<const CUTS: usize> Histogram<CUTS> {
    /// Counts a value in the unit of the cuts.
    pub fn add(&self, cuts: &[f64; CUTS], value: u64) {
        self.count(cuts, value as f64, value);
    }

    /// Counts a time in microseconds; the cuts are in seconds.
    pub fn add_micros(&self, cuts: &[f64; CUTS], micros: u64) {
        self.count(cuts, micros as f64 * 1e-6, micros);
    }

    /// Counts several events that took this many microseconds together; the cuts are in seconds.
    pub fn add_all_micros(&self, cuts: &[f64; CUTS], events: u64, micros: u64) {
        let each = micros as f64 * 1e-6 / events.max(1) as f64;
        self.counter(cuts, each).fetch_add(events, Ordering::Relaxed);
        self.sum.fetch_add(micros, Ordering::Relaxed);
    }

    fn count(&self, cuts: &[f64; CUTS], value: f64, to_sum: u64) {
        self.counter(cuts, value).fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(to_sum, Ordering::Relaxed);
    }

    fn counter(&self, cuts: &[f64; CUTS], value: f64) -> &AtomicU64 {
        let place = cuts.iter().position(|cut| value <= *cut);
        place.and_then(|place| self.counts.get(place)).unwrap_or(&self.above)
    }

    /// Adds this histogram to a summary. Its sum is multiplied by `unit`.
    pub fn add_to(&self, summary: &mut Summary, unit: f64) {
        summary.counts.resize(CUTS + 1, 0);
        let counters = self.counts.iter().chain([&self.above]);
        summary
            .counts
            .iter_mut()
            .zip(counters)
            .for_each(|(total, counter)| *total += counter.load(Ordering::Relaxed));
        summary.sum += self.sum.load(Ordering::Relaxed) as f64 * unit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_at_the_first_cut_that_it_does_not_exceed() {
        let histogram = Histogram::<3>::default();
        for value in [0, 10, 11, 100, 101, 5_000] {
            histogram.add(&[10.0, 100.0, 1_000.0], value);
        }
        let mut summary = Summary::default();
        histogram.add_to(&mut summary, 1.0);
        assert_eq!(summary, Summary { counts: vec![2, 2, 1, 1], sum: 5_222.0 });
        assert_eq!(summary.count(), 6);
    }
}
