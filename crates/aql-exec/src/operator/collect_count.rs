//! COLLECT WITH COUNT INTO without keys: one row with the number of rows.

use aql_value::{Batch, Column, Register, Value};
use errors::Result;

use super::Operator;
use super::groups::GroupOutput;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct CollectCountOperator {
    input: Box<dyn Operator>,
    output: GroupOutput,
    out: Register,
    finished: bool,
}

impl CollectCountOperator {
    pub(crate) fn new(input: Box<dyn Operator>, output: GroupOutput, out: Register) -> Self {
        Self { input, output, out, finished: false }
    }
}

impl Operator for CollectCountOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, _limits: BatchLimits) -> Result<Option<Batch>> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(None);
        }
        let counted = if self.output.keeps_nothing() { self.input.count_rest(context)? } else { None };
        let mut count = counted.unwrap_or(0);
        while let Some(batch) = self.input.next_full_batch(context)? {
            context.interrupt.check()?;
            self.output.remember(&batch);
            count += batch.selected_len() as u64;
        }
        let mut batch = self.output.empty_batch(1);
        batch.set_column(self.out, Column::Constant(Value::from_u64(count)));
        Ok(Some(batch))
    }

    fn restart(&mut self, outer: Batch) {
        self.finished = false;
        self.output.restart(&outer);
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
