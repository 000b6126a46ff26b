//! The node of an error: a wrapper around each operator, which costs a call a batch.

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use aql_plan::NodeId;
use aql_value::Batch;
use errors::Result;

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

impl Operator for Located {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let batch = self.inner.next_batch(context, limits);
        // Operators above pass errors on, so the first that records one is the one that failed.
        if batch.is_err() {
            context.failed_at.get_or_insert(self.node);
        }
        batch
    }

    fn restart(&mut self, outer: Batch) {
        self.inner.restart(outer);
    }

    fn release(&mut self) {
        self.inner.release();
    }
}
