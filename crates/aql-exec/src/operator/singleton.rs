//! The start of a pipeline: one row without columns, or the outer rows of a subquery.

use super::Operator;
use super::surplus::Surplus;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use aql_value::{Batch, Result};

pub(crate) struct SingletonOperator {
    rows: Option<Batch>,
    surplus: Surplus,
}

impl SingletonOperator {
    /// Creates the start with one row without columns.
    pub(crate) fn new() -> Self {
        Self { rows: Some(Batch::single_row()), surplus: Surplus::default() }
    }
}

impl Operator for SingletonOperator {
    fn next_batch(&mut self, _context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.surplus.take(limits) {
            return Ok(Some(batch));
        }
        let rows = self.rows.take().filter(|rows| !rows.is_empty());
        Ok(rows.map(|rows| self.surplus.split(rows, limits)))
    }

    fn restart(&mut self, outer: Batch) {
        self.surplus.clear();
        self.rows = Some(outer);
    }

    fn release(&mut self) {}
}
