//! The best hits of a search by their scores.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use aql_plan::ViewOrder;
use search::Hit;

use super::Found;

/// The best hits so far; the worst of them is found first.
pub(super) struct Best<'o> {
    kept: usize,
    order: &'o [ViewOrder],
    heap: BinaryHeap<Ranked<'o>>,
}

struct Ranked<'o> {
    found: Found,
    order: &'o [ViewOrder],
}

impl<'o> Best<'o> {
    /// Keeps this number of hits.
    pub(super) fn new(kept: usize, order: &'o [ViewOrder]) -> Self {
        Best { kept, order, heap: BinaryHeap::new() }
    }

    /// Returns the bytes of one hit.
    pub(super) fn entry_bytes(&self) -> u64 {
        let scores = self.heap.peek().map_or(0, |worst| worst.found.scores.len());
        (size_of::<Ranked<'_>>() + scores * size_of::<f32>()) as u64
    }

    /// Takes a hit if it is one of the best. Returns true if one more is kept now.
    pub(super) fn offer(&mut self, hit: Hit, scores: &[f32]) -> bool {
        if self.heap.len() < self.kept {
            let found = Found { hit, scores: scores.into() };
            self.heap.push(Ranked { found, order: self.order });
            return true;
        }
        let order = self.order;
        if let Some(mut worst) = self.heap.peek_mut()
            && compare(order, scores, hit, &worst.found.scores, worst.found.hit) == Ordering::Less
        {
            worst.found.hit = hit;
            worst.found.scores.copy_from_slice(scores);
        }
        false
    }

    /// Returns the score that a hit must exceed to be taken, if hits are ordered by this score
    /// alone and the greatest come first. Later hits with the same score are not taken.
    pub(super) fn threshold(&self, score: usize) -> f32 {
        let worst = self.heap.peek().filter(|_| self.is_full());
        worst.and_then(|worst| worst.found.scores.get(score).copied()).unwrap_or(f32::NEG_INFINITY)
    }

    /// Returns true if a hit is only taken in place of another one.
    pub(super) fn is_full(&self) -> bool {
        self.heap.len() >= self.kept
    }

    /// Returns the hits, the best first.
    pub(super) fn into_sorted(self) -> Vec<Found> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.found).collect()
    }
}

/// Compares two hits: the lesser comes first. Hits with equal scores keep the order of the index.
fn compare(order: &[ViewOrder], left: &[f32], left_hit: Hit, right: &[f32], right_hit: Hit) -> Ordering {
    for key in order {
        let (Some(left), Some(right)) = (left.get(key.score), right.get(key.score)) else { continue };
        let ordering = if key.ascending { left.total_cmp(right) } else { right.total_cmp(left) };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    left_hit.cmp(&right_hit)
}

impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (own, other) = (&self.found, &other.found);
        compare(self.order, &own.scores, own.hit, &other.scores, other.hit)
    }
}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_equal_ones_as_in_the_index() {
        let order = [ViewOrder { score: 1, ascending: false }, ViewOrder { score: 0, ascending: true }];
        let mut best = Best::new(3, &order);
        let scores = [[1.0, 2.0], [0.5, 3.0], [0.5, 2.0], [0.5, 2.0], [9.0, 0.0]];
        for (document, scores) in scores.iter().enumerate() {
            best.offer(Hit { segment: 0, document: document as u32 }, scores);
        }
        let found: Vec<u32> = best.into_sorted().iter().map(|found| found.hit.document).collect();
        assert_eq!(found, [1, 2, 3]);
        let mut none = Best::new(0, &order);
        assert!(!none.offer(Hit { segment: 0, document: 0 }, &[1.0, 1.0]) && none.into_sorted().is_empty());
    }
}
