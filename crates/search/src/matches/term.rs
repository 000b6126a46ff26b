//! The documents of one term.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet};

use super::Matches;
use crate::score::Weight;
use crate::segment::Lengths;

/// The documents of one term.
pub(crate) struct TermMatches {
    postings: SegmentPostings,
    /// One for each scorer; none if the term does not count.
    weights: Vec<Weight>,
    lengths: Option<Lengths>,
}

impl TermMatches {
    pub(crate) fn new(postings: SegmentPostings, weights: Vec<Weight>, lengths: Option<Lengths>) -> Self {
        TermMatches { postings, weights, lengths }
    }
}

impl Matches for TermMatches {
    #[inline]
    fn document(&self) -> DocId {
        self.postings.doc()
    }

    #[inline]
    fn advance(&mut self) -> DocId {
        self.postings.advance()
    }

    #[inline]
    fn seek(&mut self, target: DocId) -> DocId {
        if self.postings.doc() >= target { self.postings.doc() } else { self.postings.seek(target) }
    }

    #[inline]
    fn score(&mut self, scorer: usize) -> f32 {
        let Some(weight) = self.weights.get(scorer) else { return 0.0 };
        let length = self.lengths.as_ref().map_or(0, |lengths| lengths.of(self.postings.doc()));
        weight.score(self.postings.term_freq(), length)
    }

    fn cost(&self) -> u64 {
        u64::from(self.postings.doc_freq())
    }

    fn count(&self) -> Option<u64> {
        Some(self.cost())
    }
}
