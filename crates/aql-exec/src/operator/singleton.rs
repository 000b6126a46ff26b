//! What a pipeline starts from: one row without columns, or the outer rows of a subquery.

use super::{BatchLimits, Operator};
use crate::context::ExecutionContext;
use aql_value::{Batch, Result};

pub(crate) struct SingletonOperator {
    rows: Option<Batch>,
}

impl SingletonOperator {
    /// Starts with one row without columns.
    pub(crate) fn new() -> Self {
        Self { rows: Some(Batch::single_row()) }
    }
}

impl Operator for SingletonOperator {
    fn next_batch(&mut self, _context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let Some(mut batch) = self.rows.take() else { return Ok(None) };
        if batch.is_empty() {
            return Ok(None);
        }
        if batch.selected_len() > limits.rows {
            let mut rest = batch.clone();
            rest.slice(limits.rows, usize::MAX);
            self.rows = Some(rest);
            batch.slice(0, limits.rows);
        }
        Ok(Some(batch))
    }

    fn restart(&mut self, outer: Batch) {
        self.rows = Some(outer);
    }

    fn release(&mut self) {}
}
