//! Iterators over the documents of one segment that match a query, in ascending order.

mod boolean;
mod disjunction;
mod nested;
mod ngram;
mod phrase;
mod term;

use tantivy::{DocId, TERMINATED};

use crate::document_set::DocumentSet;

pub(crate) use boolean::{Conjunction, Exclusion};
pub(crate) use disjunction::Disjunction;
pub(crate) use nested::NestedMatches;
pub(crate) use ngram::{Gram, NgramMatches};
pub(crate) use phrase::{PhraseMatches, Slot};
pub(crate) use term::TermMatches;

/// A number that the scores of some documents do not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) score: f32,
    /// The last of these documents.
    pub(crate) last: DocId,
}

impl Bound {
    /// The bound of documents without scores.
    pub(crate) const ZERO: Bound = Bound { score: 0.0, last: TERMINATED };

    /// The bound of unknown scores.
    pub(crate) const UNKNOWN: Bound = Bound { score: f32::INFINITY, last: TERMINATED };

    /// Returns the bound of sums. Rounding keeps it one if scores are added in the same order.
    pub(crate) fn plus(self, other: Bound) -> Bound {
        Bound { score: self.score + other.score, last: self.last.min(other.last) }
    }
}

/// The documents of a segment that match. It begins at the first of them.
pub(crate) trait Matches: Send {
    /// Returns the current document; [`TERMINATED`] after the last.
    fn document(&self) -> DocId;

    /// Goes to the next document, and returns it.
    fn advance(&mut self) -> DocId;

    /// Goes to the first document that is not before `target`, and returns it.
    fn seek(&mut self, target: DocId) -> DocId {
        while self.document() < target {
            self.advance();
        }
        self.document()
    }

    /// Returns the score of the current document by one of the scorers.
    fn score(&mut self, scorer: usize) -> f32;

    /// Returns a bound of the scores of the documents from `target` on, up to a last one. Targets
    /// ascend.
    fn bound(&mut self, _scorer: usize, _target: DocId) -> Bound {
        Bound::UNKNOWN
    }

    /// Goes to a document that is not before `target`. It passes none whose score is greater than
    /// `threshold`.
    ///
    /// Nothing but this may be called after it has returned [`TERMINATED`].
    fn seek_above(&mut self, scorer: usize, target: DocId, threshold: f32) -> DocId {
        self.seek_above_by_bounds(scorer, target, threshold)
    }

    /// Does the same by [`Matches::bound`] alone.
    fn seek_above_by_bounds(&mut self, scorer: usize, target: DocId, threshold: f32) -> DocId {
        let mut target = target;
        loop {
            let bound = self.bound(scorer, target);
            if bound.score > threshold {
                let document = self.seek(target);
                if document <= bound.last {
                    return document;
                }
                target = document;
            } else if bound.last == TERMINATED {
                return TERMINATED;
            } else {
                target = bound.last + 1;
            }
            if target == TERMINATED {
                return TERMINATED;
            }
        }
    }

    /// Estimates the number of documents.
    fn cost(&self) -> u64;

    /// Returns the number of documents if it is known without a look at each; `None` otherwise.
    fn count(&self) -> Option<u64> {
        None
    }
}

/// No documents.
pub(crate) struct Empty;

impl Matches for Empty {
    fn document(&self) -> DocId {
        TERMINATED
    }

    fn advance(&mut self) -> DocId {
        TERMINATED
    }

    fn score(&mut self, _scorer: usize) -> f32 {
        0.0
    }

    fn bound(&mut self, _scorer: usize, _target: DocId) -> Bound {
        Bound::ZERO
    }

    fn cost(&self) -> u64 {
        0
    }

    fn count(&self) -> Option<u64> {
        Some(0)
    }
}

/// The documents of a set, without scores.
pub(crate) struct SetMatches {
    set: DocumentSet,
    document: DocId,
}

impl SetMatches {
    pub(crate) fn new(set: DocumentSet) -> Self {
        SetMatches { document: set.first_from(0), set }
    }
}

impl Matches for SetMatches {
    fn document(&self) -> DocId {
        self.document
    }

    fn advance(&mut self) -> DocId {
        if self.document != TERMINATED {
            self.document = self.set.first_from(self.document + 1);
        }
        self.document
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document < target {
            self.document = self.set.first_from(target);
        }
        self.document
    }

    fn score(&mut self, _scorer: usize) -> f32 {
        0.0
    }

    fn bound(&mut self, _scorer: usize, _target: DocId) -> Bound {
        Bound::ZERO
    }

    fn cost(&self) -> u64 {
        self.set.len()
    }

    fn count(&self) -> Option<u64> {
        Some(self.set.len())
    }
}
