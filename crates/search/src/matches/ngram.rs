//! Documents with n-grams in the order of a text.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

use super::Matches;
use crate::pulse::Pulse;
use crate::score::Weight;
use crate::segment::Lengths;

/// An n-gram of the text with the places at which the text has it.
pub(crate) struct Gram {
    pub(crate) postings: SegmentPostings,
    pub(crate) places: Vec<u32>,
}

/// The documents whose longest common subsequence of n-grams with the text is long enough.
pub(crate) struct NgramMatches {
    grams: Vec<Gram>,
    needed: usize,
    weights: Vec<Weight>,
    lengths: Option<Lengths>,
    document: DocId,
    positions: Vec<u32>,
    /// Position in the document and place in the text of each common n-gram.
    pairs: Vec<(u32, u32)>,
    tails: Vec<u32>,
    pulse: Pulse,
}

impl NgramMatches {
    pub(crate) fn new(
        grams: Vec<Gram>,
        needed: usize,
        weights: Vec<Weight>,
        lengths: Option<Lengths>,
        pulse: &Pulse,
    ) -> Self {
        let mut matches = NgramMatches {
            grams,
            needed: needed.max(1),
            weights,
            lengths,
            document: 0,
            positions: Vec::new(),
            pairs: Vec::new(),
            tails: Vec::new(),
            pulse: pulse.clone(),
        };
        matches.settle(0);
        matches
    }

    fn settle(&mut self, target: DocId) -> DocId {
        let mut target = target;
        loop {
            if self.pulse.is_over(self.grams.len()) {
                self.document = TERMINATED;
                return TERMINATED;
            }
            for gram in self.grams.iter_mut().filter(|gram| gram.postings.doc() < target) {
                gram.postings.seek(target);
            }
            let first = self.grams.iter().map(|gram| gram.postings.doc()).min();
            self.document = first.unwrap_or(TERMINATED);
            if self.document == TERMINATED || self.longest() >= self.needed {
                return self.document;
            }
            target = self.document + 1;
        }
    }

    /// Returns the length of the longest sequence of n-grams that ascends in document and text.
    fn longest(&mut self) -> usize {
        let here = self.grams.iter().filter(|gram| gram.postings.doc() == self.document);
        if here.map(|gram| gram.places.len()).sum::<usize>() < self.needed {
            return 0;
        }
        self.pairs.clear();
        for gram in self.grams.iter_mut().filter(|gram| gram.postings.doc() == self.document) {
            gram.postings.positions(&mut self.positions);
            for position in &self.positions {
                if self.pulse.is_over(gram.places.len()) {
                    return 0;
                }
                self.pairs.extend(gram.places.iter().map(|place| (*position, *place)));
            }
        }
        // Descending places of one position, so that a position is used once.
        self.pairs.sort_unstable_by_key(|(position, place)| (*position, std::cmp::Reverse(*place)));
        self.tails.clear();
        for (_, place) in &self.pairs {
            let length = self.tails.partition_point(|tail| tail < place);
            match self.tails.get_mut(length) {
                Some(tail) => *tail = *place,
                None => self.tails.push(*place),
            }
        }
        self.tails.len()
    }
}

impl Matches for NgramMatches {
    fn document(&self) -> DocId {
        self.document
    }

    fn advance(&mut self) -> DocId {
        if self.document == TERMINATED { TERMINATED } else { self.settle(self.document + 1) }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document >= target { self.document } else { self.settle(target) }
    }

    fn score(&mut self, scorer: usize) -> f32 {
        let Some(weight) = self.weights.get(scorer) else { return 0.0 };
        let length = self.lengths.as_ref().map_or(0, |lengths| lengths.of(self.document));
        weight.score(1, length)
    }

    fn cost(&self) -> u64 {
        self.grams.iter().map(|gram| u64::from(gram.postings.doc_freq())).sum()
    }
}
