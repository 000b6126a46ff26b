//! A walk over all edges of a collection in one direction, in byte order of the vertices, without
//! touching a document.

use errors::{Error, Result};
use kv::{Block, BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use super::encoding::{self, EdgeDirection};
use crate::index::Index;

/// A walk in progress.
pub struct EdgeWalk {
    scan: Box<dyn Scan>,
}

/// The ends of some edges, as the index stores them.
#[derive(Clone, Debug)]
pub struct EdgeEndPairs {
    block: Block,
}

impl EdgeWalk {
    /// Starts at the vertex `from`, included, and ends at `to`, excluded; `None` is no bound.
    pub(crate) fn start(
        snapshot: &dyn Snapshot,
        index: &Index,
        direction: EdgeDirection,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<Self> {
        let object = index.definition().object_id;
        let mut range = KeyRange::prefix(&encoding::direction_prefix(object, direction));
        if let Some(from) = from {
            range.start = encoding::vertex_prefix(object, direction, from);
        }
        if let Some(to) = to {
            range.end = encoding::vertex_prefix(object, direction, to);
        }
        let scan = snapshot.scan(ScanSpec { sequential: true, ..ScanSpec::forward(range) })?;
        Ok(EdgeWalk { scan })
    }

    /// Returns the next edges, or `None` after the last.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<EdgeEndPairs>> {
        Ok(self.scan.next_block(limits)?.map(|block| EdgeEndPairs { block }))
    }
}

impl EdgeEndPairs {
    /// Iterates over the edges: the identifier of the vertex whose edge it is, and that of the
    /// vertex at the other end.
    ///
    /// Errors: 1102 for a damaged entry.
    pub fn iter(&self) -> impl Iterator<Item = Result<(&str, &str)>> {
        self.block.iter().map(|(key, other)| {
            let vertex = encoding::layout(key).and_then(|(vertex, _)| key.get(vertex));
            let vertex = vertex.and_then(|vertex| std::str::from_utf8(vertex).ok());
            let ends = vertex.zip(std::str::from_utf8(other).ok());
            ends.ok_or_else(|| Error::corrupt("the edge index has a damaged entry"))
        })
    }
}
