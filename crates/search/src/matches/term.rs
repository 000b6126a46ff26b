//! The documents of one term.

use std::sync::Arc;

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

use super::{Bound, Matches};
use crate::score::Weight;
use crate::segment::{BlockMaxima, Corner, Lengths};

/// The documents of one term.
pub(crate) struct TermMatches {
    postings: SegmentPostings,
    /// One for each scorer; none if the term does not count.
    weights: Vec<Weight>,
    lengths: Option<Lengths>,
    maxima: Option<Arc<BlockMaxima>>,
    /// The block of [`TermMatches::maxima`] that the last bound was of.
    block: usize,
}

impl TermMatches {
    pub(crate) fn new(postings: SegmentPostings, weights: Vec<Weight>, lengths: Option<Lengths>) -> Self {
        TermMatches { postings, weights, lengths, maxima: None, block: 0 }
    }

    /// Adds the maxima of blocks, so that scores have bounds.
    pub(crate) fn with_maxima(self, maxima: Option<Arc<BlockMaxima>>) -> Self {
        TermMatches { maxima, ..self }
    }
}

/// Returns a bound of the scores of documents that have no more than these corners.
fn bound_of(weight: Weight, corners: &[Corner]) -> f32 {
    let score = |corner: &Corner| match corner.frequency() {
        Some(frequency) => weight.score(frequency, corner.length()),
        None => weight.limit(),
    };
    corners.iter().map(score).fold(0.0, f32::max)
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

    fn bound(&mut self, scorer: usize, target: DocId) -> Bound {
        let Some(weight) = self.weights.get(scorer).copied() else { return Bound::ZERO };
        if !weight.is_monotonic() {
            return Bound::UNKNOWN;
        }
        let Some(maxima) = &self.maxima else { return Bound { score: weight.limit(), last: TERMINATED } };
        self.block = maxima.block_of(target, self.block);
        match maxima.block(self.block) {
            Some((last, corners)) => Bound { score: bound_of(weight, corners), last },
            None => Bound::ZERO,
        }
    }

    fn cost(&self) -> u64 {
        u64::from(self.postings.doc_freq())
    }

    fn count(&self) -> Option<u64> {
        Some(self.cost())
    }
}
