//! Rows that did not fit in memory: sorted through temporary files.
//!
//! A row is written as its sort key and a VelocyPack array of the values of its registers.

use super::buffer::SortBuffer;
use crate::data::storage_error;
use crate::execution::SpillOptions;
use crate::operator::BatchLimits;
use aql_value::{Batch, Column, ElementCursor, Interrupt, Register, Result, Value};
use std::sync::Arc;
use storage::{SortedPairs, Sorter};
use velocypack::{Block, Builder};

/// Rows between two checks for an interrupt.
const ROWS_PER_CHECK: usize = 4096;

/// Takes rows out of memory.
pub(super) struct Spill {
    sorter: Sorter,
    carry: Box<[Register]>,
    builder: Builder,
}

impl Spill {
    pub(super) fn new(options: &SpillOptions, carry: &[Register]) -> Self {
        let folder = options.folder.clone().unwrap_or_default();
        let budget_bytes = usize::try_from(options.threshold_bytes).unwrap_or(usize::MAX);
        Self { sorter: Sorter::new(folder, budget_bytes), carry: carry.into(), builder: Builder::new() }
    }

    /// Takes all rows of a buffer.
    pub(super) fn add(&mut self, buffer: &mut SortBuffer, interrupt: &Interrupt) -> Result<()> {
        let Self { sorter, carry, builder } = self;
        let mut count = 0usize;
        buffer.drain(|key, batch, row| {
            builder.clear();
            builder.open_array()?;
            for &register in carry.iter() {
                batch.value(register, row).append_to(builder)?;
            }
            builder.close()?;
            count += 1;
            if count.is_multiple_of(ROWS_PER_CHECK) {
                interrupt.check()?;
            }
            sorter.add(key, builder.as_bytes()).map_err(|error| storage_error(&error))
        })
    }

    /// All rows in order.
    pub(super) fn finish(self) -> Result<SpilledRows> {
        let pairs = self.sorter.finish().map_err(|error| storage_error(&error))?;
        Ok(SpilledRows { pairs, carry: self.carry })
    }
}

/// Rows read back in order.
pub(super) struct SpilledRows {
    pairs: SortedPairs,
    carry: Box<[Register]>,
}

impl SpilledRows {
    pub(super) fn next_batch(&mut self, limits: BatchLimits) -> Result<Option<Batch>> {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        while offsets.len() < limits.rows && bytes.len() < limits.bytes {
            let Some((_, row)) = self.pairs.next().map_err(|error| storage_error(&error))? else { break };
            offsets.push(bytes.len() as u32);
            bytes.extend_from_slice(row);
        }
        if offsets.is_empty() {
            return Ok(None);
        }
        let block = Arc::new(Block::new(bytes));
        let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(offsets.len()); self.carry.len()];
        for &offset in &offsets {
            let mut values = ElementCursor::new(Value::in_block(&block, offset));
            columns.iter_mut().for_each(|column| column.push(values.next().unwrap_or_default()));
        }
        let mut batch = Batch::new(offsets.len());
        for (register, column) in self.carry.iter().zip(columns) {
            batch.set_column(*register, Column::from_values(column));
        }
        Ok(Some(batch))
    }
}
