//! Iterators over the documents of one segment that match a query, in ascending order.

mod boolean;
mod nested;
mod ngram;
mod phrase;
mod term;

use tantivy::{DocId, TERMINATED};

use crate::document_set::DocumentSet;

pub(crate) use boolean::{Conjunction, Disjunction, Exclusion};
pub(crate) use nested::NestedMatches;
pub(crate) use ngram::{Gram, NgramMatches};
pub(crate) use phrase::{PhraseMatches, Slot};
pub(crate) use term::TermMatches;

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

    fn cost(&self) -> u64 {
        self.set.len()
    }

    fn count(&self) -> Option<u64> {
        Some(self.set.len())
    }
}
