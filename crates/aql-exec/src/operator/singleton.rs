//! The start of a pipeline: one row without columns, or the outer rows of a subquery.

use aql_value::Batch;
use errors::Result;

use super::Operator;
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct SingletonOperator {
    rows: Option<Batch>,
    pending: PendingRows,
}

impl SingletonOperator {
    /// Creates the start with one row without columns.
    pub(crate) fn new() -> Self {
        Self { rows: Some(Batch::single_row()), pending: PendingRows::default() }
    }
}

impl Operator for SingletonOperator {
    fn next_batch(&mut self, _context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        let rows = self.rows.take().filter(|rows| !rows.is_empty());
        Ok(rows.map(|rows| self.pending.split(rows, limits)))
    }

    fn rehearse(&mut self, outer: &Batch, _context: &mut ExecutionContext) -> Result<Option<Batch>> {
        Ok(Some(outer.clone()))
    }

    fn may_run_ahead(&self) -> bool {
        true
    }

    fn restart(&mut self, outer: Batch) {
        self.pending.clear();
        self.rows = Some(outer);
    }

    fn release(&mut self) {}
}
