//! A row for each vertex of one shortest path, for each incoming row.

use aql_value::{Batch, Register};
use errors::Result;

use super::Operator;
use super::graph::{FoundRows, PathReader, RowOutputs, ends_of};
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::graph_search::path::{FoundPath, ShortestPath};

pub(crate) struct ShortestPathOperator {
    outer: OuterRows,
    /// Registers of the first and the last vertex.
    ends: (Register, Register),
    outputs: RowOutputs,
    search: ShortestPath,
    reader: PathReader,
    /// The path of the current incoming row, and the number of its rows so far.
    path: Option<(FoundPath, usize)>,
    pending: PendingRows,
}

impl ShortestPathOperator {
    pub(crate) fn new(
        outer: OuterRows,
        ends: (Register, Register),
        outputs: RowOutputs,
        reader: PathReader,
    ) -> Self {
        let search = ShortestPath::new(reader.is_weighted());
        Self { outer, ends, outputs, search, reader, path: None, pending: PendingRows::default() }
    }

    /// Finds the path of the current incoming row; an empty one if there is none.
    fn find(&mut self, context: &mut ExecutionContext) -> Result<FoundPath> {
        context.interrupt.check()?;
        let outer_row = self.outer.repeat(1);
        let values = (self.outer.value(self.ends.0), self.outer.value(self.ends.1));
        let ends = ends_of(&values, "Shortest Path", &mut self.reader, &outer_row, context)?;
        let Some((start, target)) = ends else { return Ok(FoundPath::default()) };
        let path = self.search.find(start, target, &mut self.reader.host(&outer_row, context))?;
        Ok(path.unwrap_or_default())
    }

    /// Makes rows for the current and further incoming rows of the batch, up to the limit.
    fn collect(&mut self, context: &mut ExecutionContext, limit: usize) -> Result<FoundRows> {
        let mut rows = FoundRows::default();
        while rows.len() < limit && self.outer.remaining() > 0 {
            let (path, next) = match self.path.take() {
                Some(path) => path,
                None => (self.find(context)?, 0),
            };
            let end = path.vertices.len().min(next + limit - rows.len());
            for position in next..end {
                self.add(&path, position, &mut rows);
            }
            if end < path.vertices.len() {
                self.path = Some((path, end));
            } else {
                self.outer.advance();
            }
        }
        Ok(rows)
    }

    fn add(&self, path: &FoundPath, position: usize, rows: &mut FoundRows) {
        let number = self.outer.row() as u32;
        let Some(vertex) = path.vertices.get(position) else { return };
        if self.outputs.is_nothing() {
            rows.push_counted(number, 1);
            return;
        }
        rows.push(number, *vertex);
        if self.outputs.edge.is_read() {
            rows.push_edge(position.checked_sub(1).and_then(|before| path.edge(before)));
        }
    }
}

impl Operator for ShortestPathOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        loop {
            if self.outer.fetch(context, limits)? == Fetched::End {
                return Ok(None);
            }
            let rows = self.collect(context, limits.rows)?;
            if rows.len() > 0 {
                let batch = rows.produce(&self.outer, &self.outputs, &mut self.reader.reader, context)?;
                return Ok(Some(self.pending.split(batch, limits)));
            }
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.path = None;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.reader.reader.release();
        self.outer.release();
    }
}
