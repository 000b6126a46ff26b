//! The contents of an entry of the read cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::Block;

use super::commit_order::CommitNumber;
use super::encoded_edges::EncodedEdges;
use super::encoded_pairs;

/// A document or an entry of a unique index, the edges of a vertex, or the entries of an index with
/// one value.
#[derive(Clone)]
pub(crate) enum CachedValue {
    /// The absence of a document or an entry.
    Nothing,
    Document(Arc<[u8]>),
    Edges(Arc<CachedEdges>),
    /// Entries as [`encoded_pairs`] has written them.
    Entries(Arc<[u8]>),
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
            CachedValue::Nothing | CachedValue::Edges(_) | CachedValue::Entries(_) => None,
        }
    }

    /// Returns the entries of an index, if there are at most `rows` of them. `prefix` is what their
    /// keys begin with.
    pub(crate) fn block(&self, prefix: &[u8], rows: usize) -> Option<Block> {
        let CachedValue::Entries(bytes) = self else { return None };
        let count = encoded_pairs::iter(bytes).count();
        if count > rows {
            return None;
        }
        let mut block = Block::with_capacity(count, bytes.len() + count * prefix.len());
        let mut key = prefix.to_vec();
        for (rest, value) in encoded_pairs::iter(bytes) {
            key.truncate(prefix.len());
            key.extend_from_slice(rest);
            if !block.push(&key, value) {
                return None;
            }
        }
        Some(block)
    }

    pub(super) fn size_bytes(&self) -> usize {
        match self {
            CachedValue::Nothing => 0,
            CachedValue::Document(bytes) => bytes.len(),
            CachedValue::Entries(bytes) => bytes.len(),
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
