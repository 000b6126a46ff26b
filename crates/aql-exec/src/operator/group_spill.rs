//! Groups that do not fit in memory.
//!
//! Their states spill to temporary files, sorted by key, and are merged in the order of the keys.
//!
//! A group is written as the sort key of its keys, and an array of the keys, the state of each
//! aggregate and the members of INTO. It may be written more than once; its parts come back in the
//! order in which they were written.

use std::sync::Arc;

use aql_value::{Batch, Charge, ElementCursor, Interrupt, ThreadMeter, Value};
use errors::Result;
use velocypack::{Block, Builder};

use super::group_table::GroupTable;
use super::groups::{GroupOutput, Groups};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::spill::{SpillReader, SpillWriter};

/// A writer that spills groups.
pub(super) struct GroupWriter {
    writer: SpillWriter,
    key: Vec<u8>,
    builder: Builder,
}

impl GroupWriter {
    pub(super) fn new(context: &ExecutionContext) -> Result<Self> {
        Ok(Self { writer: SpillWriter::new(context)?, key: Vec::new(), builder: Builder::new() })
    }

    /// Spills all groups; both `table` and `groups` are empty then.
    pub(super) fn add(&mut self, table: &mut GroupTable, groups: &mut Groups) -> Result<()> {
        for group in 0..table.len() {
            self.key.clear();
            self.builder.clear();
            self.builder.open_array()?;
            for key in table.key(group) {
                key.sort_key(&mut self.key);
                key.append_to(&mut self.builder)?;
            }
            groups.save(group, &mut self.builder)?;
            self.builder.close()?;
            self.writer.add(&self.key, self.builder.as_bytes())?;
        }
        table.clear();
        groups.clear();
        // The group with the longest state may have been large.
        self.builder = Builder::new();
        Ok(())
    }

    /// Returns all groups in the order of their keys.
    pub(super) fn finish(self, charge: Charge) -> Result<GroupReader> {
        Ok(GroupReader { pairs: self.writer.finish()?, pending: None, charge })
    }
}

/// A reader of spilled groups.
pub(super) struct GroupReader {
    pairs: SpillReader,
    /// The first part of the next group: its sort key and its saved state.
    pending: Option<(Vec<u8>, Value)>,
    /// The charge for the groups returned last.
    charge: Charge,
}

impl GroupReader {
    /// Returns the rows of the next groups; `groups` is empty before and after.
    pub(super) fn next_batch(
        &mut self,
        output: &GroupOutput,
        groups: &mut Groups,
        limits: BatchLimits,
        interrupt: &Interrupt,
    ) -> Result<Option<Batch>> {
        self.charge.clear();
        let mut keys: Vec<Vec<Value>> = vec![Vec::new(); output.keys.len()];
        let mut count = 0;
        let mut last = Vec::new();
        while let Some((key, part)) = self.next_part()? {
            if count == 0 || key != last {
                if count == limits.rows || self.charge.bytes() > limits.bytes as u64 {
                    self.pending = Some((key, part));
                    break;
                }
                count += 1;
                groups.grow(count, &mut self.charge)?;
                keys.iter_mut().zip(part.elements()).for_each(|(column, key)| column.push(key.detached()));
                last = key;
            }
            let mut saved = ElementCursor::new(part);
            saved.by_ref().take(keys.len()).for_each(drop);
            groups.merge(count - 1, &mut saved, &mut self.charge)?;
        }
        if count == 0 {
            return Ok(None);
        }
        let batch = output.batch(keys, 0..count, groups, interrupt)?;
        groups.clear();
        Ok(Some(batch))
    }

    fn next_part(&mut self) -> Result<Option<(Vec<u8>, Value)>> {
        if let Some(pending) = self.pending.take() {
            return Ok(Some(pending));
        }
        let Some((key, part)) = self.pairs.next_pair()? else { return Ok(None) };
        ThreadMeter::check_room(part.len())?;
        Ok(Some((key.to_vec(), Value::in_block(&Arc::new(Block::new(part.to_vec())), 0))))
    }
}
