//! COLLECT of keys alone: a row is passed on when its key is seen for the first time.

use super::group_table::GroupTable;
use super::groups::GroupKey;
use super::surplus::Surplus;
use super::{BatchLimits, Operator};
use crate::context::ExecutionContext;
use aql_value::{Batch, Charge, Register, Result};

pub(crate) struct CollectDistinctOperator {
    input: Box<dyn Operator>,
    keys: Vec<GroupKey>,
    inputs: Vec<Register>,
    carry: Box<[Register]>,
    seen: GroupTable,
    charge: Option<Charge>,
    surplus: Surplus,
}

impl CollectDistinctOperator {
    /// `carry`: registers that stay set.
    pub(crate) fn new(input: Box<dyn Operator>, keys: Vec<GroupKey>, carry: Box<[Register]>) -> Self {
        let inputs: Vec<_> = keys.iter().map(|key| key.input).collect();
        Self {
            input,
            seen: GroupTable::new(keys.len()),
            keys,
            inputs,
            carry,
            charge: None,
            surplus: Surplus::default(),
        }
    }

    /// The rows whose keys were not seen before.
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
        if let Some(batch) = self.surplus.take(limits) {
            return Ok(Some(batch));
        }
        let mut charge = match self.charge.take() {
            Some(charge) => charge,
            None => context.new_charge(),
        };
        let mut found = None;
        let mut wanted = limits;
        while let Some(batch) = self.input.next_batch(context, wanted)? {
            context.interrupt.check()?;
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
            found = Some(self.surplus.split(output, limits));
            break;
        }
        self.charge = Some(charge);
        Ok(found)
    }

    fn restart(&mut self, outer: Batch) {
        self.seen.clear();
        self.charge = None;
        self.surplus.clear();
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
