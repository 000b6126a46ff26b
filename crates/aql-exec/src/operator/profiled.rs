//! A wrapper that measures an operator. It is present only in profiled queries.

use std::time::Instant;

use aql_plan::NodeId;
use aql_value::Batch;
use errors::Result;

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::profile::Profile;

/// An operator with a clock around it.
pub(crate) struct Profiled {
    inner: Box<dyn Operator>,
    position: usize,
}

impl Profiled {
    pub(crate) fn new(inner: Box<dyn Operator>, id: NodeId, profile: &mut Profile) -> Self {
        Self { inner, position: profile.register(id) }
    }
}

impl Operator for Profiled {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let outer_asked = std::mem::take(&mut context.profile.asked);
        let outer_filtered = std::mem::take(&mut context.profile.filtered);
        let start = Instant::now();
        let batch = self.inner.next_batch(context, limits);
        let runtime = start.elapsed();
        let fetching = std::mem::replace(&mut context.profile.asked, outer_asked + runtime);
        let filtered = std::mem::replace(&mut context.profile.filtered, outer_filtered);
        if let Some(node) = context.profile.nodes.get_mut(self.position) {
            // A call that only finds the end does not count. ArangoDB reports the end together with
            // the last rows.
            node.calls += u64::from(node.calls == 0 || matches!(batch, Ok(Some(_))));
            node.filtered += filtered;
            node.runtime += runtime;
            node.fetching += fetching;
            if let Ok(Some(batch)) = &batch {
                node.items += batch.selected_len() as u64;
            }
        }
        batch
    }

    fn count_rest(&mut self, context: &mut ExecutionContext) -> Result<Option<u64>> {
        let start = Instant::now();
        let count = self.inner.count_rest(context);
        if let (Ok(Some(count)), Some(node)) = (&count, context.profile.nodes.get_mut(self.position)) {
            node.calls += 1;
            node.items += *count;
            node.runtime += start.elapsed();
        }
        count
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.inner.rehearse(outer, context)
    }

    fn may_run_ahead(&self) -> bool {
        self.inner.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        self.inner.restart(outer);
    }

    fn release(&mut self) {
        self.inner.release();
    }
}
