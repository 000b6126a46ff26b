//! Sets a register to the value of an expression.

use super::{BatchLimits, Operator};
use crate::context::ExecutionContext;
use aql_value::{Batch, Program, Register, Result};

pub(crate) struct CalculationOperator {
    input: Box<dyn Operator>,
    program: Program,
    out: Register,
}

impl CalculationOperator {
    pub(crate) fn new(input: Box<dyn Operator>, program: Program, out: Register) -> Self {
        Self { input, program, out }
    }
}

impl Operator for CalculationOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let Some(mut batch) = self.input.next_batch(context, limits)? else { return Ok(None) };
        context.interrupt.check()?;
        let column = context.evaluate(&self.program, &batch)?;
        batch.set_column(self.out, column);
        Ok(Some(batch))
    }

    fn restart(&mut self, outer: Batch) {
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
