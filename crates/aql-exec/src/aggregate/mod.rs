//! The aggregates of COLLECT, each keeping one state a group.
//!
//! An aggregator takes a batch at a time: a column of values and, for each row, the number of its group.

mod bits;
mod count;
mod distinct;
mod extreme;
mod push;
mod sum;
mod variance;

use aql_plan::AggregateFunction;
use aql_value::{Charge, Column, Interrupt, Result, Value};
use velocypack::Builder;

/// The states of one aggregate for all groups. Groups are numbered from 0 in the order in which they appear.
pub(crate) trait Aggregator: Send {
    /// Makes states for groups up to `groups` in number.
    fn grow(&mut self, groups: usize);

    /// Takes the values of some rows: row `rows[i]` of the column belongs to group `groups[i]`, which has a state.
    /// `memory` is charged with what the states retain.
    fn add(&mut self, column: &Column, rows: &[u32], groups: &[u32], memory: &mut Charge) -> Result<()>;

    /// The result of a group. Called once a group; its state may be emptied. Errors: 1500 if the query is ended while a
    /// large result is made, 32 if it would be 4 GiB or longer.
    fn result(&mut self, group: usize, interrupt: &Interrupt) -> Result<Value>;

    /// Adds one value to `out`, of which [`Aggregator::merge`] makes the state of a group again. Called once a group
    /// instead of [`Aggregator::result`].
    fn save(&mut self, group: usize, out: &mut Builder) -> Result<()>;

    /// Takes what was saved of a group whose values came after those that `group` has taken so far.
    fn merge(&mut self, group: usize, saved: &Value, memory: &mut Charge) -> Result<()>;

    /// Forgets all groups but one, which becomes group 0.
    fn keep_only(&mut self, group: usize);

    /// Forgets all groups.
    fn clear(&mut self);
}

/// One group's state of an aggregate.
trait State: Default + Send {
    /// Takes a value. Returns the bytes that the state has grown by.
    fn add(&mut self, value: &Value) -> usize;

    /// The aggregate of all values taken.
    fn result(&mut self, interrupt: &Interrupt) -> Result<Value>;

    /// As [`Aggregator::save`].
    fn save(&mut self, out: &mut Builder) -> Result<()>;

    /// As [`Aggregator::merge`]. Returns the bytes that the state has grown by.
    fn merge(&mut self, saved: &Value) -> usize;
}

/// An aggregator from one state a group.
struct Grouped<S> {
    states: Vec<S>,
}

impl<S: State> Aggregator for Grouped<S> {
    fn grow(&mut self, groups: usize) {
        if self.states.len() < groups {
            self.states.resize_with(groups, S::default);
        }
    }

    fn add(&mut self, column: &Column, rows: &[u32], groups: &[u32], memory: &mut Charge) -> Result<()> {
        let mut grown = 0;
        for (&row, &group) in rows.iter().zip(groups) {
            if let Some(state) = self.states.get_mut(group as usize) {
                grown += state.add(column.get(row as usize));
            }
        }
        if grown > 0 { memory.grow(grown as u64) } else { Ok(()) }
    }

    fn result(&mut self, group: usize, interrupt: &Interrupt) -> Result<Value> {
        self.states.get_mut(group).map_or(Ok(Value::Null), |state| state.result(interrupt))
    }

    fn save(&mut self, group: usize, out: &mut Builder) -> Result<()> {
        match self.states.get_mut(group) {
            Some(state) => state.save(out),
            None => Ok(out.add_null()?),
        }
    }

    fn merge(&mut self, group: usize, saved: &Value, memory: &mut Charge) -> Result<()> {
        let grown = self.states.get_mut(group).map_or(0, |state| state.merge(saved));
        memory.grow(grown as u64)
    }

    fn keep_only(&mut self, group: usize) {
        let kept = self.states.get_mut(group).map(std::mem::take);
        self.states.clear();
        self.states.extend(kept);
    }

    fn clear(&mut self) {
        self.states.clear();
    }
}

fn grouped<S: State + 'static>() -> Box<dyn Aggregator> {
    Box::new(Grouped::<S> { states: Vec::new() })
}

/// A fresh aggregator for a function.
pub(crate) fn aggregator(function: AggregateFunction) -> Box<dyn Aggregator> {
    match function {
        AggregateFunction::Length => grouped::<count::Length>(),
        AggregateFunction::Min => grouped::<extreme::Min>(),
        AggregateFunction::Max => grouped::<extreme::Max>(),
        AggregateFunction::Sum => grouped::<sum::Sum>(),
        AggregateFunction::Average => grouped::<sum::Average>(),
        AggregateFunction::VariancePopulation => grouped::<variance::VariancePopulation>(),
        AggregateFunction::VarianceSample => grouped::<variance::VarianceSample>(),
        AggregateFunction::StddevPopulation => grouped::<variance::StddevPopulation>(),
        AggregateFunction::StddevSample => grouped::<variance::StddevSample>(),
        AggregateFunction::Unique => grouped::<distinct::Unique>(),
        AggregateFunction::SortedUnique => grouped::<distinct::SortedUnique>(),
        AggregateFunction::CountDistinct => grouped::<distinct::CountDistinct>(),
        AggregateFunction::BitAnd => grouped::<bits::BitAnd>(),
        AggregateFunction::BitOr => grouped::<bits::BitOr>(),
        AggregateFunction::BitXor => grouped::<bits::BitXor>(),
        AggregateFunction::Push => grouped::<push::Push>(),
    }
}

/// The result of one group of the given values, for tests.
#[cfg(test)]
fn aggregate(function: AggregateFunction, values: Vec<Value>) -> Value {
    use std::sync::Arc;
    let mut memory = Charge::new(Arc::new(aql_value::MemoryAccount::unlimited()));
    let mut aggregator = aggregator(function);
    aggregator.grow(1);
    let rows: Vec<u32> = (0..values.len() as u32).collect();
    aggregator.add(&Column::from_values(values), &rows, &vec![0; rows.len()], &mut memory).unwrap();
    aggregator.result(0, &Interrupt::new()).unwrap()
}

#[cfg(test)]
mod tests;
