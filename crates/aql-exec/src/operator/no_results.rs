//! A pipeline that is known to return nothing.

use aql_value::Batch;
use errors::Result;

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct NoResultsOperator;

impl Operator for NoResultsOperator {
    fn next_batch(&mut self, _context: &mut ExecutionContext, _limits: BatchLimits) -> Result<Option<Batch>> {
        Ok(None)
    }

    fn restart(&mut self, _outer: Batch) {}

    fn release(&mut self) {}
}
