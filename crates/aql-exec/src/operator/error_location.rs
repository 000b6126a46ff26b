//! The node of an error: a wrapper around each operator, which costs a call a batch. Debug builds
//! also check the contract of [`Operator`] here.

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
    /// The operator has returned its last row.
    has_ended: bool,
}

impl Located {
    pub(crate) fn new(inner: Box<dyn Operator>, node: NodeId) -> Self {
        Self { inner, node, has_ended: false }
    }

    fn check(&mut self, batch: Option<&Batch>, limits: BatchLimits) {
        let Some(batch) = batch else {
            self.has_ended = true;
            return;
        };
        let (rows, node) = (batch.selected_len(), self.node.0);
        debug_assert!(!self.has_ended, "node {node} returns rows after its end");
        debug_assert!(rows > 0, "node {node} returns an empty batch");
        debug_assert!(rows <= limits.rows.max(1), "node {node} returns {rows} of {} rows", limits.rows);
    }

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
        if let Ok(batch) = &batch {
            self.check(batch.as_ref(), limits);
        }
        self.note(batch, context)
    }

    fn count_rest(&mut self, context: &mut ExecutionContext) -> Result<Option<u64>> {
        let count = self.inner.count_rest(context);
        self.has_ended |= matches!(count, Ok(Some(_)));
        self.note(count, context)
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.inner.rehearse(outer, context)
    }

    fn may_run_ahead(&self) -> bool {
        self.inner.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        self.has_ended = false;
        self.inner.restart(outer);
    }

    fn release(&mut self) {
        self.inner.release();
    }
}
