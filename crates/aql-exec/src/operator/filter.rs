//! Keeps the rows for which a condition is true.

use super::surplus::Surplus;
use super::{BatchLimits, Operator};
use crate::context::ExecutionContext;
use aql_value::{Batch, Program, Register, Result};
use std::sync::Arc;

/// What is tested.
pub(crate) enum Condition {
    /// A value computed before.
    Register(Register),
    /// An expression that nobody else needs.
    Program(Program),
}

/// With fewer rows left than one in so many, a batch is made dense: later operators then work on what is alive only,
/// and the rest can be freed.
const SPARSE: usize = 4;

pub(crate) struct FilterOperator {
    input: Box<dyn Operator>,
    condition: Condition,
    surplus: Surplus,
}

impl FilterOperator {
    pub(crate) fn new(input: Box<dyn Operator>, condition: Condition) -> Self {
        Self { input, condition, surplus: Surplus::default() }
    }
}

impl Condition {
    fn apply(&self, batch: &mut Batch, context: &mut ExecutionContext) -> Result<()> {
        let register = match self {
            Self::Program(program) => return context.filter(program, batch),
            Self::Register(register) => *register,
        };
        let before = batch.selected_len();
        let rows: Arc<[u32]> = match batch.column(register) {
            Some(column) => {
                batch.selected().filter(|&row| column.get(row).is_truthy()).map(|row| row as u32).collect()
            }
            None => Arc::from([]),
        };
        batch.select(rows);
        context.count_filtered(before - batch.selected_len());
        Ok(())
    }
}

impl Operator for FilterOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.surplus.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        while let Some(mut batch) = self.input.next_batch(context, wanted)? {
            context.interrupt.check()?;
            self.condition.apply(&mut batch, context)?;
            if batch.is_empty() {
                wanted = wanted.grown(context.full);
                continue;
            }
            let is_sparse = batch.selected_len() * SPARSE < batch.rows();
            let batch = if is_sparse { batch.compact() } else { batch };
            return Ok(Some(self.surplus.split(batch, limits)));
        }
        Ok(None)
    }

    fn restart(&mut self, outer: Batch) {
        self.surplus.clear();
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
