//! Estimates of the selectivity of indexes, in a few kilobytes, even under removals.
//!
//! The estimate is a sample of the distinct values whose hash ends in `level` zero bits, with the
//! number of entries of each. When the sample grows too large, `level` grows by one, which drops
//! half of the sample. Every value has the same chance to be in the sample, so `sample size *
//! 2^level` estimates the number of distinct values.
//!
//! Source: adaptive sampling (Wegman; analysed by Flajolet, "On adaptive sampling", 1990), with
//! counts so that removals work.
//!
//! The estimate is written when the store is closed or maintained, not with each commit. So it may
//! be slightly wrong after a crash, which only costs accuracy.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use errors::{Error, Result};

use crate::encoding::pack;

/// Maximum number of values in the sample. The standard error of the estimate is about 1.2 / sqrt
/// of this, 4 %.
const SAMPLE_MAX: usize = 1024;
/// The highest level. More would be needed only for more than 2^53 distinct values.
const LEVEL_MAX: u32 = 43;

/// The estimate of one index, shared by all writers.
#[derive(Debug, Default)]
pub(crate) struct Estimate {
    /// The level, readable without the lock; it only grows.
    level: AtomicU32,
    sample: Mutex<Sample>,
}

#[derive(Debug, Default)]
struct Sample {
    level: u32,
    entries: i64,
    counts: HashMap<u64, u32>,
    is_changed: bool,
}

/// The changes that a transaction makes to an estimate, applied when it commits.
#[derive(Debug, Default)]
pub(crate) struct EstimateChange {
    entries: i64,
    /// Hashes of values that are in the sample at the time of the write; true if an entry was
    /// added, false if it was removed.
    sampled: Vec<(u64, bool)>,
    /// The state to which [`EstimateChange::take_back`] returns.
    kept_entries: i64,
    kept_sampled: usize,
}

/// A state of an [`EstimateChange`] to which it can return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EstimatePosition {
    entries: i64,
    sampled: usize,
}

impl EstimateChange {
    /// Returns the present state.
    pub(crate) fn position(&self) -> EstimatePosition {
        EstimatePosition { entries: self.entries, sampled: self.sampled.len() }
    }

    /// Discards the changes since a state.
    pub(crate) fn return_to(&mut self, position: EstimatePosition) {
        self.entries = position.entries;
        self.sampled.truncate(position.sampled);
        self.keep();
    }

    /// Confirms the changes of the operations so far, which have succeeded.
    pub(crate) fn keep(&mut self) {
        self.kept_entries = self.entries;
        self.kept_sampled = self.sampled.len();
    }

    /// Discards the changes since [`EstimateChange::keep`].
    pub(crate) fn take_back(&mut self) {
        self.entries = self.kept_entries;
        self.sampled.truncate(self.kept_sampled);
    }
}

impl Estimate {
    /// Records an entry in `change`, with its hash if that belongs to the sample.
    pub(crate) fn note(&self, hash: u64, added: bool, change: &mut EstimateChange) {
        change.entries += if added { 1 } else { -1 };
        if is_sampled(hash, self.level.load(Ordering::Relaxed)) {
            change.sampled.push((hash, added));
        }
    }

    /// Applies the changes of a committed transaction.
    pub(crate) fn apply(&self, change: &EstimateChange) {
        let mut sample = self.lock();
        sample.is_changed = true;
        sample.entries = sample.entries.saturating_add(change.entries).max(0);
        for &(hash, added) in &change.sampled {
            sample.note(hash, added);
        }
        self.level.store(sample.level, Ordering::Relaxed);
    }

    /// Returns distinct values per entry, between 0 (exclusive) and 1. An index without entries has
    /// 1.
    pub(crate) fn selectivity(&self) -> f64 {
        let sample = self.lock();
        if sample.entries <= 0 {
            return 1.0;
        }
        let different = sample.counts.len().max(1) as f64 * 2f64.powi(sample.level as i32);
        (different / sample.entries as f64).min(1.0)
    }

    /// Returns the record to store; `None` if nothing has changed since the last one.
    pub(crate) fn take_record(&self) -> Option<Vec<u8>> {
        let mut sample = self.lock();
        if !std::mem::take(&mut sample.is_changed) {
            return None;
        }
        let mut numbers = vec![u64::from(sample.level), sample.entries.unsigned_abs()];
        for (hash, count) in &sample.counts {
            numbers.extend([*hash, u64::from(*count)]);
        }
        Some(pack::numbers(&numbers))
    }

    /// Reads a record.
    pub(crate) fn from_record(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::corrupt("the estimate of an index is damaged");
        let numbers = pack::read_all_numbers(bytes)?;
        let Some(([level, entries], counts)) = numbers.split_first_chunk::<2>() else {
            return Err(damaged());
        };
        let level = u32::try_from(*level).ok().filter(|level| *level <= LEVEL_MAX).ok_or_else(damaged)?;
        let entries = i64::try_from(*entries).map_err(|_| damaged())?;
        let (pairs, rest) = counts.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > SAMPLE_MAX {
            return Err(damaged());
        }
        let counts =
            pairs.iter().map(|[hash, count]| (*hash, u32::try_from(*count).unwrap_or(u32::MAX))).collect();
        let sample = Mutex::new(Sample { level, entries, counts, is_changed: false });
        Ok(Estimate { level: AtomicU32::new(level), sample })
    }

    /// Locks the sample. No code that can panic runs under this lock.
    fn lock(&self) -> MutexGuard<'_, Sample> {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sample {
    fn note(&mut self, hash: u64, added: bool) {
        if !is_sampled(hash, self.level) {
            return;
        }
        if added {
            let count = self.counts.entry(hash).or_default();
            *count = count.saturating_add(1);
            while self.counts.len() > SAMPLE_MAX && self.level < LEVEL_MAX {
                self.level += 1;
                let level = self.level;
                self.counts.retain(|hash, _| is_sampled(*hash, level));
            }
        } else if let Some(count) = self.counts.get_mut(&hash) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&hash);
            }
        }
    }
}

fn is_sampled(hash: u64, level: u32) -> bool {
    hash.trailing_zeros() >= level
}

/// Hashes bytes, with the same result in every run: 64-bit multiply-and-fold over words of 8 bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(MULTIPLIER | 1);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut state = fold(MULTIPLIER, bytes.len() as u64 ^ 0x5851_f42d_4c95_7f2d);
    for word in words {
        state = fold(state, u64::from_le_bytes(*word) ^ 0x2545_f491_4f6c_dd1d).wrapping_add(MULTIPLIER);
    }
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let mut mixed = fold(state, u64::from_le_bytes(last) ^ 0x6a09_e667_f3bc_c909);
    // This spreads the hash to the low bits, on which the sample depends.
    mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(values: u64, entries_per_value: u64) -> Estimate {
        let estimate = Estimate::default();
        for value in 0..values {
            for _ in 0..entries_per_value {
                change(&estimate, value, true);
            }
        }
        estimate
    }

    fn change(estimate: &Estimate, value: u64, added: bool) {
        let mut change = EstimateChange::default();
        estimate.note(hash(&value.to_le_bytes()), added, &mut change);
        estimate.apply(&change);
    }

    #[test]
    fn small_indexes_are_counted_exactly() {
        assert_eq!(Estimate::default().selectivity(), 1.0);
        assert_eq!(filled(100, 1).selectivity(), 1.0);
        assert_eq!(filled(100, 4).selectivity(), 0.25);
        assert_eq!(filled(1, 1000).selectivity(), 0.001);
    }

    #[test]
    fn large_indexes_are_estimated_within_a_fifth() {
        for (values, per_value) in [(50_000, 1), (20_000, 5)] {
            let expected = 1.0 / per_value as f64;
            let estimated = filled(values, per_value).selectivity();
            assert!((estimated / expected - 1.0).abs() < 0.2, "{estimated} for {expected}");
        }
    }

    #[test]
    fn what_is_removed_is_forgotten() {
        let estimate = filled(10, 2);
        for value in 0..9 {
            change(&estimate, value, false);
            change(&estimate, value, false);
        }
        assert_eq!(estimate.selectivity(), 0.5);
        change(&estimate, 9, false);
        change(&estimate, 9, false);
        assert_eq!(estimate.selectivity(), 1.0);
    }

    #[test]
    fn a_record_keeps_the_estimate() {
        let estimate = filled(5000, 3);
        let record = estimate.take_record().unwrap();
        assert_eq!(estimate.take_record(), None);
        let read = Estimate::from_record(&record).unwrap();
        assert_eq!(read.selectivity(), estimate.selectivity());
        for damaged in [&record[..record.len() - 1], &[][..], &[9][..], &record[..9]] {
            assert!(Estimate::from_record(damaged).is_err());
        }
    }

    #[test]
    fn the_hash_never_changes() {
        assert_eq!(hash(b""), hash(b""));
        assert_ne!(hash(b"a"), hash(b"a\0"));
        assert_ne!(hash(b"12345678"), hash(b"123456780"));
        let low_bits: std::collections::HashSet<u64> =
            (0..256u64).map(|n| hash(&n.to_le_bytes()) & 0xff).collect();
        assert!(low_bits.len() > 120, "{}", low_bits.len());
    }
}
