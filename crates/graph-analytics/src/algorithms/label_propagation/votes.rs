//! The most frequent of a few labels.

use super::labels::NO_LABEL;

/// At most this number of labels are sorted; more are counted in a table.
const SORTED_LABELS: usize = 24;

/// A count of labels, which keeps its memory from vertex to vertex.
#[derive(Default)]
pub(super) struct Votes {
    few: Vec<u32>,
    /// Labels and their counts by a hash of the label. The length is a power of two.
    table: Vec<(u32, u32)>,
    /// Places of the table that are in use.
    used: Vec<u32>,
}

impl Votes {
    /// Returns the most frequent of `labels`, at most `count` of which are distinct, and how often
    /// it is there; of several, the one with the least `rank`. `kept` wins if none is more
    /// frequent. `None` without labels.
    pub(super) fn winner(
        &mut self,
        labels: impl Iterator<Item = u32>,
        count: usize,
        kept: Option<u32>,
        rank: impl Fn(u32) -> u64,
    ) -> Option<(u32, u32)> {
        let labels = labels.filter(|label| *label != NO_LABEL);
        let mut best = Best { label: NO_LABEL, count: 0, kept, rank };
        if count <= SORTED_LABELS {
            self.few.clear();
            self.few.extend(labels);
            self.few.sort_unstable();
            self.few.chunk_by(|a, b| a == b).for_each(|run| best.offer(run[0], run.len() as u32));
        } else {
            self.count(labels, count);
            for place in self.used.drain(..) {
                let (label, count) = std::mem::replace(&mut self.table[place as usize], (NO_LABEL, 0));
                best.offer(label, count);
            }
        }
        (best.count > 0).then_some((best.label, best.count))
    }

    fn count(&mut self, labels: impl Iterator<Item = u32>, count: usize) {
        let places = (count * 2).next_power_of_two();
        if self.table.len() < places {
            self.table.resize(places, (NO_LABEL, 0));
        }
        let shift = 32 - places.trailing_zeros().min(31);
        for label in labels {
            // Multiplication by 2^32 divided by the golden ratio spreads neighbouring labels.
            let mut place = (label.wrapping_mul(0x9E37_79B9) >> shift) as usize & (places - 1);
            loop {
                let entry = &mut self.table[place];
                if entry.0 == label {
                    entry.1 = entry.1.saturating_add(1);
                    break;
                }
                if entry.0 == NO_LABEL {
                    *entry = (label, 1);
                    self.used.push(place as u32);
                    break;
                }
                place = (place + 1) & (places - 1);
            }
        }
    }

    /// Returns the bytes that it takes for vertices of a degree.
    pub(super) fn bytes_for(degree: usize) -> u64 {
        (degree as u64 * 2).next_power_of_two().saturating_mul(8).saturating_add(degree as u64 * 4)
    }
}

struct Best<R> {
    label: u32,
    count: u32,
    kept: Option<u32>,
    rank: R,
}

impl<R: Fn(u32) -> u64> Best<R> {
    fn offer(&mut self, label: u32, count: u32) {
        let is_better = count > self.count
            || count == self.count
                && self.kept != Some(self.label)
                && (self.kept == Some(label)
                    || ((self.rank)(label), label) < ((self.rank)(self.label), self.label));
        if is_better {
            (self.label, self.count) = (label, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares with a map, for few and for many labels.
        #[test]
        fn the_most_frequent_wins(
            lists in prop::collection::vec(prop::collection::vec(0_u32..20, 0..60), 1..4),
            kept in prop::option::of(0_u32..20),
        ) {
            let mut votes = Votes::default();
            for labels in lists {
                let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
                labels.iter().for_each(|label| *counts.entry(*label).or_default() += 1);
                let most = counts.values().copied().max().unwrap_or_default();
                let smallest = counts.iter().find(|(_, count)| **count == most).map(|(label, _)| *label);
                let expected = kept.filter(|kept| counts.get(kept) == Some(&most)).or(smallest);
                let winner = votes.winner(labels.iter().copied(), labels.len(), kept, u64::from);
                prop_assert_eq!(winner, expected.map(|label| (label, most as u32)));
            }
        }
    }
}
