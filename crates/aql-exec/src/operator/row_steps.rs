//! Calculations and filters, applied to the rows of a batch step by step.
//!
//! Neighbouring nodes of this kind are one operator, so that a query of a thousand LETs is not a
//! thousand calls deep.

use std::sync::Arc;

use aql_plan::NodeId;
use aql_value::{Batch, Program, Register};
use errors::Result;

use super::Operator;
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// One calculation or filter.
#[derive(Clone)]
pub(crate) struct RowStep {
    /// The node of its errors.
    pub(crate) node: NodeId,
    /// The action of the step.
    pub(crate) action: RowAction,
}

/// The action of a step on the rows of a batch.
#[derive(Clone)]
pub(crate) enum RowAction {
    /// Sets a register to the value of an expression.
    Calculate {
        /// The expression.
        program: Program,
        /// The register.
        out: Register,
    },
    /// Keeps the rows in which an earlier computed value is true.
    FilterByRegister(Register),
    /// Keeps the rows for which an expression is true. No other node needs its value.
    FilterByProgram(Program),
}

/// Largest ratio of all rows to live ones in a batch that is not compacted.
///
/// In a compacted batch later steps work only on live rows, and the others can be freed.
const SPARSE: usize = 4;

pub(crate) struct RowStepsOperator {
    input: Box<dyn Operator>,
    steps: Box<[RowStep]>,
    pending: PendingRows,
}

impl RowStepsOperator {
    pub(crate) fn new(input: Box<dyn Operator>, steps: Vec<RowStep>) -> Self {
        Self { input, steps: steps.into(), pending: PendingRows::default() }
    }

    /// Applies all steps; the batch is empty if no row is left.
    fn apply(&self, mut batch: Batch, context: &mut ExecutionContext) -> Result<Batch> {
        for step in &self.steps {
            context.interrupt.check()?;
            if let Err(error) = step.action.apply(&mut batch, context) {
                context.failed_at = Some(step.node);
                return Err(error);
            }
            if matches!(step.action, RowAction::Calculate { .. }) {
                continue;
            }
            if batch.is_empty() {
                break;
            }
            if batch.selected_len() * SPARSE < batch.rows() {
                batch = batch.compact();
            }
        }
        Ok(batch)
    }
}

impl RowAction {
    fn apply(&self, batch: &mut Batch, context: &mut ExecutionContext) -> Result<()> {
        match self {
            Self::Calculate { program, out } => {
                let column = context.evaluate(program, batch)?;
                batch.set_column(*out, column);
            }
            Self::FilterByProgram(program) => context.filter(program, batch)?,
            Self::FilterByRegister(register) => filter_by_register(batch, *register, context),
        }
        Ok(())
    }
}

fn filter_by_register(batch: &mut Batch, register: Register, context: &mut ExecutionContext) {
    let before = batch.selected_len();
    let rows: Arc<[u32]> = match batch.column(register) {
        Some(column) => {
            batch.selected().filter(|row| column.get(*row).is_truthy()).map(|row| row as u32).collect()
        }
        None => Arc::from([]),
    };
    batch.select(rows);
    context.count_filtered(before - batch.selected_len());
}

impl Operator for RowStepsOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        while let Some(batch) = self.input.next_batch(context, wanted)? {
            let batch = self.apply(batch, context)?;
            if !batch.is_empty() {
                return Ok(Some(self.pending.split(batch, limits)));
            }
            wanted = wanted.grown(context.full);
        }
        Ok(None)
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        match self.input.rehearse(outer, context)? {
            Some(batch) => self.apply(batch, context).map(Some),
            None => Ok(None),
        }
    }

    fn may_run_ahead(&self) -> bool {
        self.input.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        self.pending.clear();
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
