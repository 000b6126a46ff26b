//! COLLECT WITH COUNT INTO without keys: one row with the number of rows.

use aql_value::{Batch, Column, Register, Value};
use errors::Result;

use super::Operator;
use super::groups::GroupOutput;
use super::parallel::{Consumer, Input, LocalState};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct CollectCountOperator {
    input: Input,
    output: GroupOutput,
    out: Register,
    finished: bool,
}

/// The rows that one thread has counted.
#[derive(Default)]
struct LocalCount {
    rows: u64,
    /// The first row, if values of the rows are kept.
    first_row: Option<Batch>,
    keeps_row: bool,
}

impl LocalState for LocalCount {
    fn add(&mut self, batch: &Batch, _morsel: u32, _context: &mut ExecutionContext) -> Result<()> {
        if self.keeps_row && self.first_row.is_none() {
            let mut first = batch.clone();
            first.slice(0, 1);
            self.first_row = Some(first);
        }
        self.rows += batch.selected_len() as u64;
        Ok(())
    }
}

impl CollectCountOperator {
    pub(crate) fn new(input: Input, output: GroupOutput, out: Register) -> Self {
        Self { input, output, out, finished: false }
    }
}

impl Operator for CollectCountOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, _limits: BatchLimits) -> Result<Option<Batch>> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(None);
        }
        let counted = if self.output.keeps_nothing() { self.input.count_rest(context)? } else { None };
        let mut own = LocalCount { keeps_row: !self.output.keeps_nothing(), ..LocalCount::default() };
        let others = self.input.consume(
            Consumer { own: &mut own, make: &|_| LocalCount::default(), pays: &|_| true },
            context,
        )?;
        let count = others.iter().fold(counted.unwrap_or(0) + own.rows, |count, other| count + other.rows);
        own.first_row.iter().for_each(|row| self.output.remember(row));
        let mut batch = self.output.empty_batch(1);
        batch.set_column(self.out, Column::Constant(Value::from_u64(count)));
        Ok(Some(batch))
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context).map(|()| None)
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
