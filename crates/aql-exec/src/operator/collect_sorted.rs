//! COLLECT over rows that come sorted by the group keys: one group at a time is open.

use aql_value::{Batch, Charge, Interrupt, Value};
use errors::Result;

use super::Operator;
use super::groups::{GroupOutput, Groups};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct CollectSortedOperator {
    input: Box<dyn Operator>,
    output: GroupOutput,
    groups: Groups,
    /// The keys of the open group, which is group 0 between two batches.
    open: Option<Vec<Value>>,
    /// The charge for the open group.
    charge: Option<Charge>,
    /// Rows of completed groups.
    done: Option<Batch>,
    pending: PendingRows,
    finished: bool,
}

impl CollectSortedOperator {
    pub(crate) fn new(input: Box<dyn Operator>, output: GroupOutput, groups: Groups) -> Self {
        Self {
            input,
            output,
            groups,
            open: None,
            charge: None,
            done: None,
            pending: PendingRows::default(),
            finished: false,
        }
    }

    /// Adds the rows of a batch and completes the groups that end within it.
    fn take(&mut self, batch: &Batch, charge: &mut Charge, interrupt: &Interrupt) -> Result<()> {
        self.output.remember(batch);
        let mut keys: Vec<Vec<Value>> = self.open.take().into_iter().collect();
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for row in batch.selected() {
            if !keys.last().is_some_and(|last| self.has_key(batch, row, last)) {
                keys.push(self.key_of(batch, row));
            }
            rows.push(row as u32);
            groups.push((keys.len() - 1) as u32);
        }
        self.groups.grow(keys.len(), charge)?;
        self.groups.add(batch, &rows, &groups, charge)?;
        self.open = keys.pop();
        if !keys.is_empty() {
            let open = keys.len();
            self.emit(keys, interrupt)?;
            self.groups.keep_only(open);
            // The open group's part of the charge is unknown. It restarts from zero, because that
            // part is small.
            charge.clear();
        }
        Ok(())
    }

    fn has_key(&self, batch: &Batch, row: usize, key: &[Value]) -> bool {
        self.output.keys.iter().zip(key).all(|(register, own)| batch.value(register.input, row) == *own)
    }

    fn key_of(&self, batch: &Batch, row: usize) -> Vec<Value> {
        self.output.keys.iter().map(|key| batch.value(key.input, row).detached()).collect()
    }

    /// Makes rows of the groups from 0 on, which have these keys.
    fn emit(&mut self, keys: Vec<Vec<Value>>, interrupt: &Interrupt) -> Result<()> {
        let count = keys.len();
        let mut columns = vec![Vec::with_capacity(count); self.output.keys.len()];
        for key in keys {
            columns.iter_mut().zip(key).for_each(|(column, value)| column.push(value));
        }
        self.done = Some(self.output.batch(columns, 0..count, &mut self.groups, interrupt)?);
        Ok(())
    }

    /// Reads until there are rows to return or the input ends.
    fn read(&mut self, context: &mut ExecutionContext) -> Result<()> {
        let mut charge = match self.charge.take() {
            Some(charge) => charge,
            None => context.new_charge(),
        };
        while self.done.is_none() && !self.finished {
            context.interrupt.check()?;
            match self.input.next_full_batch(context)? {
                Some(batch) => self.take(&batch, &mut charge, &context.interrupt)?,
                None => {
                    self.finished = true;
                    // Without keys there is one group, even without rows.
                    let without_keys = self.output.keys.is_empty().then(Vec::new);
                    if let Some(key) = self.open.take().or(without_keys) {
                        self.groups.grow(1, &mut charge)?;
                        self.emit(vec![key], &context.interrupt)?;
                    }
                    self.groups.clear();
                    charge.clear();
                }
            }
        }
        self.charge = Some(charge);
        Ok(())
    }
}

impl Operator for CollectSortedOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        self.read(context)?;
        Ok(self.done.take().map(|done| self.pending.split(done, limits)))
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context).map(|_| None)
    }

    fn restart(&mut self, outer: Batch) {
        self.groups.clear();
        self.open = None;
        self.charge = None;
        self.done = None;
        self.pending.clear();
        self.finished = false;
        self.output.restart(&outer);
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
