//! A row for each path between two vertices, for each incoming row.

use aql_plan::EnumeratePathsKind;
use aql_value::{Batch, Register};
use errors::Result;

use super::Operator;
use super::graph::{FoundRows, PathReader, RowOutputs, ends_of};
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::graph_search::path::{AllShortestPaths, FoundPath, KPaths, KShortestPaths, PathHost};

pub(crate) struct EnumeratePathsOperator {
    outer: OuterRows,
    kind: PathsKind,
    /// Registers of the first and the last vertex.
    ends: (Register, Register),
    outputs: RowOutputs,
    reader: PathReader,
    /// The current incoming row as a batch of its own, and its search.
    row: Option<(Batch, Search)>,
    pending: PendingRows,
}

/// The kind of paths that are searched for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathsKind {
    pub(crate) kind: EnumeratePathsKind,
    /// Minimum and maximum number of edges, for K_PATHS.
    pub(crate) depths: (u64, u64),
}

#[allow(clippy::large_enum_variant, reason = "one an operator")]
enum Search {
    /// No path, because there is no vertex that it could begin or end with.
    None,
    KShortest(KShortestPaths),
    K(KPaths),
    AllShortest(AllShortestPaths),
}

impl Search {
    /// Passes the next path to `take`; false if there is no other.
    fn next(&mut self, host: &mut impl PathHost, take: impl FnOnce(&FoundPath)) -> Result<bool> {
        let found = match self {
            Self::None => None,
            Self::KShortest(search) => {
                let found = search.next(host)?;
                return Ok(found.map(take).is_some());
            }
            Self::K(search) => search.next(host)?,
            Self::AllShortest(search) => search.next(host)?,
        };
        Ok(found.as_ref().map(take).is_some())
    }
}

impl EnumeratePathsOperator {
    pub(crate) fn new(
        outer: OuterRows,
        kind: PathsKind,
        ends: (Register, Register),
        outputs: RowOutputs,
        reader: PathReader,
    ) -> Self {
        Self { outer, kind, ends, outputs, reader, row: None, pending: PendingRows::default() }
    }

    /// Returns the search for the current incoming row.
    fn open(&mut self, context: &mut ExecutionContext) -> Result<(Batch, Search)> {
        let outer_row = self.outer.repeat(1);
        let values = (self.outer.value(self.ends.0), self.outer.value(self.ends.1));
        let ends = ends_of(&values, "Shortest Path", &mut self.reader, &outer_row, context)?;
        let Some((start, target)) = ends else { return Ok((outer_row, Search::None)) };
        let search = match self.kind.kind {
            EnumeratePathsKind::KShortestPaths => {
                Search::KShortest(KShortestPaths::new(start, target, self.reader.is_weighted()))
            }
            EnumeratePathsKind::KPaths => {
                let (min_depth, max_depth) = self.kind.depths;
                Search::K(KPaths::new(start, target, min_depth, max_depth))
            }
            EnumeratePathsKind::AllShortestPaths => Search::AllShortest(AllShortestPaths::new(start, target)),
        };
        Ok((outer_row, search))
    }

    /// Finds paths for the current and further incoming rows of the batch, up to the limits.
    fn collect(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<FoundRows> {
        let mut rows = FoundRows::default();
        while rows.len() < limits.rows
            && rows.memory_bytes() < limits.bytes as u64
            && self.outer.remaining() > 0
        {
            context.interrupt.check()?;
            let (outer_row, mut search) = match self.row.take() {
                Some(row) => row,
                None => self.open(context)?,
            };
            let number = self.outer.row() as u32;
            let outputs = &self.outputs;
            let mut host = self.reader.host(&outer_row, context);
            if search.next(&mut host, |path| add(path, number, outputs, &mut rows))? {
                self.row = Some((outer_row, search));
            } else {
                self.outer.advance();
            }
        }
        Ok(rows)
    }
}

fn add(path: &FoundPath, number: u32, outputs: &RowOutputs, rows: &mut FoundRows) {
    let (Some(parts), Some(last)) = (outputs.path, path.vertices.last()) else {
        rows.push_counted(number, 1);
        return;
    };
    rows.push(number, *last);
    path.vertices.iter().for_each(|vertex| rows.push_path_vertex(*vertex));
    if parts.edges {
        (0..path.edges.len()).filter_map(|edge| path.edge(edge)).for_each(|edge| rows.push_path_edge(edge));
    }
    rows.push_path_weight(path.weight());
    rows.end_path();
}

impl Operator for EnumeratePathsOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        loop {
            if self.outer.fetch(context, limits)? == Fetched::End {
                return Ok(None);
            }
            let rows = self.collect(context, limits)?;
            if rows.len() > 0 {
                let batch = rows.produce(&self.outer, &self.outputs, &mut self.reader.reader, context)?;
                return Ok(Some(self.pending.split(batch, limits)));
            }
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.row = None;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.reader.reader.release();
        self.outer.release();
    }
}
