//! What an entry of the cache has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::commit_order::CommitNumber;
use super::encoded_edges::EncodedEdges;

/// A document, or the edges of a vertex.
#[derive(Clone)]
pub(crate) enum CachedValue {
    /// A document that there is not.
    Nothing,
    Document(Arc<[u8]>),
    Edges(Arc<CachedEdges>),
}

/// All edges of a vertex in one direction.
pub(crate) struct CachedEdges {
    /// As of which commit all vertices at the other ends existed: one more than its number, or 0 if that is not known.
    ends_existed: AtomicU64,
    /// As [`EncodedEdges`] has written them.
    bytes: Box<[u8]>,
}

impl CachedValue {
    /// The document, if there is one.
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

    /// The edges.
    pub(crate) fn edges(&self) -> EncodedEdges<'_> {
        EncodedEdges::new(&self.bytes)
    }

    /// The last commit of which it is known that all vertices at the other ends existed as of it.
    pub(crate) fn ends_existed(&self) -> Option<CommitNumber> {
        self.ends_existed.load(Ordering::SeqCst).checked_sub(1)
    }

    /// As of a commit all vertices at the other ends existed.
    pub(crate) fn note_ends_existed(&self, as_of: CommitNumber) {
        self.ends_existed.fetch_max(as_of.saturating_add(1), Ordering::SeqCst);
    }
}
