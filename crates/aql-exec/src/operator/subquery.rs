//! Runs a pipeline for each row and sets a register to the array of its results.

use std::ops::Range;
use std::sync::Arc;

use aql_value::{Batch, BlockBuilder, Charge, Column, Register, ThreadMeter, Value};
use errors::Result;

use super::Operator;
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// The number of rows whose runs are rehearsed together, at first and at most.
const ROWS_AHEAD_FIRST: usize = 8;
const ROWS_AHEAD: usize = 64;

/// The way in which the pipeline runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubqueryMode {
    /// Once for all rows, because it depends on none of them.
    Once,
    /// For one row after the other.
    PerRow,
    /// For all rows of a batch together.
    ///
    /// Its operators treat each row by itself, keep the order, and carry a register with the number
    /// of each row.
    Batched {
        /// The register of that number.
        ordinal: Register,
    },
}

pub(crate) struct SubqueryOperator {
    input: Box<dyn Operator>,
    pipeline: Box<dyn Operator>,
    /// Register of the pipeline's result; `None` if it returns nothing.
    result: Option<Register>,
    /// Registers of the outer row that the pipeline reads.
    reads: Box<[Register]>,
    out: Register,
    run_if: Option<Register>,
    mode: SubqueryMode,
    /// The incoming rows that were made before they were asked for.
    ahead: PendingRows,
    /// The result of a pipeline that runs once.
    constant: Option<Value>,
    /// The charge for the arrays of the batch returned last.
    charge: Option<Charge>,
}

/// The pipeline and its connections.
pub(crate) struct SubqueryParts {
    pub(crate) pipeline: Box<dyn Operator>,
    pub(crate) result: Option<Register>,
    pub(crate) reads: Box<[Register]>,
    pub(crate) out: Register,
    pub(crate) run_if: Option<Register>,
    pub(crate) mode: SubqueryMode,
}

impl SubqueryOperator {
    pub(crate) fn new(input: Box<dyn Operator>, parts: SubqueryParts) -> Self {
        let SubqueryParts { pipeline, result, reads, out, run_if, mode } = parts;
        let ahead = PendingRows::default();
        Self { input, pipeline, result, reads, out, run_if, mode, ahead, constant: None, charge: None }
    }

    /// Returns the next incoming rows. Makes several and rehearses their runs, where reads wait for
    /// messages and rows are asked for one by one.
    fn next_rows(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(rows) = self.ahead.take(limits) {
            return Ok(Some(rows));
        }
        let runs_ahead = self.mode == SubqueryMode::PerRow
            && !limits.read_ahead
            && context.data.waits_for_messages()
            && self.input.may_run_ahead();
        if !runs_ahead {
            return self.input.next_batch(context, limits);
        }
        let wanted = BatchLimits { rows: ROWS_AHEAD, read_ahead: true, ..context.full };
        let Some(rows) = self.input.next_batch(context, wanted)? else { return Ok(None) };
        let rows = rows.compact();
        self.rehearse(&rows, 0..rows.rows(), context);
        Ok(Some(self.ahead.split(rows, limits)))
    }

    /// Rehearses the runs for some rows of a batch, which has no selection.
    fn rehearse(&mut self, batch: &Batch, rows: Range<usize>, context: &mut ExecutionContext) {
        if !context.data.waits_for_messages() {
            return;
        }
        let chosen: Arc<[u32]> =
            rows.filter(|row| self.runs_for(batch, *row)).map(|row| row as u32).collect();
        if chosen.len() < 2 {
            return;
        }
        let outer = batch.project(&self.reads).gather(&chosen);
        let pipeline = &mut self.pipeline;
        context.rehearse(|context| pipeline.rehearse(&outer, context));
    }

    /// Returns true if the pipeline runs for a row.
    fn runs_for(&self, batch: &Batch, row: usize) -> bool {
        self.run_if
            .is_none_or(|register| batch.column(register).is_some_and(|column| column.get(row).is_truthy()))
    }

    fn run_once(&mut self, batch: &Batch, context: &mut ExecutionContext) -> Result<Column> {
        let first = batch.selected().find(|row| self.runs_for(batch, *row));
        let value = match (&self.constant, first) {
            (Some(value), _) => value.clone(),
            (None, Some(row)) => {
                let mut arrays = Arrays::new(1, context.new_charge());
                self.run_for_row(batch, row, &mut arrays, context)?;
                let (values, charge) = arrays.finish()?;
                self.charge = Some(charge);
                let value = values.into_iter().next().unwrap_or_default();
                self.constant = Some(value.clone());
                value
            }
            (None, None) => Value::empty_array(),
        };
        if self.run_if.is_none() {
            return Ok(Column::Constant(value));
        }
        let for_row = |row| if self.runs_for(batch, row) { value.clone() } else { Value::empty_array() };
        Ok(Column::from_values((0..batch.rows()).map(for_row).collect()))
    }

    /// Runs the pipeline for one row after the other. The batch has no selection.
    fn run_per_row(&mut self, batch: &Batch, context: &mut ExecutionContext) -> Result<Column> {
        let mut arrays = Arrays::new(batch.rows(), context.new_charge());
        let (mut rehearsed, mut window) = (0, ROWS_AHEAD_FIRST);
        for row in 0..batch.rows() {
            context.interrupt.check()?;
            if row >= rehearsed {
                rehearsed = (row + window).min(batch.rows());
                window = (window * 4).min(ROWS_AHEAD);
                self.rehearse(batch, row..rehearsed, context);
            }
            if self.runs_for(batch, row) {
                self.run_for_row(batch, row, &mut arrays, context)?;
            } else {
                arrays.end_array()?;
            }
        }
        let (values, charge) = arrays.finish()?;
        self.charge = Some(charge);
        Ok(Column::from_values(values))
    }

    /// Adds the array for one row.
    fn run_for_row(
        &mut self,
        batch: &Batch,
        row: usize,
        arrays: &mut Arrays,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        self.pipeline.restart(batch.project(&self.reads).repeat_row(row, 1));
        while let Some(found) = self.pipeline.next_full_batch(context)? {
            context.interrupt.check()?;
            let Some(column) = self.result.and_then(|register| found.column(register)) else { continue };
            for row in found.selected() {
                arrays.push(column.get(row))?;
            }
            arrays.account()?;
        }
        arrays.end_array()
    }

    /// Runs the pipeline for all rows of a batch, which has no selection.
    fn run_batched(
        &mut self,
        batch: &Batch,
        ordinal: Register,
        context: &mut ExecutionContext,
    ) -> Result<Column> {
        let mut outer = batch.project(&self.reads);
        outer.set_column(ordinal, Column::from_values((0..batch.rows() as i64).map(Value::Int).collect()));
        let running: Arc<[u32]> =
            (0..batch.rows()).filter(|row| self.runs_for(batch, *row)).map(|row| row as u32).collect();
        outer.select(running);
        self.pipeline.restart(outer);
        let mut arrays = Arrays::new(batch.rows(), context.new_charge());
        while let Some(found) = self.pipeline.next_full_batch(context)? {
            context.interrupt.check()?;
            let Some(numbers) = found.column(ordinal) else { continue };
            let values = self.result.and_then(|register| found.column(register));
            for row in found.selected() {
                let number = usize::try_from(numbers.get(row).to_i64()).unwrap_or_default();
                arrays.end_arrays_before(number)?;
                if let Some(values) = values {
                    arrays.push(values.get(row))?;
                }
            }
            arrays.account()?;
        }
        arrays.end_arrays_before(batch.rows())?;
        let (values, charge) = arrays.finish()?;
        self.charge = Some(charge);
        Ok(Column::from_values(values))
    }
}

/// The size of values that are accounted for one by one.
const LARGE_VALUE_BYTES: usize = 64 << 10;

/// Arrays built one after another.
struct Arrays {
    block: BlockBuilder,
    is_open: bool,
    charge: Charge,
}

impl Arrays {
    fn new(arrays: usize, charge: Charge) -> Self {
        Self { block: BlockBuilder::new(arrays), is_open: false, charge }
    }

    fn open(&mut self) -> Result<()> {
        if !self.is_open {
            self.is_open = true;
            self.block.builder().open_array()?;
        }
        Ok(())
    }

    /// Adds to the current array.
    fn push(&mut self, value: &Value) -> Result<()> {
        self.open()?;
        let bytes = value.memory_bytes();
        if bytes >= LARGE_VALUE_BYTES {
            // Before it is copied, including the memory of the growing buffer.
            self.account()?;
            ThreadMeter::check_room(2 * bytes)?;
        }
        value.append_to(self.block.builder())
    }

    fn end_array(&mut self) -> Result<()> {
        self.open()?;
        self.block.builder().close()?;
        self.block.end_value();
        self.is_open = false;
        Ok(())
    }

    /// Ends the current array and adds empty ones until the next one is that of row `number`.
    fn end_arrays_before(&mut self, number: usize) -> Result<()> {
        while self.block.len() < number {
            self.end_array()?;
        }
        Ok(())
    }

    /// Charges the memory of everything built since the last call.
    fn account(&mut self) -> Result<()> {
        self.charge.grow(self.block.byte_len().saturating_sub(self.charge.bytes()))
    }

    fn finish(mut self) -> Result<(Vec<Value>, Charge)> {
        self.account()?;
        Ok((self.block.finish(), self.charge))
    }
}

impl Operator for SubqueryOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if self.mode != SubqueryMode::Once {
            self.charge = None;
        }
        let Some(batch) = self.next_rows(context, limits)? else { return Ok(None) };
        let mut batch = batch.compact();
        let column = match self.mode {
            SubqueryMode::Once => self.run_once(&batch, context)?,
            SubqueryMode::PerRow => self.run_per_row(&batch, context)?,
            SubqueryMode::Batched { ordinal } => self.run_batched(&batch, ordinal, context)?,
        };
        batch.set_column(self.out, column);
        Ok(Some(batch))
    }

    fn restart(&mut self, outer: Batch) {
        self.ahead.clear();
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
        self.pipeline.release();
    }
}
