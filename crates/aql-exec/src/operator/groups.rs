//! Shared parts of all kinds of COLLECT: the aggregates and INTO of groups, and their rows.

use aql_value::{Batch, Charge, Column, ElementCursor, Interrupt, Register, Value};
use errors::Result;
use velocypack::Builder;

use super::into::{IntoLists, IntoMembers};
use crate::aggregate::Aggregator;

/// Estimated bytes of a state of an aggregate or a list while it is empty.
const STATE_BYTES: usize = 64;

/// A group key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupKey {
    pub(crate) input: Register,
    pub(crate) out: Register,
}

/// An aggregate.
pub(crate) struct GroupAggregate {
    /// Register of the input; `None` for an aggregate that reads nothing.
    pub(crate) input: Option<Register>,
    pub(crate) out: Register,
    pub(crate) aggregator: Box<dyn Aggregator>,
}

/// Aggregates and gathered rows of groups, by number of the group.
pub(crate) struct Groups {
    aggregates: Vec<GroupAggregate>,
    into: Option<(Register, IntoLists)>,
    groups: usize,
}

impl Groups {
    pub(crate) fn new(aggregates: Vec<GroupAggregate>, into: Option<(Register, IntoMembers)>) -> Self {
        Self { aggregates, into: into.map(|(out, members)| (out, IntoLists::new(members))), groups: 0 }
    }

    /// Returns the same aggregates and members without groups.
    pub(super) fn emptied(&self) -> Self {
        let aggregate = |aggregate: &GroupAggregate| GroupAggregate {
            input: aggregate.input,
            out: aggregate.out,
            aggregator: aggregate.aggregator.emptied(),
        };
        let into = self.into.as_ref().map(|(out, lists)| (*out, lists.emptied()));
        Self { aggregates: self.aggregates.iter().map(aggregate).collect(), into, groups: 0 }
    }

    /// Extends the states to `groups` groups.
    pub(super) fn grow(&mut self, groups: usize, charge: &mut Charge) -> Result<()> {
        if groups <= self.groups {
            return Ok(());
        }
        let states = self.aggregates.len() + usize::from(self.into.is_some());
        charge.grow(((groups - self.groups) * states * STATE_BYTES) as u64)?;
        self.aggregates.iter_mut().for_each(|aggregate| aggregate.aggregator.grow(groups));
        self.into.iter_mut().for_each(|(_, lists)| lists.grow(groups));
        self.groups = groups;
        Ok(())
    }

    /// Adds rows: `rows[i]` belongs to group `groups[i]`.
    pub(super) fn add(
        &mut self,
        batch: &Batch,
        rows: &[u32],
        groups: &[u32],
        charge: &mut Charge,
    ) -> Result<()> {
        let nothing = Column::Constant(Value::Null);
        for aggregate in &mut self.aggregates {
            let column = aggregate.input.and_then(|register| batch.column(register)).unwrap_or(&nothing);
            aggregate.aggregator.add(column, rows, groups, charge)?;
        }
        match &mut self.into {
            Some((_, lists)) => lists.add(batch, rows, groups, charge),
            None => Ok(()),
        }
    }

    /// Adds the state of a group to an array, a value for each aggregate and one for INTO.
    ///
    /// The group is empty then.
    pub(super) fn save(&mut self, group: usize, out: &mut Builder) -> Result<()> {
        for aggregate in &mut self.aggregates {
            aggregate.aggregator.save(group, out)?;
        }
        self.into.as_mut().map_or(Ok(()), |(_, lists)| lists.save(group, out))
    }

    /// Merges a later saved state of the same group, in the order of [`Groups::save`].
    pub(super) fn merge(
        &mut self,
        group: usize,
        saved: &mut ElementCursor,
        charge: &mut Charge,
    ) -> Result<()> {
        for aggregate in &mut self.aggregates {
            aggregate.aggregator.merge(group, &saved.next().unwrap_or_default(), charge)?;
        }
        match &mut self.into {
            Some((_, lists)) => lists.merge(group, &saved.next().unwrap_or_default(), charge),
            None => Ok(()),
        }
    }

    /// Drops all groups but one, which becomes group 0.
    pub(super) fn keep_only(&mut self, group: usize) {
        self.aggregates.iter_mut().for_each(|aggregate| aggregate.aggregator.keep_only(group));
        self.into.iter_mut().for_each(|(_, lists)| lists.keep_only(group));
        self.groups = 1;
    }

    /// Drops all groups.
    pub(super) fn clear(&mut self) {
        self.aggregates.iter_mut().for_each(|aggregate| aggregate.aggregator.clear());
        self.into.iter_mut().for_each(|(_, lists)| lists.clear());
        self.groups = 0;
    }
}

/// The conversion of groups to rows.
pub(crate) struct GroupOutput {
    pub(crate) keys: Vec<GroupKey>,
    /// Registers that have the same value in all rows and stay set.
    kept: Vec<(Register, Value)>,
    has_rows: bool,
    /// Registers of the outer query that stay set, even without rows.
    outer: Vec<(Register, Value)>,
}

impl GroupOutput {
    pub(crate) fn new(keys: Vec<GroupKey>, kept: &[Register], outer: &[Register]) -> Self {
        let unset =
            |registers: &[Register]| registers.iter().map(|register| (*register, Value::Null)).collect();
        Self { keys, kept: unset(kept), has_rows: false, outer: unset(outer) }
    }

    /// Returns true if no value of the rows is kept.
    pub(super) fn keeps_nothing(&self) -> bool {
        self.kept.is_empty()
    }

    /// Reads the values of kept registers from the first batch.
    pub(super) fn remember(&mut self, batch: &Batch) {
        let Some(row) = batch.selected().next() else { return };
        if !std::mem::replace(&mut self.has_rows, true) {
            self.kept
                .iter_mut()
                .for_each(|(register, value)| *value = batch.value(*register, row).detached());
        }
    }

    /// Reads the outer query's values from the row that the pipeline starts from.
    pub(super) fn restart(&mut self, outer: &Batch) {
        self.has_rows = false;
        self.kept.iter_mut().for_each(|(_, value)| *value = Value::Null);
        let row = outer.selected().next().unwrap_or(0);
        self.outer.iter_mut().for_each(|(register, value)| *value = outer.value(*register, row));
    }

    /// Returns the rows of some groups, with their keys by column.
    pub(super) fn batch(
        &self,
        keys: Vec<Vec<Value>>,
        groups: impl ExactSizeIterator<Item = usize> + Clone,
        states: &mut Groups,
        interrupt: &Interrupt,
    ) -> Result<Batch> {
        let mut batch = self.empty_batch(groups.len());
        for (key, values) in self.keys.iter().zip(keys) {
            batch.set_column(key.out, Column::from_values(values));
        }
        for aggregate in &mut states.aggregates {
            let results = groups.clone().map(|group| aggregate.aggregator.result(group, interrupt));
            let values = results.collect::<Result<_>>()?;
            batch.set_column(aggregate.out, Column::from_values(values));
        }
        if let Some((out, lists)) = &mut states.into {
            let values = groups.map(|group| lists.result(group, interrupt)).collect::<Result<_>>()?;
            batch.set_column(*out, Column::from_values(values));
        }
        Ok(batch)
    }

    /// Returns rows with only those values that are the same in all of them.
    pub(super) fn empty_batch(&self, rows: usize) -> Batch {
        let mut batch = Batch::new(rows);
        for (register, value) in self.outer.iter().chain(&self.kept) {
            batch.set_column(*register, Column::Constant(value.clone()));
        }
        batch
    }
}
