//! Functions over arrays of numbers. Nulls in the arrays are ignored.

mod extremes;
mod percentile;
mod sums;
mod variance;

use aql_value::{EvaluationContext, Function, Value, merge_sort};
use errors::Result;

use crate::argument::{array_expected, check_round, invalid_arithmetic, value};
use crate::define::pure;
use crate::memory::Scratch;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("AVERAGE", 1, 1, sums::average),
    pure("AVG", 1, 1, sums::average),
    pure("MAX", 1, 1, extremes::max),
    pure("MEDIAN", 1, 1, percentile::median),
    pure("MIN", 1, 1, extremes::min),
    pure("PERCENTILE", 2, 3, percentile::percentile),
    pure("PRODUCT", 1, 1, sums::product),
    pure("STDDEV", 1, 1, variance::stddev_population),
    pure("STDDEV_POPULATION", 1, 1, variance::stddev_population),
    pure("STDDEV_SAMPLE", 1, 1, variance::stddev_sample),
    pure("SUM", 1, 1, sums::sum),
    pure("VARIANCE", 1, 1, variance::variance_population),
    pure("VARIANCE_POPULATION", 1, 1, variance::variance_population),
    pure("VARIANCE_SAMPLE", 1, 1, variance::variance_sample),
];

/// Computes a function of the numbers of its first argument, an array.
///
/// The result is null with warning 1563 if it is not an array, with 1561 if an element is not a
/// number.
fn of_numbers(
    name: &str,
    arguments: &[Value],
    result: impl Fn(&[f64]) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    of_prepared_numbers(name, arguments, |_, _| Ok(()), result, context)
}

/// Computes the same from the numbers in ascending order.
fn of_sorted_numbers(
    name: &str,
    arguments: &[Value],
    result: impl Fn(&[f64]) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let sort = |numbers: &mut Vec<f64>, context: &EvaluationContext<'_>| {
        // The merge sort writes to a second list.
        let mut scratch = Scratch::new(context.memory);
        scratch.grow(numbers.len() * size_of::<f64>())?;
        merge_sort(numbers, f64::total_cmp, || context.interrupt.check())
    };
    of_prepared_numbers(name, arguments, sort, result, context)
}

fn of_prepared_numbers(
    name: &str,
    arguments: &[Value],
    prepare: impl Fn(&mut Vec<f64>, &EvaluationContext<'_>) -> Result<()>,
    result: impl Fn(&[f64]) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, name);
    }
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(array.len() * size_of::<f64>())?;
    let mut numbers = Vec::with_capacity(array.len());
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        match element.as_f64() {
            Some(number) => numbers.push(number),
            None if element.is_null() => {}
            None => return invalid_arithmetic(context, name),
        }
    }
    prepare(&mut numbers, context)?;
    Ok(Value::from_f64(result(&numbers)))
}
