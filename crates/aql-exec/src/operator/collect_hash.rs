//! COLLECT with a hash table of all groups.
//!
//! Groups come in the order in which they were found, or in the order of their keys if they
//! spilled.

use aql_value::Batch;
use errors::Result;

use super::Operator;
use super::group_spill::GroupReader;
use super::groups::{GroupOutput, Groups};
use super::local_groups::LocalGroups;
use super::parallel::{Consumer, Input};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct CollectHashOperator {
    input: Input,
    output: GroupOutput,
    groups: Groups,
    state: State,
}

/// The state of the operator.
enum State {
    Reading,
    /// All rows are read; the next group to return.
    Answering(Box<LocalGroups>, usize),
    /// All rows are read; the groups have spilled.
    Spilled(Box<GroupReader>),
    Finished,
}

impl CollectHashOperator {
    pub(crate) fn new(input: Input, output: GroupOutput, groups: Groups) -> Self {
        Self { input, output, groups, state: State::Reading }
    }

    fn read_all(&mut self, context: &mut ExecutionContext) -> Result<State> {
        let mut own = LocalGroups::new(&self.output.keys, self.groups.emptied(), context)
            .keeping_row(!self.output.keeps_nothing());
        let mut others = {
            let (groups, keys, spilled) = (&self.groups, &self.output.keys, own.spilled());
            let make = |context: &ExecutionContext| {
                LocalGroups::new(keys, groups.emptied(), context).spilling_into(&spilled)
            };
            let consumer = Consumer { own: &mut own, make: &make, pays: &LocalGroups::pays_to_divide };
            self.input.consume(consumer, context)?
        };
        own.first_row().into_iter().for_each(|row| self.output.remember(row));
        if let Some(reader) = own.finish_spilled(others.iter_mut(), context)? {
            return Ok(State::Spilled(Box::new(reader)));
        }
        for other in others {
            own.merge(other, &context.interrupt)?;
        }
        own.finish()?;
        Ok(State::Answering(Box::new(own), 0))
    }
}

impl Operator for CollectHashOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if matches!(self.state, State::Reading) {
            self.state = self.read_all(context)?;
        }
        let (groups, next) = match &mut self.state {
            State::Answering(groups, next) => (groups, next),
            State::Spilled(reader) => {
                return reader.next_batch(&self.output, &mut self.groups, limits, &context.interrupt);
            }
            State::Reading | State::Finished => return Ok(None),
        };
        let first = *next;
        let end = groups.len().min(first.saturating_add(limits.rows));
        if first == end {
            self.state = State::Finished;
            return Ok(None);
        }
        *next = end;
        context.interrupt.check()?;
        groups.batch(&self.output, first..end, &context.interrupt).map(Some)
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context).map(|()| None)
    }

    fn restart(&mut self, outer: Batch) {
        self.groups.clear();
        self.state = State::Reading;
        self.output.restart(&outer);
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
