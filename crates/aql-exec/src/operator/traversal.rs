//! A row for each path from a start vertex, for each incoming row.

use aql_value::{Batch, Register};
use errors::Result;

use super::Operator;
use super::graph::{FoundRows, GraphReader, RowOutputs, TraversalPrograms, TraversalRowHost, vertex_of};
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::graph_search::traversal::{StepId, Steps, TraversalSearch, Visit};

pub(crate) struct TraversalOperator {
    outer: OuterRows,
    parts: TraversalParts,
    /// The current incoming row as a batch of its own, during its traversal.
    row: Option<Batch>,
    /// Number of its paths for which only the rows are needed.
    leaves: u64,
    pending: PendingRows,
}

/// The parts of a traversal.
pub(crate) struct TraversalParts {
    /// Register of the start vertex.
    pub(crate) start: Register,
    /// Shorter paths give no rows.
    pub(crate) min_depth: u64,
    pub(crate) programs: TraversalPrograms,
    pub(crate) outputs: RowOutputs,
    pub(crate) search: TraversalSearch,
    pub(crate) reader: GraphReader,
}

impl TraversalOperator {
    pub(crate) fn new(outer: OuterRows, parts: TraversalParts) -> Self {
        Self { outer, parts, row: None, leaves: 0, pending: PendingRows::default() }
    }

    /// Starts the traversal for the current incoming row, if its start vertex is one.
    fn open(&mut self, context: &mut ExecutionContext) -> Result<()> {
        let TraversalParts { start, programs, search, reader, .. } = &mut self.parts;
        reader.start_row(context);
        let value = self.outer.value(*start);
        let Some(start) = vertex_of(&value, "traversal", &mut reader.vertices, context)? else {
            self.outer.advance();
            return Ok(());
        };
        let outer_row = self.outer.repeat(1);
        search.start(start, &mut TraversalRowHost { reader, programs, outer_row: &outer_row, context })?;
        self.row = Some(outer_row);
        Ok(())
    }

    /// Finds rows for the current and further incoming rows of the batch, up to the limits.
    fn collect(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<FoundRows> {
        let mut rows = FoundRows::default();
        while rows.len() < limits.rows
            && rows.memory_bytes() < limits.bytes as u64
            && self.outer.remaining() > 0
        {
            let Some(outer_row) = &self.row else {
                context.interrupt.check()?;
                self.open(context)?;
                continue;
            };
            let number = self.outer.row() as u32;
            if self.leaves > 0 {
                let count = self.leaves.min((limits.rows - rows.len()) as u64);
                rows.push_counted(number, count as usize);
                self.leaves -= count;
                continue;
            }
            let TraversalParts { programs, search, reader, .. } = &mut self.parts;
            let mut host = TraversalRowHost { reader, programs, outer_row, context };
            match search.next(&mut host)? {
                Some(Visit::Step(id)) => self.add(id, number, &mut rows, context)?,
                Some(Visit::Leaves(count)) => self.leaves = count,
                None => {
                    self.row = None;
                    self.outer.advance();
                }
            }
        }
        Ok(rows)
    }

    /// Adds the row of a path, if it gets one.
    fn add(
        &mut self,
        id: StepId,
        number: u32,
        rows: &mut FoundRows,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let TraversalParts { min_depth, outputs, search, reader, .. } = &mut self.parts;
        let steps = search.steps();
        let Some(step) = steps.get(id).filter(|step| u64::from(step.depth) >= *min_depth) else {
            return Ok(());
        };
        // A start vertex that does not exist may have edges, but is not a result itself.
        if step.depth == 0 && !reader.exists(step.vertex, context)? {
            return Ok(());
        }
        if outputs.is_nothing() {
            rows.push_counted(number, 1);
            return Ok(());
        }
        rows.push(number, step.vertex);
        if outputs.edge.is_read() {
            rows.push_edge(edge_of(steps, id));
        }
        if outputs.prune.is_some() {
            rows.push_prune(steps.prune(id));
        }
        if let Some(path) = outputs.path {
            let mut ids: Vec<StepId> = steps.back(id).map(|(id, _)| id).collect();
            ids.reverse();
            for id in ids {
                let Some(step) = steps.get(id) else { continue };
                rows.push_path_vertex(step.vertex);
                if path.weights {
                    rows.push_path_weight(steps.weight(id));
                }
                if let Some(edge) = edge_of(steps, id).filter(|_| path.edges) {
                    rows.push_path_edge(edge);
                }
            }
            rows.end_path();
        }
        Ok(())
    }
}

/// Returns the last edge of a path.
fn edge_of(steps: &Steps, id: StepId) -> Option<crate::graph_search::path::FoundEdge<'_>> {
    let (step, before) = (steps.get(id)?, steps.get(steps.parent(id)?)?);
    let document = steps.document(id).cloned().unwrap_or_default();
    Some((step.edge, steps.keys(), (before.vertex, step.vertex), document))
}

impl Operator for TraversalOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        loop {
            if self.outer.fetch(context, limits)? == Fetched::End {
                return Ok(None);
            }
            context.interrupt.check()?;
            let rows = self.collect(context, wanted)?;
            if rows.len() == 0 {
                continue;
            }
            let batch = rows.produce(&self.outer, &self.parts.outputs, &mut self.parts.reader, context)?;
            if !batch.is_empty() {
                return Ok(Some(self.pending.split(batch, limits)));
            }
            wanted = wanted.grown(context.full);
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.row = None;
        self.leaves = 0;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.parts.reader.release();
        self.outer.release();
    }
}
