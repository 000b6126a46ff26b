//! Lookups in the edge index: the edges of vertices, without touching a document.

use std::sync::Arc;

use catalog::ObjectId;
use errors::{Error, Result};
use kv::{BlockLimits, Scan, ScanSpec, Snapshot};

use super::encoding::{self, EdgeDirection};
use crate::index::Index;
use crate::index::found::{EntryCollector, IndexEntries};
use crate::index::next_scans::NextScans;
use crate::index::scan::{EntryScan, ScanHost, ScanSource};

/// A scan of the edges of some vertices, vertex by vertex, in order of the edges' keys within each
/// vertex.
pub struct EdgeScan {
    snapshot: Arc<dyn Snapshot>,
    object: ObjectId,
    direction: EdgeDirection,
    vertices: Vec<String>,
    /// The position of the vertex whose edges `scan` reads.
    position: usize,
    scan: Option<Box<dyn Scan>>,
    /// The scans of the following vertices.
    next: NextScans<Box<dyn Scan>>,
    /// The number of vertices whose scans were opened.
    opened: usize,
}

impl EdgeScan {
    pub(crate) fn start(
        snapshot: &Arc<dyn Snapshot>,
        index: &Index,
        direction: EdgeDirection,
        vertices: Vec<String>,
    ) -> Self {
        EdgeScan {
            snapshot: Arc::clone(snapshot),
            object: index.definition().object_id,
            direction,
            vertices,
            position: 0,
            scan: None,
            next: NextScans::default(),
            opened: 0,
        }
    }

    /// Returns the next edges, all of one vertex, or `None` after the last. Skips vertices without
    /// edges.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<EdgeEntries>> {
        let concurrent_reads = self.snapshot.concurrent_reads();
        while let Some(scan) = self.begin(concurrent_reads)? {
            if let Some(block) = scan.next_block(limits)? {
                return Ok(Some(EdgeEntries { block, vertex: self.position }));
            }
            self.scan = None;
            self.position += 1;
        }
        Ok(None)
    }

    /// Returns the scan of the current vertex; `None` after the last.
    fn begin(&mut self, concurrent_reads: usize) -> Result<Option<&mut Box<dyn Scan>>> {
        if self.scan.is_none() {
            let EdgeScan { snapshot, object, direction, vertices, opened, next, .. } = self;
            let open = || {
                let Some(vertex) = vertices.get(*opened) else { return Ok(None) };
                let range = encoding::vertex_range(*object, *direction, vertex);
                let scan = snapshot.scan(ScanSpec::forward(range))?;
                *opened += 1;
                Ok(Some(scan))
            };
            self.scan = next.next(concurrent_reads, open, |scan| {
                scan.fetch();
                Ok(())
            })?;
        }
        Ok(self.scan.as_mut())
    }

    /// Begins to fetch the edges of the first vertex.
    fn fetch(&mut self) -> Result<()> {
        if let Some(scan) = self.begin(1)? {
            scan.fetch();
        }
        Ok(())
    }

    /// Releases all that pins memory in the engine. The next block continues after the last one.
    pub fn release(&mut self) {
        self.scan.iter_mut().chain(self.next.iter_mut()).for_each(|scan| scan.release());
    }
}

/// Some edges of one vertex.
#[derive(Clone, Debug)]
pub struct EdgeEntries {
    block: kv::Block,
    vertex: usize,
}

/// An edge as the index stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeEntry<'a> {
    /// The edge's `_key`.
    pub key: &'a str,
    /// The identifier at the edge's other end.
    pub other_vertex: &'a str,
}

impl EdgeEntries {
    /// Returns the position of these edges' vertex in the list of the scan's vertices.
    pub fn vertex(&self) -> usize {
        self.vertex
    }

    /// Returns the number of edges.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Returns true if there are no edges.
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// Returns edge `i`.
    ///
    /// Errors: 1102 if the entry is damaged, 4 if there is no edge `i`.
    pub fn get(&self, i: usize) -> Result<EdgeEntry<'_>> {
        if i >= self.block.len() {
            return Err(Error::internal("an edge behind the end of its block was asked for"));
        }
        entry(self.block.key(i), self.block.value(i))
            .ok_or_else(|| Error::corrupt("the edge index has a damaged entry"))
    }

    /// Iterates over the edges in order.
    pub fn iter(&self) -> impl Iterator<Item = Result<EdgeEntry<'_>>> {
        (0..self.len()).map(|i| self.get(i))
    }
}

fn entry<'a>(key: &'a [u8], value: &'a [u8]) -> Option<EdgeEntry<'a>> {
    let (_, edge_key) = encoding::layout(key)?;
    let key = std::str::from_utf8(key.get(edge_key)?).ok()?;
    Some(EdgeEntry { key, other_vertex: std::str::from_utf8(value).ok()? })
}

/// A scan of the edges at the vertices that some searches name, search by search.
pub(super) struct VerticesScan {
    pub(super) source: ScanSource,
    pub(super) index: Arc<Index>,
    /// The direction and vertices of each remaining search, the next one last.
    pub(super) pending: Vec<(EdgeDirection, Vec<String>)>,
    pub(super) scan: Option<EdgeScan>,
    pub(super) wants_covered: bool,
}

impl VerticesScan {
    /// Returns the current scan, or starts the next; `None` after the last.
    fn scan(&mut self) -> Option<&mut EdgeScan> {
        if self.scan.is_none() {
            let (direction, vertices) = self.pending.pop()?;
            self.scan = Some(EdgeScan::start(&self.source.engine, &self.index, direction, vertices));
        }
        self.scan.as_mut()
    }
}

impl EntryScan for VerticesScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        let wants_covered = self.wants_covered;
        loop {
            host.check()?;
            if self.scan().is_none() {
                return Ok(None);
            }
            let Some(scan) = &mut self.scan else { return Ok(None) };
            let Some(edges) = scan.next_block(limits)? else {
                self.scan = None;
                continue;
            };
            host.statistics().entries += edges.len() as u64;
            let vertex = scan.vertices.get(edges.vertex()).map(String::as_str).unwrap_or_default();
            return index_entries(&edges, scan.direction, vertex, wants_covered).map(Some);
        }
    }

    fn fetch(&mut self) -> Result<()> {
        self.scan().map_or(Ok(()), EdgeScan::fetch)
    }

    fn release(&mut self) {
        self.scan.iter_mut().for_each(EdgeScan::release);
    }
}

/// Converts edges to entries that cover `_from` and `_to`.
fn index_entries(
    edges: &EdgeEntries,
    direction: EdgeDirection,
    vertex: &str,
    wants_covered: bool,
) -> Result<IndexEntries> {
    let mut entries = EntryCollector::default();
    for edge in edges.iter() {
        let edge = edge?;
        match direction {
            _ if !wants_covered => entries.push(edge.key)?,
            EdgeDirection::Outbound => entries.push_covering(edge.key, &[vertex, edge.other_vertex])?,
            EdgeDirection::Inbound => entries.push_covering(edge.key, &[edge.other_vertex, vertex])?,
        }
    }
    Ok(entries.finish())
}
