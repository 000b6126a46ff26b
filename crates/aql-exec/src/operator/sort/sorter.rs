//! Sorts rows in memory, or in temporary files if they are many.

use std::sync::{Arc, Mutex, PoisonError};

use aql_value::Batch;
use errors::Result;

use super::SortOrder;
use super::buffer::SortBuffer;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::operator::parallel::LocalState;
use crate::spill::{RowReader, RowWriter};

/// The rows that threads of one query have spilled together.
pub(super) type SpilledRows = Arc<Mutex<Option<RowWriter>>>;

/// The rows of one thread.
pub(super) struct Sorter {
    buffer: SortBuffer,
    spilled: SpilledRows,
    /// True if several threads may sort.
    is_divided: bool,
}

/// Rows in order.
pub(super) enum Sorted {
    /// All rows are in memory; the next one to return.
    Memory { buffer: SortBuffer, next: usize },
    /// Rows lie in temporary files.
    Spilled(RowReader),
}

impl Sorter {
    /// Creates a sorter that needs only the first `limit` rows.
    pub(super) fn new(order: &SortOrder, limit: Option<usize>, context: &ExecutionContext) -> Self {
        let buffer = SortBuffer::new(&order.keys, &order.carry, limit, context.new_charge());
        Self { buffer, spilled: SpilledRows::default(), is_divided: false }
    }

    /// Returns the same sorter for the rows of one of several threads, which spill together.
    pub(super) fn divided(self, spilled: &SpilledRows) -> Self {
        Self { is_divided: true, spilled: Arc::clone(spilled), ..self }
    }

    /// Adds the rows of a batch.
    pub(super) fn add(&mut self, batch: &Batch, context: &ExecutionContext) -> Result<()> {
        self.add_of(batch, None, context)
    }

    fn add_of(&mut self, batch: &Batch, morsel: Option<u32>, context: &ExecutionContext) -> Result<()> {
        self.buffer.add(batch, morsel, &context.interrupt)?;
        if context.spill.is_due(self.buffer.bytes(), self.buffer.len()) {
            self.buffer.reduce_to_limit(&context.interrupt)?;
        }
        if context.spill.is_due(self.buffer.bytes(), self.buffer.len()) {
            self.spill(context)?;
        }
        Ok(())
    }

    fn spill(&mut self, context: &ExecutionContext) -> Result<()> {
        let mut writer = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = match &mut *writer {
            Some(writer) => writer,
            None => writer.insert(RowWriter::new(context, self.buffer.carry())?),
        };
        self.buffer.drain(|key, batch, row| writer.add(key, batch, row))
    }

    /// Sorts all rows, with those of other threads.
    pub(super) fn finish(mut self, others: Vec<Sorter>, context: &ExecutionContext) -> Result<Sorted> {
        let has_spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        for mut other in others {
            if has_spilled {
                other.spill(context)?;
            } else {
                self.buffer.append(other.buffer)?;
            }
        }
        if has_spilled {
            self.spill(context)?;
        }
        if let Some(rows) = self.spilled.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(Sorted::Spilled(rows.finish()?));
        }
        self.buffer.sort(&context.interrupt)?;
        Ok(Sorted::Memory { buffer: self.buffer, next: 0 })
    }
}

impl LocalState for Sorter {
    fn add(&mut self, batch: &Batch, morsel: u32, context: &mut ExecutionContext) -> Result<()> {
        self.add_of(batch, self.is_divided.then_some(morsel), context)
    }
}

impl Sorted {
    pub(super) fn next_batch(&mut self, limits: BatchLimits) -> Result<Option<Batch>> {
        match self {
            Self::Memory { buffer, next } => {
                let batch = buffer.rows(*next, limits.rows);
                *next += batch.as_ref().map_or(0, Batch::rows);
                Ok(batch)
            }
            Self::Spilled(rows) => rows.next_batch(limits.rows, limits.bytes),
        }
    }
}
