//! Reading the edges of vertices from other indexes than the edge index.

use std::collections::{HashMap, HashSet, VecDeque};

use aql_plan::IndexHint;
use aql_value::Value;
use errors::Result;
use storage::{IndexRange, ScanOptions};

use super::access::{EdgeAccessProgram, EdgeLookupProgram, FinderContext};
use crate::graph_search::vertices::Vertex;
use crate::operator::index_lookup::{EntryBatch, EntrySink, EntrySource, index_value};
use crate::statistics::CursorUse;

/// Bytes of entries that are read in one step.
const BYTES_PER_READ: usize = 1 << 20;

/// Maximum number of scans that fetch entries before a search asks for them. Each holds a page of
/// the engine.
const AHEAD_MAX: usize = 64;

/// The ranges of the indexes for the current outer row, by access and depth. `None` where nothing
/// can be found.
type Ranges = HashMap<(usize, Option<u32>), Option<IndexRange>>;

/// A vertex whose edges an access finds.
#[derive(Clone, Copy)]
pub(super) struct AccessedVertex<'a> {
    pub(super) access: &'a EdgeAccessProgram,
    /// The number of the access.
    pub(super) number: usize,
    pub(super) vertex: Vertex,
    /// The number of edges from the start to the vertex.
    pub(super) depth: u32,
}

/// The scans for one outer row.
#[derive(Default)]
pub(super) struct VertexCentricScans {
    ranges: Ranges,
    /// Unfinished scans by number.
    unfinished: HashMap<usize, VertexScan>,
    next_number: usize,
    /// Scans that have not begun, by access, vertex and depth, the oldest first.
    ahead: VecDeque<((usize, Vertex, u32), VertexScan)>,
    cursor: CursorUse,
}

/// A scan of a vertex-centric index for one vertex.
struct VertexScan {
    source: EntrySource,
    /// Keys of edges found before: an index over the elements of arrays finds some several times.
    seen: HashSet<Box<str>>,
}

impl VertexCentricScans {
    /// Drops everything that concerns one outer row.
    pub(super) fn start_row(&mut self) {
        self.ranges.clear();
        self.unfinished.clear();
        self.ahead.clear();
    }

    pub(super) fn release(&mut self) {
        let scans = self.unfinished.values_mut().chain(self.ahead.iter_mut().map(|(_, scan)| scan));
        scans.for_each(|scan| scan.source.release());
    }

    /// Begins to fetch the edges of a vertex. The oldest scans that nobody has asked for are
    /// forgotten.
    pub(super) fn fetch(&mut self, at: AccessedVertex<'_>, lookup: &mut FinderContext<'_>) -> Result<()> {
        let name = (at.number, at.vertex, at.depth);
        if self.ahead.iter().any(|(ahead, _)| *ahead == name) {
            return Ok(());
        }
        let Some(mut scan) = open_scan(at, &mut self.ranges, lookup)? else { return Ok(()) };
        scan.source.fetch()?;
        if self.ahead.len() >= AHEAD_MAX {
            self.ahead.pop_front();
        }
        self.ahead.push_back((name, scan));
        Ok(())
    }

    /// Reads at most `limit` entries of a vertex, or the next ones of an unfinished scan. Returns
    /// the number of the scan if there may be more.
    pub(super) fn read(
        &mut self,
        at: AccessedVertex<'_>,
        unfinished: Option<usize>,
        limit: usize,
        lookup: &mut FinderContext<'_>,
    ) -> Result<(EntryBatch, Option<usize>)> {
        let mut entries = EntryBatch::default();
        let mut scan = match unfinished.and_then(|number| self.unfinished.remove(&number)) {
            Some(scan) => scan,
            None => {
                let name = (at.number, at.vertex, at.depth);
                let ahead = self.ahead.iter().position(|(ahead, _)| *ahead == name);
                let opened = match ahead.and_then(|position| self.ahead.remove(position)) {
                    Some((_, scan)) => Some(scan),
                    None => open_scan(at, &mut self.ranges, lookup)?,
                };
                let Some(scan) = opened else { return Ok((entries, None)) };
                self.cursor.begin_row();
                scan
            }
        };
        let mut sink = EntrySink {
            batch: &mut entries,
            row: 0,
            seen: Some(&mut scan.seen),
            limit,
            wants_covered: false,
        };
        let has_more = scan.source.read(&mut sink, &mut self.cursor, lookup.context, BYTES_PER_READ)?;
        let number = has_more.then_some(self.next_number);
        if let Some(number) = number {
            self.unfinished.insert(number, scan);
            self.next_number += 1;
        }
        Ok((entries, number))
    }
}

/// Starts a lookup of the edges of a vertex; `None` if there are none.
fn open_scan(
    at: AccessedVertex<'_>,
    ranges: &mut Ranges,
    lookup: &mut FinderContext<'_>,
) -> Result<Option<VertexScan>> {
    let AccessedVertex { access, number, vertex, depth } = at;
    let EdgeLookupProgram::VertexCentric(programs) = access.lookup_at(depth) else { return Ok(None) };
    let has_own = access.at_depth.iter().any(|(at, _)| *at == u64::from(depth));
    let range = match ranges.entry((number, has_own.then_some(depth))) {
        std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
        std::collections::hash_map::Entry::Vacant(entry) => {
            let columns = programs.evaluate(lookup.outer_row, lookup.context)?;
            entry.insert(programs.for_row(&columns, 0, &lookup.context.interrupt)?)
        }
    };
    let Some(range) = range else { return Ok(None) };
    let Ok(id) = std::str::from_utf8(lookup.vertices.id(vertex)) else { return Ok(None) };
    let own = range.behind(index_value(&Value::from_str(id))?);
    let options = ScanOptions {
        ascending: true,
        ordered: false,
        limit_each: None,
        wants_documents: true,
        wants_covered: false,
        lookahead: IndexHint::DEFAULT_LOOKAHEAD,
    };
    // The documents of the entries are looked up, and hidden ones left out.
    let snapshot = lookup.context.data.start().clone().seeing_all_of(&[access.collection.id()].into());
    let source = EntrySource::open(&snapshot, &access.collection, &programs.index, vec![own], &options)?;
    Ok(Some(VertexScan { source, seen: HashSet::new() }))
}
