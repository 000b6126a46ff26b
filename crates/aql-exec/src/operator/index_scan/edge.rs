//! Entries of edge indexes: the edges at vertices.

use super::entries::EntrySink;
use super::range::Range;
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Result, Value};
use std::sync::Arc;
use storage::{BlockLimits, Collection, EdgeDirection, EdgeScan, Snapshot};

pub(super) struct EdgeSource {
    snapshot: Snapshot,
    collection: Arc<Collection>,
    /// For each direction the vertices to look up; what is done is taken away from the end.
    pending: Vec<(EdgeDirection, Vec<String>)>,
    scan: Option<(EdgeDirection, Vec<String>, EdgeScan)>,
}

impl EdgeSource {
    pub(super) fn new(ranges: &[Range], lookup: &Lookup<'_>) -> Self {
        let mut pending: Vec<_> =
            ranges.iter().map(|range| (direction(range), vertices(range, lookup))).collect();
        pending.reverse();
        Self {
            snapshot: lookup.snapshot.clone(),
            collection: Arc::clone(lookup.collection),
            pending,
            scan: None,
        }
    }
}

/// Field 0 is `_from`, field 1 is `_to`.
fn direction(range: &Range) -> EdgeDirection {
    if range.first_field == 0 { EdgeDirection::Outbound } else { EdgeDirection::Inbound }
}

/// Identifiers of the vertices in the order of the lookup. What is no string names no vertex.
fn vertices(range: &Range, lookup: &Lookup<'_>) -> Vec<String> {
    let values = range.equal.first().map(Vec::as_slice).unwrap_or_default();
    let mut vertices: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if !lookup.ascending {
        vertices.reverse();
    }
    vertices
}

impl EntrySource for EdgeSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        while sink.room() > 0 {
            context.interrupt.check()?;
            let (direction, vertices, scan) = match &mut self.scan {
                Some(scan) => scan,
                None => {
                    let Some((direction, vertices)) = self.pending.pop() else { return Ok(false) };
                    context.statistics.cursors_created += vertices.len() as u64;
                    let names: Vec<&str> = vertices.iter().map(String::as_str).collect();
                    let scan = self.snapshot.edges(&self.collection, direction, &names);
                    let scan = scan.map_err(|error| storage_error(&error))?;
                    self.scan.insert((direction, vertices, scan))
                }
            };
            let block = scan.next_block(BlockLimits { rows: sink.room(), bytes });
            let Some(entries) = block.map_err(|error| storage_error(&error))? else {
                self.scan = None;
                continue;
            };
            context.statistics.scanned_index += entries.len() as u64;
            let vertex = vertices.get(entries.vertex()).map(String::as_str).unwrap_or_default();
            for entry in entries.iter() {
                let entry = entry.map_err(|error| storage_error(&error))?;
                let (from, to) = match direction {
                    EdgeDirection::Outbound => (vertex, entry.other_vertex),
                    EdgeDirection::Inbound => (entry.other_vertex, vertex),
                };
                sink.push(entry.key, || Value::array(&[from.into(), to.into()]), Value::Null);
            }
        }
        Ok(true)
    }

    fn release(&mut self) {
        if let Some((_, _, scan)) = &mut self.scan {
            scan.release();
        }
    }
}
