//! The node of an error: a wrapper around each operator, which costs a call a batch.

use aql_plan::NodeId;
use aql_value::Batch;
use errors::Result;

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// An operator that records its node when it fails.
pub(crate) struct Located {
    inner: Box<dyn Operator>,
    node: NodeId,
}

impl Located {
    pub(crate) fn new(inner: Box<dyn Operator>, node: NodeId) -> Self {
        Self { inner, node }
    }
}

impl Located {
    fn note<T>(&self, result: Result<T>, context: &mut ExecutionContext) -> Result<T> {
        // Operators above pass errors on, so the first that records one is the one that failed.
        if result.is_err() {
            context.failed_at.get_or_insert(self.node);
        }
        result
    }
}

impl Operator for Located {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let batch = self.inner.next_batch(context, limits);
        self.note(batch, context)
    }

    fn count_rest(&mut self, context: &mut ExecutionContext) -> Result<Option<u64>> {
        let count = self.inner.count_rest(context);
        self.note(count, context)
    }

    fn restart(&mut self, outer: Batch) {
        self.inner.restart(outer);
    }

    fn release(&mut self) {
        self.inner.release();
    }
}
