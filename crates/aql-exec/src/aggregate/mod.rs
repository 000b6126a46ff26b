//! The aggregates of COLLECT, which keep one state a group.
//!
//! An aggregator consumes batches: a column of values and, for each row, the number of its group.

mod bits;
mod count;
mod distinct;
mod extreme;
mod push;
mod sum;
mod variance;

use aql_plan::AggregateFunction;
use aql_value::{Charge, Column, Interrupt, Value};
use errors::Result;
use velocypack::Builder;

/// The states of one aggregate for all groups. Groups are numbered from 0 in the order of
/// appearance.
pub(crate) trait Aggregator: Send {
    /// Returns the same aggregator without states.
    fn emptied(&self) -> Box<dyn Aggregator>;

    /// Extends the states to `groups` groups.
    fn grow(&mut self, groups: usize);

    /// Adds the values of some rows: row `rows[i]` of the column belongs to group `groups[i]`.
    ///
    /// The groups have states. `memory` is charged with the bytes that the states retain.
    fn add(&mut self, column: &Column, rows: &[u32], groups: &[u32], memory: &mut Charge) -> Result<()>;

    /// Returns the result of a group. It is called once a group and may empty its state.
    ///
    /// Errors: 1500 if the query is killed while it builds a large result, 32 if the result would
    /// be 4 GiB or longer.
    fn result(&mut self, group: usize, interrupt: &Interrupt) -> Result<Value>;

    /// Adds one value to `out`, from which [`Aggregator::merge`] restores the state of a group.
    ///
    /// It is called once a group, instead of [`Aggregator::result`].
    fn save(&mut self, group: usize, out: &mut Builder) -> Result<()>;

    /// Merges the saved state of a group whose values came after those that `group` has so far.
    fn merge(&mut self, group: usize, saved: &Value, memory: &mut Charge) -> Result<()>;

    /// Drops all groups but one, which becomes group 0.
    fn keep_only(&mut self, group: usize);

    /// Drops all groups.
    fn clear(&mut self);
}

/// The state of an aggregate for one group.
trait State: Default + Send {
    /// Adds a value. Returns the bytes that the state has grown by.
    fn add(&mut self, value: &Value) -> usize;

    /// Returns the aggregate of all values added.
    fn result(&mut self, interrupt: &Interrupt) -> Result<Value>;

    /// Saves the state like [`Aggregator::save`].
    fn save(&mut self, out: &mut Builder) -> Result<()>;

    /// Merges a state like [`Aggregator::merge`]. Returns the bytes that the state has grown by.
    fn merge(&mut self, saved: &Value) -> usize;
}

/// An aggregator made of one state a group.
struct Grouped<S> {
    states: Vec<S>,
}

impl<S: State + 'static> Aggregator for Grouped<S> {
    fn emptied(&self) -> Box<dyn Aggregator> {
        grouped::<S>()
    }

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

/// Creates an aggregator for a function.
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

/// Computes the result of one group of the given values, for tests.
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
