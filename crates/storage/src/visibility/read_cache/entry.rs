//! The contents of an entry of the read cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::commit_order::CommitNumber;
use super::encoded_edges::EncodedEdges;

/// A document, or the edges of a vertex.
#[derive(Clone)]
pub(crate) enum CachedValue {
    /// The absence of a document.
    Nothing,
    Document(Arc<[u8]>),
    Edges(Arc<CachedEdges>),
}

/// All edges of a vertex in one direction.
pub(crate) struct CachedEdges {
    /// The commit as of which all vertices at the other ends existed, plus 1; 0 if that is not
    /// known.
    ends_existed: AtomicU64,
    /// The edges as [`EncodedEdges`] has written them.
    bytes: Box<[u8]>,
}

impl CachedValue {
    /// Returns the document, if there is one.
    pub(super) fn document(&self) -> Option<&[u8]> {
        match self {
            CachedValue::Document(bytes) => Some(bytes),
            CachedValue::Nothing | CachedValue::Edges(_) => None,
        }
    }

    pub(super) fn size_bytes(&self) -> usize {
        match self {
            CachedValue::Nothing => 0,
            CachedValue::Document(bytes) => bytes.len(),
            CachedValue::Edges(edges) => edges.bytes.len() + size_of::<CachedEdges>(),
        }
    }
}

impl CachedEdges {
    pub(super) fn new(bytes: &[u8]) -> Self {
        CachedEdges { ends_existed: AtomicU64::new(0), bytes: bytes.into() }
    }

    /// Returns the edges.
    pub(crate) fn edges(&self) -> EncodedEdges<'_> {
        EncodedEdges::new(&self.bytes)
    }

    /// Returns the last commit as of which all vertices at the other ends are known to have
    /// existed.
    pub(crate) fn ends_existed(&self) -> Option<CommitNumber> {
        self.ends_existed.load(Ordering::SeqCst).checked_sub(1)
    }

    /// Records that all vertices at the other ends existed as of a commit.
    pub(crate) fn note_ends_existed(&self, as_of: CommitNumber) {
        self.ends_existed.fetch_max(as_of.saturating_add(1), Ordering::SeqCst);
    }
}
