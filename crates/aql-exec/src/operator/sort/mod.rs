//! Sorts rows: all of them, or only the first so many.
//!
//! Each row gets one key of bytes that order as the sort's criteria do, so that comparing rows is comparing bytes. Rows
//! with equal keys keep their order.

mod buffer;
mod retained;

use super::{BatchLimits, Operator};
use crate::context::ExecutionContext;
use crate::spill::{RowReader, RowWriter};
use aql_value::{Batch, Register, Result};
use buffer::SortBuffer;

/// One criterion of a sort, from the most significant down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortKey {
    pub(crate) register: Register,
    pub(crate) ascending: bool,
}

pub(crate) struct SortOperator {
    input: Box<dyn Operator>,
    keys: Box<[SortKey]>,
    /// Registers that later operators read.
    carry: Box<[Register]>,
    /// Only so many rows are needed.
    limit: Option<usize>,
    state: State,
}

enum State {
    /// Nothing is read yet.
    Start,
    /// All rows are in memory, in order; the next one to answer.
    Memory { buffer: SortBuffer, next: usize },
    /// Rows lie in temporary files.
    Spilled(RowReader),
    /// All rows are answered.
    Finished,
}

impl SortOperator {
    pub(crate) fn new(
        input: Box<dyn Operator>,
        keys: Box<[SortKey]>,
        carry: Box<[Register]>,
        limit: Option<u64>,
    ) -> Self {
        let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Self { input, keys, carry, limit, state: State::Start }
    }

    fn read_all(&mut self, context: &mut ExecutionContext) -> Result<State> {
        let mut buffer = SortBuffer::new(&self.keys, &self.carry, self.limit, context.new_charge());
        let mut spilled: Option<RowWriter> = None;
        while let Some(batch) = self.input.next_full_batch(context)? {
            context.interrupt.check()?;
            buffer.add(&batch, &context.interrupt)?;
            if context.spill.is_due(buffer.bytes(), buffer.len()) {
                buffer.reduce_to_limit(&context.interrupt)?;
            }
            if context.spill.is_due(buffer.bytes(), buffer.len()) {
                let spill = match &mut spilled {
                    Some(spill) => spill,
                    None => spilled.insert(RowWriter::new(context, &self.carry)?),
                };
                buffer.drain(|key, batch, row| spill.add(key, batch, row))?;
            }
        }
        if let Some(mut spill) = spilled {
            buffer.drain(|key, batch, row| spill.add(key, batch, row))?;
            return Ok(State::Spilled(spill.finish()?));
        }
        buffer.sort(&context.interrupt)?;
        Ok(State::Memory { buffer, next: 0 })
    }
}

impl Operator for SortOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if matches!(self.state, State::Start) {
            self.state = self.read_all(context)?;
        }
        context.interrupt.check()?;
        let batch = match &mut self.state {
            State::Start | State::Finished => None,
            State::Memory { buffer, next } => {
                let batch = buffer.rows(*next, limits.rows);
                *next += batch.as_ref().map_or(0, Batch::rows);
                batch
            }
            State::Spilled(rows) => rows.next_batch(limits.rows, limits.bytes)?,
        };
        if batch.is_none() {
            self.state = State::Finished;
        }
        Ok(batch)
    }

    fn restart(&mut self, outer: Batch) {
        self.state = State::Start;
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
