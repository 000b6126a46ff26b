//! Reads the edges of vertices for traversals, without touching a document.

use std::sync::Arc;

use errors::Result;
use kv::{Block, BlockLimits, PrefixScan, Snapshot};

use super::encoding::{self, EdgeDirection};
use crate::index::Index;
use crate::visibility::edge_ends::{EdgeEnds, LastLoss};
use crate::visibility::read_cache::{
    CacheUse, CachedEdges, CachedValue, CollectionCache, CommitNumber, EncodedEdges, Found,
};

/// A reader of the edges of one vertex after another, in one direction, with one iterator of the
/// engine.
///
/// It serves traversals, which learn the next vertex from the edges of the previous one. It does
/// not read recently read edges again.
pub struct EdgeReader {
    snapshot: Arc<dyn Snapshot>,
    cache: Option<CollectionCache>,
    scan: Option<Box<dyn PrefixScan>>,
    /// The prefix of the entries' keys: `index_bytes` of the index, then the vertex.
    prefix: Vec<u8>,
    index_bytes: usize,
    /// The entries and the edges that were read last; both reuse their memory.
    block: Block,
    edges: Vec<u8>,
    /// The edges that were read last, if they are cached.
    kept: Option<Arc<CachedEdges>>,
}

impl EdgeReader {
    pub(crate) fn start(
        snapshot: Arc<dyn Snapshot>,
        cache: Option<CollectionCache>,
        index: &Index,
        direction: EdgeDirection,
    ) -> Self {
        let prefix = encoding::direction_prefix(index.definition().object_id, direction);
        let index_bytes = prefix.len();
        let (block, edges) = (Block::new(), Vec::new());
        EdgeReader { snapshot, cache, scan: None, prefix, index_bytes, block, edges, kept: None }
    }

    /// Reads the edges of a vertex (a document identifier) in order of their keys, at most `rows`
    /// of them.
    ///
    /// It starts after the edge with the key `after`, if there is one. The flag is true if there
    /// may be more.
    pub fn read(
        &mut self,
        vertex: &[u8],
        after: Option<&[u8]>,
        rows: usize,
    ) -> Result<(VertexEdges<'_>, bool)> {
        self.prefix.truncate(self.index_bytes);
        encoding::append_vertex(vertex, &mut self.prefix);
        let prefix_bytes = self.prefix.len();
        let place = match &self.cache {
            Some(cache) if after.is_none() => match cache.find(&self.prefix) {
                Found::Cached(CachedValue::Edges(kept)) if kept.edges().len() <= rows => {
                    let kept = &*self.kept.insert(kept);
                    let (edges, as_of) = (kept.edges(), cache.as_of());
                    let cache_use = CacheUse { hits: edges.len() as u64, misses: 0 };
                    return Ok((VertexEdges { edges, kept: Some((kept, as_of)), cache_use }, false));
                }
                found => Some(found),
            },
            _ => None,
        };
        let cache_use = CacheUse { hits: 0, misses: place.is_some().into() };
        let scan = match &mut self.scan {
            Some(scan) => scan,
            None => self.scan.insert(self.snapshot.prefix_scan()?),
        };
        let limits = BlockLimits { rows, bytes: READER_BLOCK_BYTES };
        self.block.clear();
        let has_more = match after {
            None => scan.read(&self.prefix, None, limits, &mut self.block)?,
            Some(after) => {
                let position = [&self.prefix, after].concat();
                scan.read(&self.prefix, Some(&position), limits, &mut self.block)?
            }
        };
        let edges =
            self.block.iter().map(|(key, other)| (key.get(prefix_bytes..).unwrap_or_default(), other));
        EncodedEdges::encode(edges, &mut self.edges);
        self.kept = place.filter(|_| !has_more).and_then(|place| place.keep_edges(&self.edges));
        let as_of = self.cache.as_ref().map(CollectionCache::as_of);
        let kept = self.kept.as_ref().zip(as_of);
        Ok((VertexEdges { edges: EncodedEdges::new(&self.edges), kept, cache_use }, has_more))
    }

    /// Says at which vertices the caller will probably read edges next, the next one first.
    ///
    /// Only callers for whom [`crate::Snapshot::concurrent_reads`] is more than 1 need it.
    pub fn prefetch<'v>(&mut self, vertices: impl Iterator<Item = &'v [u8]>) -> Result<()> {
        let prefixes: Vec<Vec<u8>> = vertices
            .map(|vertex| {
                let mut prefix = self.prefix.get(..self.index_bytes).unwrap_or_default().to_vec();
                encoding::append_vertex(vertex, &mut prefix);
                prefix
            })
            .collect();
        let scan = match &mut self.scan {
            Some(scan) => scan,
            None => self.scan.insert(self.snapshot.prefix_scan()?),
        };
        scan.prefetch(&prefixes.iter().map(Vec::as_slice).collect::<Vec<_>>());
        Ok(())
    }

    /// Releases all that pins memory in the engine.
    pub fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}

/// Maximum number of bytes that an [`EdgeReader`] reads in one step.
const READER_BLOCK_BYTES: usize = 1 << 20;

/// Some edges of one vertex, as an [`EdgeReader`] has read them.
#[derive(Clone, Copy)]
pub struct VertexEdges<'a> {
    edges: EncodedEdges<'a>,
    /// The cache entry, if these are all edges of the vertex and they are cached, and the last
    /// commit that the reader's snapshot is certain to include.
    kept: Option<(&'a Arc<CachedEdges>, CommitNumber)>,
    cache_use: CacheUse,
}

impl<'a> VertexEdges<'a> {
    /// Returns the number of edges.
    pub fn len(self) -> usize {
        self.edges.len()
    }

    /// Returns true if there are no edges.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the use of the read cache that this step has made.
    pub fn cache_use(self) -> CacheUse {
        self.cache_use
    }

    /// Iterates over the edges in order: the bytes of the `_key` and of the identifier at the other
    /// end of each.
    pub fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.edges.iter()
    }

    /// Returns true if all vertices at the other ends are known to exist. `last_loss` is the
    /// greatest of their collections' [`crate::Snapshot::last_loss`].
    pub fn ends_exist(self, last_loss: LastLoss) -> bool {
        self.kept.is_some_and(|(kept, as_of)| kept.ends_exist(as_of, last_loss))
    }

    /// Returns the handle through which a caller that finds the vertices at the other ends tells
    /// later readers; `None` if no later reader would see it.
    pub fn ends(self) -> Option<EdgeEnds> {
        self.kept.map(|(kept, as_of)| EdgeEnds { edges: Arc::clone(kept), as_of })
    }
}
