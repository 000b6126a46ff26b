//! Documents by their nested documents.

use std::ops::RangeInclusive;

use tantivy::{DocId, TERMINATED};

use super::Matches;
use crate::pulse::Pulse;

/// The documents with this many matching nested documents. Their score is the sum over these.
///
/// A segment has the nested documents of a document directly before it.
pub(crate) struct NestedMatches {
    /// All documents of the level above.
    parents: Box<dyn Matches>,
    nested: Box<dyn Matches>,
    counts: RangeInclusive<u32>,
    scores: Vec<f32>,
    pulse: Pulse,
    /// True if the search has stopped.
    is_over: bool,
}

impl NestedMatches {
    /// Returns the matching documents among `parents`, scored by this many scorers.
    pub(crate) fn new(
        parents: Box<dyn Matches>,
        nested: Box<dyn Matches>,
        counts: RangeInclusive<u32>,
        scorers: usize,
        pulse: &Pulse,
    ) -> Self {
        let (scores, pulse) = (vec![0.0; scorers], pulse.clone());
        let mut matches = NestedMatches { parents, nested, counts, scores, pulse, is_over: false };
        matches.settle();
        matches
    }

    fn settle(&mut self) -> DocId {
        loop {
            // If none need not match, every parent is looked at.
            if *self.counts.start() > 0 {
                self.parents.seek(self.nested.document());
            }
            self.is_over = self.is_over || self.pulse.is_over(1);
            let parent = self.document();
            if parent == TERMINATED {
                return TERMINATED;
            }
            let count = self.count_before(parent);
            if self.counts.contains(&count) {
                return parent;
            }
            self.parents.advance();
        }
    }

    fn count_before(&mut self, parent: DocId) -> u32 {
        self.scores.fill(0.0);
        let mut count = 0;
        while self.nested.document() < parent {
            if self.pulse.is_over(1 + self.scores.len()) {
                self.is_over = true;
                break;
            }
            count += 1;
            for (scorer, score) in self.scores.iter_mut().enumerate() {
                *score += self.nested.score(scorer);
            }
            self.nested.advance();
        }
        count
    }
}

impl Matches for NestedMatches {
    fn document(&self) -> DocId {
        if self.is_over { TERMINATED } else { self.parents.document() }
    }

    fn advance(&mut self) -> DocId {
        self.parents.advance();
        self.settle()
    }

    fn score(&mut self, scorer: usize) -> f32 {
        self.scores.get(scorer).copied().unwrap_or(0.0)
    }

    fn cost(&self) -> u64 {
        self.nested.cost().min(self.parents.cost())
    }
}
