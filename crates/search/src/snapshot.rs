//! A state of an index: segments and their living documents.

use std::sync::Arc;

use errors::Result;

use crate::analysis::Dictionary;
use crate::segment::{Alive, Segment};
use crate::term::key_term;

/// An immutable state of an index: segments, each with the bits of its living documents.
///
/// A copy shares everything. A change makes a new state, so a query keeps the state that it began
/// with.
#[derive(Clone, Debug, Default)]
pub struct SearchSnapshot {
    parts: Vec<SnapshotPart>,
}

/// A segment of a snapshot.
#[derive(Clone, Debug)]
pub struct SnapshotPart {
    /// The segment.
    pub segment: Arc<Segment>,
    /// Its living documents.
    pub alive: Alive,
}

impl SearchSnapshot {
    /// Returns a state with these parts. Each key lives in at most one of them.
    pub fn new(parts: Vec<SnapshotPart>) -> Self {
        SearchSnapshot { parts }
    }

    /// Returns the union of several states, as a view with several links has it.
    pub fn union<'s>(snapshots: impl IntoIterator<Item = &'s SearchSnapshot>) -> Self {
        let parts = snapshots.into_iter().flat_map(|snapshot| snapshot.parts.iter().cloned());
        SearchSnapshot { parts: parts.collect() }
    }

    /// Returns the segments with their living documents.
    pub fn parts(&self) -> &[SnapshotPart] {
        &self.parts
    }

    /// Adds a segment, all of whose documents live.
    pub fn add(&mut self, segment: Arc<Segment>) {
        self.parts.push(SnapshotPart::new(segment));
    }

    /// Marks the documents with these keys as deleted, with their nested documents.
    pub fn delete(&mut self, keys: &[&str]) -> Result<()> {
        self.parts.iter_mut().try_for_each(|part| part.delete(keys))
    }

    /// Returns the segments.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.parts.iter().map(|part| &*part.segment)
    }
}

impl SnapshotPart {
    /// Returns a segment, all of whose documents live.
    pub fn new(segment: Arc<Segment>) -> Self {
        let alive = Alive::all(segment.documents());
        SnapshotPart { segment, alive }
    }

    /// Returns a segment with the bits of its living documents as [`Alive::to_bytes`] gave them;
    /// `None` if they belong to another segment.
    pub fn restored(segment: Arc<Segment>, alive: &[u8]) -> Option<Self> {
        let alive = Alive::from_bytes(segment.documents(), alive)?;
        Some(SnapshotPart { segment, alive })
    }

    /// Marks the documents with these keys as deleted, with their nested documents.
    pub fn delete(&mut self, keys: &[&str]) -> Result<()> {
        for key in keys {
            let term = key_term(key);
            let Some(info) = self.segment.term(Dictionary::Documents, term.as_bytes())? else { continue };
            let mut postings = self.segment.postings(Dictionary::Documents, &info)?;
            let mut document = tantivy::DocSet::doc(&postings);
            while document != tantivy::TERMINATED {
                if self.alive.contains(document) {
                    self.alive.remove(self.segment.block_start(document), document);
                }
                document = tantivy::DocSet::advance(&mut postings);
            }
        }
        Ok(())
    }
}
