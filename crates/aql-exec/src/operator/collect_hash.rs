//! COLLECT with a hash table of all groups.
//!
//! Groups come in the order in which they were found, or in the order of their keys if they
//! spilled.

use aql_value::{Batch, Charge};
use errors::Result;

use super::Operator;
use super::group_spill::{GroupReader, GroupWriter};
use super::group_table::GroupTable;
use super::groups::{GroupOutput, Groups};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct CollectHashOperator {
    input: Box<dyn Operator>,
    output: GroupOutput,
    table: GroupTable,
    groups: Groups,
    charge: Option<Charge>,
    state: State,
}

/// The state of the operator.
enum State {
    Reading,
    /// All rows are read; the next group to return.
    Answering(usize),
    /// All rows are read; the groups have spilled.
    Spilled(Box<GroupReader>),
    Finished,
}

impl CollectHashOperator {
    pub(crate) fn new(input: Box<dyn Operator>, output: GroupOutput, groups: Groups) -> Self {
        let table = GroupTable::new(output.keys.len());
        Self { input, output, table, groups, charge: None, state: State::Reading }
    }

    fn read_all(&mut self, context: &mut ExecutionContext) -> Result<State> {
        let mut charge = context.new_charge();
        let mut spilled: Option<GroupWriter> = None;
        let registers: Vec<_> = self.output.keys.iter().map(|key| key.input).collect();
        while let Some(batch) = self.input.next_full_batch(context)? {
            context.interrupt.check()?;
            self.output.remember(&batch);
            let rows: Vec<u32> = batch.selected().map(|row| row as u32).collect();
            let mut groups = Vec::with_capacity(rows.len());
            if registers.is_empty() {
                groups.resize(rows.len(), 0);
            } else {
                for &row in &rows {
                    groups.push(self.table.group_of(&batch, row as usize, &registers, &mut charge)?);
                }
            }
            self.groups.grow(self.group_count(), &mut charge)?;
            self.groups.add(&batch, &rows, &groups, &mut charge)?;
            // A single group must be in memory anyway.
            if !registers.is_empty() && context.spill.is_due(charge.bytes(), self.table.len()) {
                let writer = match &mut spilled {
                    Some(writer) => writer,
                    None => spilled.insert(GroupWriter::new(context)?),
                };
                writer.add(&mut self.table, &mut self.groups)?;
                charge.clear();
            }
        }
        if let Some(mut writer) = spilled {
            writer.add(&mut self.table, &mut self.groups)?;
            self.table = GroupTable::new(self.output.keys.len());
            charge.clear();
            return Ok(State::Spilled(Box::new(writer.finish(charge)?)));
        }
        self.groups.grow(self.group_count(), &mut charge)?;
        self.charge = Some(charge);
        Ok(State::Answering(0))
    }

    fn clear(&mut self) {
        self.table.clear();
        self.groups.clear();
        self.charge = None;
    }

    /// Returns the number of groups. Without keys there is one group, even without rows.
    fn group_count(&self) -> usize {
        if self.output.keys.is_empty() { 1 } else { self.table.len() }
    }
}

impl Operator for CollectHashOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if matches!(self.state, State::Reading) {
            self.state = self.read_all(context)?;
        }
        let first = match &mut self.state {
            State::Answering(next) => *next,
            State::Spilled(reader) => {
                return reader.next_batch(&self.output, &mut self.groups, limits, &context.interrupt);
            }
            State::Reading | State::Finished => return Ok(None),
        };
        let end = self.group_count().min(first.saturating_add(limits.rows));
        if first == end {
            self.clear();
            self.state = State::Finished;
            return Ok(None);
        }
        self.state = State::Answering(end);
        context.interrupt.check()?;
        let keys = (0..self.output.keys.len()).map(|column| self.table.keys(column, first..end)).collect();
        self.output.batch(keys, first..end, &mut self.groups, &context.interrupt).map(Some)
    }

    fn restart(&mut self, outer: Batch) {
        self.clear();
        self.state = State::Reading;
        self.output.restart(&outer);
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
