//! Aggregates over a sliding window: values enter at one end and leave at the other.

mod folded;
mod frame;
mod values;

use aql_plan::AggregateFunction;
use aql_value::{Charge, Interrupt, Value};
use errors::Result;

use folded::{Bits, Count, Extreme, Folded, Moments, Total};

pub(crate) use frame::Reach;

/// An aggregate over the values in the window.
pub(crate) trait SlidingAggregate: Send {
    /// Adds a value.
    fn push(&mut self, value: &Value, memory: &mut Charge) -> Result<()>;

    /// Removes the oldest value.
    fn pop(&mut self, memory: &mut Charge) -> Result<()>;

    /// Returns the aggregate of the values in the window.
    fn result(&self, interrupt: &Interrupt) -> Result<Value>;

    /// Removes all values.
    fn clear(&mut self, memory: &mut Charge);
}

/// Creates the aggregate of a function. With `keeps_all` no value ever leaves, except all together.
pub(crate) fn sliding(function: AggregateFunction, keeps_all: bool) -> Box<dyn SlidingAggregate> {
    match function {
        AggregateFunction::Length => Box::new(Folded::<Count>::new(keeps_all, Count::result)),
        AggregateFunction::Min => Box::new(Folded::<Extreme<false>>::new(keeps_all, Extreme::result)),
        AggregateFunction::Max => Box::new(Folded::<Extreme<true>>::new(keeps_all, Extreme::result)),
        AggregateFunction::Sum => Box::new(Folded::<Total>::new(keeps_all, Total::sum)),
        AggregateFunction::Average => Box::new(Folded::<Total>::new(keeps_all, Total::average)),
        AggregateFunction::VariancePopulation => {
            Box::new(Folded::<Moments>::new(keeps_all, |m| m.variance(0)))
        }
        AggregateFunction::VarianceSample => Box::new(Folded::<Moments>::new(keeps_all, |m| m.variance(1))),
        AggregateFunction::StddevPopulation => {
            Box::new(Folded::<Moments>::new(keeps_all, |m| m.deviation(0)))
        }
        AggregateFunction::StddevSample => Box::new(Folded::<Moments>::new(keeps_all, |m| m.deviation(1))),
        AggregateFunction::BitAnd => Box::new(Folded::<Bits<0>>::new(keeps_all, Bits::result)),
        AggregateFunction::BitOr => Box::new(Folded::<Bits<1>>::new(keeps_all, Bits::result)),
        AggregateFunction::BitXor => Box::new(Folded::<Bits<2>>::new(keeps_all, Bits::result)),
        AggregateFunction::Unique | AggregateFunction::SortedUnique => {
            Box::new(values::Distinct::new(keeps_all, false))
        }
        AggregateFunction::CountDistinct => Box::new(values::Distinct::new(keeps_all, true)),
        AggregateFunction::Push => Box::new(values::Pushed::default()),
    }
}

#[cfg(test)]
mod tests;
