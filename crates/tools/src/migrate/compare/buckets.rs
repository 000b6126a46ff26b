//! Sums of hashes of keys and revisions, which do not depend on their order.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The number of buckets. Documents fall into them by their keys.
const BUCKETS: usize = 1 << 16;

/// The buckets of one collection on one server.
#[derive(Debug)]
pub(super) struct Buckets {
    sums: Vec<u128>,
    count: u64,
}

/// The buckets whose sums differ.
#[derive(Debug)]
pub(super) struct Differing {
    numbers: BTreeSet<usize>,
    /// True if some were left out for the memory of their documents.
    pub(super) is_cut: bool,
}

impl Default for Buckets {
    fn default() -> Self {
        Buckets { sums: vec![0; BUCKETS], count: 0 }
    }
}

impl Buckets {
    /// Adds a document.
    pub(super) fn add(&mut self, key: &str, revision: &str) {
        if let Some(sum) = self.sums.get_mut(bucket_of(key)) {
            // Two hashes of 64 bits: with one alone, sums of many documents would agree by chance.
            let high = u128::from(hash_of(1, key, revision)) << 64;
            *sum = sum.wrapping_add(high | u128::from(hash_of(2, key, revision)));
        }
        self.count += 1;
    }

    /// Returns the number of documents.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the buckets with different documents, as far as those fit in memory.
    pub(super) fn differing(&self, other: &Buckets) -> Differing {
        /// The number of documents of all returned buckets, about.
        const DOCUMENTS_MAX: u64 = 1_000_000;
        let documents_each = self.count.max(other.count) / BUCKETS as u64 + 1;
        let most = (DOCUMENTS_MAX / documents_each).max(1) as usize;
        let pairs = self.sums.iter().zip(&other.sums).enumerate();
        let mut numbers = pairs.filter(|(_, (left, right))| left != right).map(|(number, _)| number);
        let differing = numbers.by_ref().take(most).collect();
        Differing { numbers: differing, is_cut: numbers.next().is_some() }
    }
}

impl Differing {
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns true if the document of a key is in one of the buckets.
    pub(super) fn has(&self, key: &str) -> bool {
        self.numbers.contains(&bucket_of(key))
    }
}

fn bucket_of(key: &str) -> usize {
    hash_of(0, key, "") as usize % BUCKETS
}

fn hash_of(seed: u8, key: &str, revision: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, key, revision).hash(&mut hasher);
    hasher.finish()
}
