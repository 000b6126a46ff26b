//! Sorts rows in memory, or in temporary files if they are many.

use aql_value::Batch;
use errors::Result;

use super::SortOrder;
use super::buffer::SortBuffer;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::spill::{RowReader, RowWriter};

pub(super) struct Sorter<'a> {
    order: &'a SortOrder,
    buffer: SortBuffer,
    spilled: Option<RowWriter>,
}

/// Rows in order.
pub(super) enum Sorted {
    /// All rows are in memory; the next one to return.
    Memory { buffer: SortBuffer, next: usize },
    /// Rows lie in temporary files.
    Spilled(RowReader),
}

impl<'a> Sorter<'a> {
    /// Creates a sorter that needs only the first `limit` rows.
    pub(super) fn new(order: &'a SortOrder, limit: Option<usize>, context: &ExecutionContext) -> Self {
        let buffer = SortBuffer::new(&order.keys, &order.carry, limit, context.new_charge());
        Self { order, buffer, spilled: None }
    }

    pub(super) fn add(&mut self, batch: &Batch, context: &ExecutionContext) -> Result<()> {
        let Self { order, buffer, spilled } = self;
        buffer.add(batch, &context.interrupt)?;
        if context.spill.is_due(buffer.bytes(), buffer.len()) {
            buffer.reduce_to_limit(&context.interrupt)?;
        }
        if context.spill.is_due(buffer.bytes(), buffer.len()) {
            let spill = match spilled {
                Some(spill) => spill,
                None => spilled.insert(RowWriter::new(context, &order.carry)?),
            };
            buffer.drain(|key, batch, row| spill.add(key, batch, row))?;
        }
        Ok(())
    }

    pub(super) fn finish(self, context: &ExecutionContext) -> Result<Sorted> {
        let Self { mut buffer, spilled, .. } = self;
        if let Some(mut spill) = spilled {
            buffer.drain(|key, batch, row| spill.add(key, batch, row))?;
            return Ok(Sorted::Spilled(spill.finish()?));
        }
        buffer.sort(&context.interrupt)?;
        Ok(Sorted::Memory { buffer, next: 0 })
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
