//! COLLECT of keys alone: a row is passed on when its key occurs for the first time.
//!
//! If the table of keys takes too much memory, it stops growing. Rows with unknown keys then go to
//! temporary files, sorted by key, and the first of each key is passed on at the end.

use aql_value::{Batch, Charge, Register};
use errors::Result;

use super::Operator;
use super::group_table::GroupTable;
use super::groups::GroupKey;
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::spill::{RowReader, RowWriter};

pub(crate) struct CollectDistinctOperator {
    input: Box<dyn Operator>,
    keys: Vec<GroupKey>,
    inputs: Vec<Register>,
    carry: Box<[Register]>,
    seen: GroupTable,
    charge: Option<Charge>,
    pending: PendingRows,
    /// The spilled rows of keys that did not fit in the table.
    spilled: Option<RowReader>,
}

impl CollectDistinctOperator {
    /// Creates the operator. `carry`: registers that stay set.
    pub(crate) fn new(input: Box<dyn Operator>, keys: Vec<GroupKey>, carry: Box<[Register]>) -> Self {
        let inputs: Vec<_> = keys.iter().map(|key| key.input).collect();
        Self {
            input,
            seen: GroupTable::new(keys.len()),
            keys,
            inputs,
            carry,
            charge: None,
            pending: PendingRows::default(),
            spilled: None,
        }
    }

    /// Returns the registers set in the rows passed on, and those that their values come from.
    fn registers(&self) -> (Vec<Register>, Vec<Register>) {
        let set = self.carry.iter().copied().chain(self.keys.iter().map(|key| key.out));
        let read = self.carry.iter().copied().chain(self.inputs.iter().copied());
        (set.collect(), read.collect())
    }

    /// Spills rows with unknown keys.
    fn write_unknown(&mut self, batch: &Batch, writer: &mut RowWriter) -> Result<()> {
        let mut key = Vec::new();
        for row in batch.selected() {
            if self.seen.contains(batch, row, &self.inputs) {
                continue;
            }
            key.clear();
            self.inputs.iter().for_each(|register| batch.value(*register, row).sort_key(&mut key));
            writer.add(&key, batch, row)?;
        }
        Ok(())
    }

    /// Reads all rows and passes on the first new ones.
    fn spill_rest(
        &mut self,
        first: Batch,
        context: &mut ExecutionContext,
        limits: BatchLimits,
    ) -> Result<Option<Batch>> {
        let (set, read) = self.registers();
        let mut writer = RowWriter::new(context, &read)?;
        let mut next = Some(first);
        while let Some(batch) = next {
            context.interrupt.check()?;
            self.write_unknown(&batch, &mut writer)?;
            next = self.input.next_full_batch(context)?;
        }
        self.seen.clear();
        self.charge = None;
        let mut rows = writer.finish()?.distinct(&set);
        let batch = rows.next_batch(limits.rows, limits.bytes);
        self.spilled = Some(rows);
        batch
    }

    /// Returns the rows whose keys are new.
    fn new_rows(&mut self, batch: &Batch, charge: &mut Charge) -> Result<Vec<u32>> {
        let mut rows = Vec::new();
        for row in batch.selected() {
            let known = self.seen.len();
            if self.seen.group_of(batch, row, &self.inputs, charge)? as usize == known {
                rows.push(row as u32);
            }
        }
        Ok(rows)
    }
}

impl Operator for CollectDistinctOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        if let Some(rows) = &mut self.spilled {
            return rows.next_batch(limits.rows, limits.bytes);
        }
        let mut charge = match self.charge.take() {
            Some(charge) => charge,
            None => context.new_charge(),
        };
        let mut found = None;
        let mut wanted = limits;
        while let Some(batch) = self.input.next_batch(context, wanted)? {
            context.interrupt.check()?;
            if context.spill.is_due(charge.bytes(), self.seen.len()) {
                self.charge = Some(charge);
                return self.spill_rest(batch, context, limits);
            }
            let rows = self.new_rows(&batch, &mut charge)?;
            if rows.is_empty() {
                wanted = wanted.grown(context.full);
                continue;
            }
            let mut output = batch.project(&self.carry);
            for key in &self.keys {
                if let Some(column) = batch.column(key.input) {
                    output.set_column(key.out, column.clone());
                }
            }
            output.select(rows.into());
            found = Some(self.pending.split(output, limits));
            break;
        }
        self.charge = Some(charge);
        Ok(found)
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context).map(|_| None)
    }

    fn restart(&mut self, outer: Batch) {
        self.seen.clear();
        self.charge = None;
        self.pending.clear();
        self.spilled = None;
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
