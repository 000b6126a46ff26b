//! Sets of hits, for conditions that are answered outside of the dictionaries.

use crate::document_set::DocumentSet;
use crate::hit::Hit;
use crate::snapshot::SearchSnapshot;

/// A set of documents of a snapshot.
#[derive(Clone, Debug)]
pub struct HitSet {
    segments: Vec<DocumentSet>,
}

impl HitSet {
    /// Returns an empty set for the documents of a snapshot.
    pub fn new(snapshot: &SearchSnapshot) -> Self {
        let segments = snapshot.segments().map(|segment| DocumentSet::new(segment.documents()));
        HitSet { segments: segments.collect() }
    }

    /// Adds a document.
    pub fn insert(&mut self, hit: Hit) {
        if let Some(documents) = self.segments.get_mut(hit.segment as usize) {
            documents.insert(hit.document);
        }
    }

    /// Returns the documents of a segment.
    pub(crate) fn documents(&self, segment: usize) -> Option<&DocumentSet> {
        self.segments.get(segment)
    }
}
