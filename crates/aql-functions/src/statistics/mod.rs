//! Functions over arrays of numbers. Nulls in the arrays are ignored.

mod extremes;
mod percentile;
mod sums;
mod variance;

use crate::argument::{Outcome, answer, array_expected, invalid_arithmetic, stop, value};
use crate::define::pure;
use aql_value::{EvaluationContext, Function, Result, Value};

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

/// The numbers of an array without its nulls. Stops with warning 1563 if it is no array, with 1561 if an element is
/// no number.
fn numbers_of(array: &Value, name: &str, context: &mut EvaluationContext<'_>) -> Outcome<Vec<f64>> {
    if !array.is_array() {
        return stop(array_expected(context, name));
    }
    let elements = array.elements().filter(|element| !element.is_null());
    match elements.map(|element| element.as_f64()).collect() {
        Some(numbers) => Ok(numbers),
        None => stop(invalid_arithmetic(context, name)),
    }
}

/// A function of the numbers of its first argument.
fn of_numbers(
    name: &str,
    arguments: &[Value],
    result: impl Fn(&[f64]) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    answer(numbers_of(value(arguments, 0), name, context).map(|numbers| Value::from_f64(result(&numbers))))
}
