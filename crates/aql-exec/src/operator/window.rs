//! WINDOW: adds to each row aggregates over the rows near it.
//!
//! Rows wait until all rows of their windows have arrived. Each row enters the window once and
//! leaves it once.

use std::collections::VecDeque;

use aql_plan::AggregateFunction;
use aql_value::{Batch, Charge, Column, Register, Value};
use errors::{ErrorCode, Result};

use super::Operator;
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::sliding_aggregate::{Reach, SlidingAggregate, sliding};

pub(crate) struct WindowOperator {
    input: Box<dyn Operator>,
    parts: WindowParts,
    window: Box<[Box<dyn SlidingAggregate>]>,
    /// The memory of the values in the window, and of the waiting rows.
    window_charge: Option<Charge>,
    waiting_charge: Option<Charge>,
    /// Batches with rows that were not returned, and the next row of the first one.
    batches: VecDeque<Batch>,
    next_row: usize,
    /// Entries of rows that were not returned, have not entered the window yet, or may have to
    /// again.
    entries: VecDeque<Entry>,
    /// Row numbers: the first entry, the first in the window, the first after it, the next to
    /// return.
    first_entry: u64,
    start: u64,
    end: u64,
    next: u64,
    is_finished: bool,
    pending: PendingRows,
}

/// The parts of a WINDOW.
pub(crate) struct WindowParts {
    /// Register of the value whose differences define the window.
    pub(crate) range: Option<Register>,
    pub(crate) reach: Reach,
    pub(crate) aggregates: Vec<WindowAggregate>,
    /// Registers that later operators read.
    pub(crate) carry: Box<[Register]>,
}

/// One aggregate.
pub(crate) struct WindowAggregate {
    pub(crate) input: Option<Register>,
    pub(crate) out: Register,
    pub(crate) function: AggregateFunction,
}

/// A row that takes part in windows.
struct Entry {
    /// The row's number, for windows by range; `None` if its value is none.
    number: Option<f64>,
    /// The values of the aggregates' inputs.
    values: Box<[Value]>,
}

/// Maximum number of milliseconds by which a later row's window can begin earlier, if months are
/// subtracted.
const MOVES_BACK_MS: f64 = 4.0 * 24.0 * 3600.0 * 1000.0;

impl WindowOperator {
    pub(crate) fn new(input: Box<dyn Operator>, parts: WindowParts) -> Self {
        let keeps_all = parts.reach.keeps_all();
        let aggregates = parts.aggregates.iter();
        let window = aggregates.map(|aggregate| sliding(aggregate.function, keeps_all)).collect();
        Self {
            input,
            parts,
            window,
            window_charge: None,
            waiting_charge: None,
            batches: VecDeque::new(),
            next_row: 0,
            entries: VecDeque::new(),
            first_entry: 0,
            start: 0,
            end: 0,
            next: 0,
            is_finished: false,
            pending: PendingRows::default(),
        }
    }

    /// Returns one more than the number of the last row that has arrived.
    fn arrived(&self) -> u64 {
        self.first_entry + self.entries.len() as u64
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(number.checked_sub(self.first_entry)? as usize)
    }

    /// Reads more rows; false if there are none.
    fn read(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<bool> {
        let Some(batch) = self.input.next_batch(context, limits)? else {
            self.is_finished = true;
            return Ok(false);
        };
        let batch = batch.compact();
        let mut bytes = 0;
        for row in 0..batch.rows() {
            let number = match self.parts.range {
                Some(register) => self.number(&batch.value(register, row), context)?,
                None => None,
            };
            let inputs = self.parts.aggregates.iter().map(|aggregate| aggregate.input);
            let value = |input: Option<Register>| {
                input.map_or(Value::Null, |register| batch.value(register, row).detached())
            };
            let values: Box<[Value]> = inputs.map(value).collect();
            bytes += size_of::<Entry>() + values.iter().map(Value::memory_bytes).sum::<usize>();
            self.entries.push_back(Entry { number, values });
        }
        let kept = batch.project(&self.parts.carry);
        bytes += kept.columns().count() * kept.rows() * size_of::<Value>();
        let account = || context.new_charge();
        self.waiting_charge.get_or_insert_with(account).grow(bytes as u64)?;
        self.batches.push_back(kept);
        Ok(true)
    }

    /// Returns the number of a value, by which rows are near. A value without one causes a warning.
    fn number(&self, value: &Value, context: &mut ExecutionContext) -> Result<Option<f64>> {
        let number = value.as_f64();
        if number.is_none() {
            let (code, message) = match self.parts.reach {
                Reach::Duration { .. } => (ErrorCode::QueryInvalidDateValue, "invalid date value"),
                _ => (ErrorCode::QueryInvalidArithmeticValue, "invalid arithmetic value"),
            };
            context.warnings.register(code, message)?;
        }
        Ok(number)
    }

    /// Returns true if all rows of the next row's window have arrived.
    fn is_ready(&self) -> bool {
        let Some(entry) = self.entry(self.next) else { return false };
        if self.is_finished {
            return true;
        }
        match (&self.parts.reach, entry.number) {
            (Reach::Rows { following: None, .. }, _) => false,
            (Reach::Rows { following: Some(rows), .. }, _) => {
                self.arrived() > self.next.saturating_add(*rows)
            }
            (_, None) => true,
            // Rows are sorted: those after the last one are not nearer.
            (reach, Some(number)) => {
                let last = self.entries.back().map(|last| last.number);
                let high = reach.frame(number).high;
                // Numbers come before texts and other values without a number.
                last.is_some_and(|last| last.is_none_or(|last| last > high))
            }
        }
    }

    /// Returns the values of the aggregates for the next row.
    fn answer(&mut self, context: &mut ExecutionContext) -> Result<Vec<Value>> {
        let number = self.entry(self.next).and_then(|entry| entry.number);
        if self.parts.range.is_some() && number.is_none() {
            return Ok(vec![Value::Null; self.window.len()]);
        }
        let (start, end) = self.bounds(number);
        if start < self.start || end < self.end {
            self.clear_window();
            (self.start, self.end) = (start, start);
        }
        let new_charge = || context.new_charge();
        let mut charge = self.window_charge.take().unwrap_or_else(new_charge);
        while self.end < end {
            context.interrupt.check()?;
            self.push(self.end, &mut charge)?;
            self.end += 1;
        }
        while self.start < start {
            // Rows without a number were never in the window.
            let is_in =
                self.parts.range.is_none() || self.entry(self.start).is_some_and(|e| e.number.is_some());
            if is_in {
                self.window.iter_mut().try_for_each(|aggregate| aggregate.pop(&mut charge))?;
            }
            self.start += 1;
        }
        self.window_charge = Some(charge);
        self.window.iter().map(|aggregate| aggregate.result(&context.interrupt)).collect()
    }

    fn push(&mut self, number: u64, charge: &mut Charge) -> Result<()> {
        let position = number.saturating_sub(self.first_entry) as usize;
        let Some(entry) = self.entries.get(position) else { return Ok(()) };
        if self.parts.range.is_some() && entry.number.is_none() {
            return Ok(());
        }
        for (aggregate, value) in self.window.iter_mut().zip(&entry.values) {
            aggregate.push(value, charge)?;
        }
        Ok(())
    }

    fn clear_window(&mut self) {
        if let Some(charge) = &mut self.window_charge {
            self.window.iter_mut().for_each(|aggregate| aggregate.clear(charge));
        }
    }

    /// Returns the numbers of the first row of the next row's window, and of the first after it.
    fn bounds(&self, number: Option<f64>) -> (u64, u64) {
        let arrived = self.arrived();
        if let Reach::Rows { preceding, following } = self.parts.reach {
            let start = preceding.map_or(0, |rows| self.next.saturating_sub(rows));
            let end = following.map_or(arrived, |rows| self.next.saturating_add(rows).saturating_add(1));
            return (start, end.min(arrived));
        }
        let frame = self.parts.reach.frame(number.unwrap_or_default());
        let only_moves_on = self.parts.reach.only_moves_on();
        let from = if only_moves_on { self.start } else { self.first_entry };
        let is_before = |number: u64| {
            let own = self.entry(number).map(|entry| entry.number);
            own.is_some_and(|own| own.is_none_or(|own| own < frame.low))
        };
        let start = (from..arrived).find(|number| !is_before(*number)).unwrap_or(arrived);
        let from = if only_moves_on { self.end.max(start) } else { start };
        let is_within = |number: u64| {
            let own = self.entry(number).and_then(|entry| entry.number);
            own.is_some_and(|own| own <= frame.high)
        };
        let end = (from..arrived).find(|number| !is_within(*number)).unwrap_or(arrived);
        (start, end)
    }

    /// Drops rows that were returned and will not enter the window again.
    fn forget(&mut self) {
        let oldest = if self.parts.reach.only_moves_on() {
            let needs_numbers = !matches!(self.parts.reach, Reach::Rows { .. });
            let in_window = if needs_numbers { self.start } else { self.end };
            in_window.min(self.next)
        } else {
            let number = self.entry(self.next).and_then(|entry| entry.number);
            let low =
                number.map_or(f64::NEG_INFINITY, |number| self.parts.reach.frame(number).low - MOVES_BACK_MS);
            let is_old =
                |number: &u64| self.entry(*number).and_then(|entry| entry.number).is_none_or(|own| own < low);
            (self.first_entry..self.next).find(|number| !is_old(number)).unwrap_or(self.next).min(self.start)
        };
        while self.first_entry < oldest {
            let Some(entry) = self.entries.pop_front() else { break };
            self.first_entry += 1;
            let bytes = size_of::<Entry>() + entry.values.iter().map(Value::memory_bytes).sum::<usize>();
            if let Some(charge) = &mut self.waiting_charge {
                charge.shrink(bytes as u64);
            }
        }
    }

    /// Returns ready rows of the first waiting batch, up to the limits.
    fn take(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let Some(rows) = self.batches.front().map(Batch::rows) else { return Ok(None) };
        let first = self.next_row;
        let mut columns: Vec<Vec<Value>> = self.window.iter().map(|_| Vec::new()).collect();
        let mut bytes = 0;
        while self.next_row < rows.min(first + limits.rows) && bytes < limits.bytes && self.is_ready() {
            let values = self.answer(context)?;
            for (column, value) in columns.iter_mut().zip(values) {
                bytes += value.memory_bytes();
                column.push(value);
            }
            self.next += 1;
            self.next_row += 1;
        }
        if self.next_row == first {
            return Ok(None);
        }
        self.forget();
        let answered: Vec<u32> = (first as u32..self.next_row as u32).collect();
        let mut batch = match self.batches.front() {
            Some(batch) => batch.gather(&answered.into()),
            None => return Ok(None),
        };
        if self.next_row == rows {
            let bytes = batch.columns().count() * rows * size_of::<Value>();
            if let Some(charge) = &mut self.waiting_charge {
                charge.shrink(bytes as u64);
            }
            self.batches.pop_front();
            self.next_row = 0;
        }
        for (aggregate, column) in self.parts.aggregates.iter().zip(columns) {
            batch.set_column(aggregate.out, Column::from_values(column));
        }
        Ok(Some(batch))
    }
}

impl Operator for WindowOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        loop {
            context.interrupt.check()?;
            if let Some(batch) = self.take(context, limits)? {
                return Ok(Some(self.pending.split(batch, limits)));
            }
            if self.is_finished {
                return Ok(None);
            }
            let needs_all = matches!(self.parts.reach, Reach::Rows { following: None, .. });
            let wanted = if needs_all { context.full } else { limits };
            self.read(context, wanted)?;
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.clear_window();
        self.window_charge = None;
        self.waiting_charge = None;
        self.batches.clear();
        self.entries.clear();
        (self.next_row, self.first_entry, self.start, self.end, self.next) = (0, 0, 0, 0, 0);
        self.is_finished = false;
        self.pending.clear();
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
