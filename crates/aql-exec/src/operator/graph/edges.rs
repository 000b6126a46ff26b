//! Reading the edges of vertices from indexes.

use aql_value::Value;
use errors::Result;
use storage::{EdgeDirection, EdgeReader, VertexEdges};

use super::access::{EdgeAccessProgram, FinderContext};
use super::list_cache::ListCache;
use super::vertex_centric::{AccessedVertex, VertexCentricScans};
use crate::context::ExecutionContext;
use crate::graph_search::edges::{EdgeList, ReadPosition};
use crate::graph_search::path::Side;
use crate::graph_search::vertices::Vertex;
use crate::operator::index_lookup::EntryBatch;

/// A finder of edges that keeps its results.
pub(super) struct EdgeFinder {
    accesses: Box<[EdgeAccessProgram]>,
    /// The reader of each access's edge index, for either side of a search.
    readers: Vec<[Option<EdgeReader>; 2]>,
    /// The lists read before, on each side.
    lists: [ListCache; 2],
    /// Names of the collections to which edges may lead; `None`: any.
    vertex_collections: Option<Box<[Box<str>]>>,
    /// True if a consumer reads the keys of edges.
    keeps_keys: bool,
    vertex_centric: VertexCentricScans,
}

/// Edges that are read in one step.
const EDGES_PER_READ: usize = 1000;

/// Maximum size in bytes of edge lists on each side, and the divisor of a query's own limit for
/// them.
const LISTS_MAX_BYTES: u64 = 32 << 20;
const LISTS_MEMORY_SHARE: u64 = 8;

impl EdgeFinder {
    pub(super) fn new(
        accesses: Vec<EdgeAccessProgram>,
        vertex_collections: Option<Box<[Box<str>]>>,
        keeps_keys: bool,
        memory_limit_bytes: Option<u64>,
    ) -> Self {
        let own_share = memory_limit_bytes.map_or(LISTS_MAX_BYTES, |limit| limit / LISTS_MEMORY_SHARE);
        let limit_bytes = LISTS_MAX_BYTES.min(own_share);
        Self {
            readers: accesses.iter().map(|_| [None, None]).collect(),
            accesses: accesses.into(),
            lists: [ListCache::new(limit_bytes), ListCache::new(limit_bytes)],
            vertex_collections,
            keeps_keys,
            vertex_centric: VertexCentricScans::default(),
        }
    }

    pub(super) fn accesses(&self) -> &[EdgeAccessProgram] {
        &self.accesses
    }

    /// Drops everything that concerns one outer row.
    pub(super) fn start_row(&mut self) {
        self.vertex_centric.start_row();
    }

    /// Drops all lists.
    pub(super) fn forget_lists(&mut self) {
        self.lists.iter_mut().for_each(ListCache::clear);
    }

    pub(super) fn release(&mut self) {
        self.readers.iter_mut().flatten().flatten().for_each(EdgeReader::release);
        self.vertex_centric.release();
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.lists.iter().map(ListCache::memory_bytes).sum()
    }

    /// Appends the list of a vertex, if it was kept.
    pub(super) fn known(&self, vertex: Vertex, side: Side, list: &mut EdgeList) -> bool {
        self.lists.get(side as usize).is_some_and(|lists| lists.get(vertex, list))
    }

    /// Keeps the complete list of a vertex.
    pub(super) fn keep(&mut self, vertex: Vertex, side: Side, list: &EdgeList) {
        if let Some(lists) = self.lists.get_mut(side as usize) {
            lists.insert(vertex, list);
        }
    }

    /// Adds some of the edges at a vertex that is `depth` edges away from the start.
    ///
    /// Returns true if there may be more.
    pub(super) fn some(
        &mut self,
        vertex: Vertex,
        depth: u32,
        position: &mut ReadPosition,
        list: &mut EdgeList,
        lookup: &mut FinderContext<'_>,
    ) -> Result<bool> {
        let is_complete = *position == ReadPosition::default()
            && !self.accesses.iter().any(|access| access.is_vertex_centric(depth));
        if is_complete && self.known(vertex, Side::Start, list) {
            return Ok(false);
        }
        while let Some(access) = self.accesses.get(position.access) {
            let has_more = if access.is_vertex_centric(depth) {
                self.read_vertex_centric(vertex, depth, position, list, lookup)?
            } else {
                let access = position.access;
                self.read_edge_index(access, Side::Start, vertex, &mut position.after, list, lookup)?
            };
            if !has_more {
                *position = ReadPosition { access: position.access + 1, ..ReadPosition::default() };
            }
            if has_more || (list.edges.len() >= EDGES_PER_READ && position.access < self.accesses.len()) {
                return Ok(true);
            }
        }
        if is_complete {
            self.keep(vertex, Side::Start, list);
        }
        Ok(false)
    }

    /// Adds all edges at a vertex on a side, found by edge indexes.
    pub(super) fn all(
        &mut self,
        vertex: Vertex,
        side: Side,
        list: &mut EdgeList,
        lookup: &mut FinderContext<'_>,
    ) -> Result<()> {
        for access in 0..self.accesses.len() {
            let mut after = None;
            while self.read_edge_index(access, side, vertex, &mut after, list, lookup)? {
                lookup.context.interrupt.check()?;
            }
        }
        Ok(())
    }

    /// Says at which vertices edges will probably be asked for next, and how far each is from the
    /// start.
    pub(super) fn prefetch(
        &mut self,
        vertices: &[(Vertex, u32)],
        side: Side,
        lookup: &mut FinderContext<'_>,
    ) -> Result<()> {
        let lists = self.lists.get(side as usize);
        let is_known = |vertex| lists.is_some_and(|lists| lists.has(vertex));
        for (number, (access, readers)) in self.accesses.iter().zip(&mut self.readers).enumerate() {
            let Some(slot) = readers.get_mut(side as usize) else { continue };
            for &(vertex, depth) in vertices.iter().filter(|(_, depth)| access.is_vertex_centric(*depth)) {
                self.vertex_centric.fetch(AccessedVertex { access, number, vertex, depth }, lookup)?;
            }
            let is_read =
                |&(vertex, depth): &(Vertex, u32)| !access.is_vertex_centric(depth) && !is_known(vertex);
            let vertices = vertices.iter().copied().filter(is_read).map(|(vertex, _)| vertex);
            let ids: Vec<&[u8]> = vertices.map(|vertex| lookup.vertices.id(vertex)).collect();
            if !ids.is_empty() {
                reader(slot, access, side, lookup.context)?.prefetch(ids.into_iter())?;
            }
        }
        Ok(())
    }

    fn read_edge_index(
        &mut self,
        access_number: usize,
        side: Side,
        vertex: Vertex,
        after: &mut Option<Vec<u8>>,
        list: &mut EdgeList,
        lookup: &mut FinderContext<'_>,
    ) -> Result<bool> {
        let Some(access) = self.accesses.get(access_number) else { return Ok(false) };
        let readers = self.readers.get_mut(access_number).and_then(|readers| readers.get_mut(side as usize));
        let Some(slot) = readers else { return Ok(false) };
        let is_created = slot.is_none();
        let reader = reader(slot, access, side, lookup.context)?;
        let id = lookup.vertices.id(vertex);
        let read = reader.read(id, after.as_deref(), EDGES_PER_READ);
        let (edges, has_more) = read?;
        let statistics = &mut lookup.context.statistics;
        match is_created {
            true => statistics.cursors_created += 1,
            false => statistics.cursors_rearmed += 1,
        }
        statistics.scanned_index += edges.len() as u64;
        statistics.cache += edges.cache_use();
        let visible = visible_edges(edges, access, lookup.context)?;
        let number = access_number as u16;
        let first = list.edges.len();
        list.edges.reserve(edges.len());
        for (position, (key, other)) in edges.iter().enumerate() {
            let is_visible = visible.as_ref().is_none_or(|visible| visible.get(position) == Some(&true));
            if is_visible && leads_to(self.vertex_collections.as_deref(), other) {
                let vertex = lookup.vertices.intern(other)?;
                list.push(vertex, number, if self.keeps_keys { key } else { &[] });
            }
        }
        let found = list.edges.get(first..).unwrap_or_default();
        if let Some(existence) = lookup.existence.as_mut().filter(|_| visible.is_none())
            && !found.is_empty()
            && found.len() == edges.len()
        {
            existence.learn(edges, found, lookup.context);
        }
        *after = if has_more { edges.iter().last().map(|(key, _)| key.to_vec()) } else { None };
        Ok(has_more)
    }

    fn read_vertex_centric(
        &mut self,
        vertex: Vertex,
        depth: u32,
        position: &mut ReadPosition,
        list: &mut EdgeList,
        lookup: &mut FinderContext<'_>,
    ) -> Result<bool> {
        let number = position.access;
        let Some(access) = self.accesses.get(number) else { return Ok(false) };
        let at = AccessedVertex { access, number, vertex, depth };
        let (entries, unfinished) =
            self.vertex_centric.read(at, position.scan.take(), EDGES_PER_READ, lookup)?;
        position.scan = unfinished;
        self.add_documents(number, &entries, list, lookup)?;
        Ok(position.scan.is_some())
    }

    /// Adds the edges of index entries. Only their documents say where they lead.
    fn add_documents(
        &self,
        number: usize,
        entries: &EntryBatch,
        list: &mut EdgeList,
        lookup: &mut FinderContext<'_>,
    ) -> Result<()> {
        let Some(access) = self.accesses.get(number).filter(|_| !entries.is_empty()) else { return Ok(()) };
        let keys: Vec<&str> = (0..entries.len()).map(|entry| entries.key(entry)).collect();
        let snapshot = lookup.context.data.start();
        lookup.context.statistics.document_lookups += keys.len() as u64;
        // Edges found without documents have none in the list.
        list.documents.resize(list.edges.len(), Value::Null);
        let mut memory = lookup.context.new_charge();
        let mut keys_left = keys.iter();
        snapshot.get_all(&access.collection, &keys, |found| {
            memory.grow(found.block.bytes.len() as u64)?;
            for (offset, key) in found.offsets.iter().zip(keys_left.by_ref()) {
                let Some(offset) = offset else { continue };
                let document = Value::in_block(&found.block, *offset);
                let other = document.get(access.other_end());
                let Some(other) = other.as_str().map(str::as_bytes) else { continue };
                if leads_to(self.vertex_collections.as_deref(), other) {
                    list.push(lookup.vertices.intern(other)?, number as u16, key.as_bytes());
                    list.documents.push(document);
                }
            }
            Ok(())
        })
    }
}

/// Returns the reader of an access's edge index on a side. Creates it if there is none.
fn reader<'a>(
    slot: &'a mut Option<EdgeReader>,
    access: &EdgeAccessProgram,
    side: Side,
    context: &ExecutionContext,
) -> Result<&'a mut EdgeReader> {
    match slot {
        Some(reader) => Ok(reader),
        None => {
            let direction = match side {
                Side::Start => access.direction,
                Side::Target => opposite(access.direction),
            };
            Ok(slot.insert(context.data.start().edge_reader(&access.collection, direction)?))
        }
    }
}

/// Returns for each of some edges if the user sees it; `None` if the user sees all edges of the
/// collection.
fn visible_edges(
    edges: VertexEdges<'_>,
    access: &EdgeAccessProgram,
    context: &ExecutionContext,
) -> Result<Option<Vec<bool>>> {
    let snapshot = context.data.start();
    if snapshot.restriction(&access.collection)?.is_none() {
        return Ok(None);
    }
    let keys: Vec<&str> = edges.iter().map(|(key, _)| std::str::from_utf8(key).unwrap_or_default()).collect();
    snapshot.contains(&access.collection, &keys).map(Some)
}

fn opposite(direction: EdgeDirection) -> EdgeDirection {
    match direction {
        EdgeDirection::Outbound => EdgeDirection::Inbound,
        EdgeDirection::Inbound => EdgeDirection::Outbound,
    }
}

/// Returns true if a vertex belongs to one of some collections.
fn leads_to(collections: Option<&[Box<str>]>, id: &[u8]) -> bool {
    let Some(collections) = collections else { return true };
    let end = id.iter().position(|byte| *byte == b'/').unwrap_or(id.len());
    let name = id.get(..end).unwrap_or_default();
    collections.iter().any(|collection| collection.as_bytes() == name)
}
