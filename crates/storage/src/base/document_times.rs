//! The times of operations on documents, if they are measured.

use std::time::Instant;

use crate::histogram::{Histogram, Summary};

/// The bounds in seconds between which times of operations and of locks are counted.
pub const OPERATION_CUTS: [f64; 10] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];

/// An operation on a document or on all documents of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentOperation {
    /// A new document.
    Insert,
    /// A patch of a document.
    Update,
    /// Another document under the same key.
    Replace,
    /// A removal of a document.
    Remove,
    /// A lookup of a document by its key.
    Read,
    /// A removal of all documents of a collection.
    Truncate,
}

/// The times of each kind of operation since the store opened.
#[derive(Debug, Default)]
pub(crate) struct DocumentTimes {
    inserts: Histogram<10>,
    updates: Histogram<10>,
    replacements: Histogram<10>,
    removals: Histogram<10>,
    reads: Histogram<10>,
    truncations: Histogram<10>,
}

impl DocumentTimes {
    /// Counts operations that have ended now and began together.
    pub(crate) fn note(&self, operation: DocumentOperation, count: usize, began: Instant) {
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.histogram(operation).add_all_micros(&OPERATION_CUTS, count as u64, micros);
    }

    /// Returns the times of an operation in seconds, by [`OPERATION_CUTS`].
    pub(crate) fn summary(&self, operation: DocumentOperation) -> Summary {
        let mut summary = Summary::default();
        self.histogram(operation).add_to(&mut summary, 1e-6);
        summary
    }

    fn histogram(&self, operation: DocumentOperation) -> &Histogram<10> {
        match operation {
            DocumentOperation::Insert => &self.inserts,
            DocumentOperation::Update => &self.updates,
            DocumentOperation::Replace => &self.replacements,
            DocumentOperation::Remove => &self.removals,
            DocumentOperation::Read => &self.reads,
            DocumentOperation::Truncate => &self.truncations,
        }
    }
}
