//! The nearest entries that a search has seen.

use std::cmp::Ordering;
use std::ops::Range;

use errors::{Error, Result};

use crate::index::found::{EntryCollector, IndexEntries};

/// Entries that are kept beyond the wanted ones before the farthest are dropped.
const SLACK: usize = 256;

/// The nearest entries, at most about twice as many as are wanted.
pub(super) struct Candidates {
    wanted: usize,
    wants_covered: bool,
    /// The greatest score that can still be among the wanted ones.
    bound: f32,
    /// The keys and covered values.
    bytes: Vec<u8>,
    entries: Vec<Candidate>,
}

/// An entry: a smaller score is nearer.
#[derive(Clone)]
struct Candidate {
    score: f32,
    key: Range<usize>,
    covered: Range<usize>,
}

impl Candidates {
    pub(super) fn new(wanted: usize, bound: f32, wants_covered: bool) -> Self {
        Candidates { wanted, wants_covered, bound, bytes: Vec::new(), entries: Vec::new() }
    }

    /// Returns true if an entry with this score may be among the wanted ones.
    pub(super) fn accepts(&self, score: f32) -> bool {
        score <= self.bound
    }

    pub(super) fn add(&mut self, score: f32, key: &[u8], covered: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let key = start..self.bytes.len();
        if self.wants_covered {
            self.bytes.extend_from_slice(covered);
        }
        let covered = key.end..self.bytes.len();
        self.entries.push(Candidate { score, key, covered });
        if self.entries.len() >= self.wanted.saturating_mul(2).saturating_add(SLACK) {
            self.drop_farthest();
        }
    }

    /// Returns the bytes of memory in use.
    pub(super) fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.entries.capacity() * size_of::<Candidate>()) as u64
    }

    fn drop_farthest(&mut self) {
        let bytes = &self.bytes;
        if let Some(last) = self.wanted.checked_sub(1)
            && last < self.entries.len()
        {
            let (_, last, _) = self.entries.select_nth_unstable_by(last, |a, b| order(bytes, a, b));
            self.bound = last.score;
        }
        self.entries.truncate(self.wanted);
    }

    /// Returns the scores and the entries, the nearest first.
    pub(super) fn finish(mut self) -> Result<(Vec<f32>, IndexEntries)> {
        self.drop_farthest();
        let bytes = &self.bytes;
        self.entries.sort_unstable_by(|a, b| order(bytes, a, b));
        let mut collector = EntryCollector::default();
        for entry in &self.entries {
            let key = bytes.get(entry.key.clone()).and_then(|key| std::str::from_utf8(key).ok());
            let key = key.ok_or_else(|| Error::corrupt("a vector index has a damaged key"))?;
            let covered = bytes.get(entry.covered.clone()).filter(|covered| !covered.is_empty());
            collector.push_encoded(key, covered)?;
        }
        Ok((self.entries.iter().map(|entry| entry.score).collect(), collector.finish()))
    }
}

/// Orders entries by their score; equal ones by their key.
fn order(bytes: &[u8], left: &Candidate, right: &Candidate) -> Ordering {
    let key = |entry: &Candidate| bytes.get(entry.key.clone()).unwrap_or_default();
    left.score.total_cmp(&right.score).then_with(|| key(left).cmp(key(right)))
}
