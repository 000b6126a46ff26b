//! LIMIT: skips rows and passes on a number of them.

use aql_value::Batch;
use errors::Result;

use super::Operator;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct LimitOperator {
    input: Box<dyn Operator>,
    offset: u64,
    limit: u64,
    /// True if rows beyond the limit are counted for `fullCount`.
    full_count: bool,
    /// True if rows beyond the limit must be pulled because operators before this one write.
    drain: bool,
    skipped: u64,
    passed: u64,
    finished: bool,
}

impl LimitOperator {
    pub(crate) fn new(input: Box<dyn Operator>, limit: &aql_plan::Limit, drain: bool) -> Self {
        let aql_plan::Limit { offset, limit, full_count } = *limit;
        Self { input, offset, limit, full_count, drain, skipped: 0, passed: 0, finished: false }
    }

    /// Pulls the rest of the input if that is needed.
    fn finish(&mut self, context: &mut ExecutionContext) -> Result<()> {
        if self.finished {
            return Ok(());
        }
        self.finished = true;
        let mut beyond = 0;
        if self.full_count || self.drain {
            beyond = self.input.count_rest(context)?.unwrap_or(0);
            while let Some(batch) = self.input.next_full_batch(context)? {
                context.interrupt.check()?;
                beyond += batch.selected_len() as u64;
            }
        }
        if self.full_count {
            context.statistics.full_count = Some(self.skipped + self.passed + beyond);
        }
        Ok(())
    }

    /// Returns the limits of the next request: the rows still to skip and to pass on, at least one.
    fn wanted(&self, limits: BatchLimits, full: BatchLimits) -> BatchLimits {
        let to_skip = self.offset - self.skipped;
        if to_skip > 0 {
            return full.of_rows(usize::try_from(to_skip).unwrap_or(usize::MAX));
        }
        let to_pass = usize::try_from(self.limit - self.passed).unwrap_or(usize::MAX);
        BatchLimits { rows: limits.rows.min(to_pass), ..limits }
    }
}

impl Operator for LimitOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        while !self.finished && self.passed < self.limit {
            let wanted = self.wanted(limits, context.full);
            let Some(batch) = self.input.next_batch(context, wanted)? else { break };
            let rows = batch.selected_len() as u64;
            if self.skipped < self.offset {
                context.interrupt.check()?;
                self.skipped += rows;
                debug_assert!(
                    self.skipped <= self.offset,
                    "{} of {} rows are skipped",
                    self.skipped,
                    self.offset
                );
                continue;
            }
            self.passed += rows;
            debug_assert!(self.passed <= self.limit, "LIMIT {} passes on {} rows", self.limit, self.passed);
            return Ok(Some(batch));
        }
        self.finish(context)?;
        Ok(None)
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context).map(|_| None)
    }

    fn may_run_ahead(&self) -> bool {
        self.input.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        (self.skipped, self.passed, self.finished) = (0, 0, false);
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
