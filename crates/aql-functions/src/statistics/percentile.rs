//! Median and percentiles.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::of_sorted_numbers;
use crate::argument::{given, invalid, value};

/// `MEDIAN(numArray)`: the middle, or the mean of the two in the middle; null without any number.
pub(crate) fn median(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let middle = |numbers: &[f64]| {
        let middle = numbers.len() / 2;
        match numbers.get(middle.saturating_sub(1)..=middle) {
            Some([lower, upper]) if numbers.len().is_multiple_of(2) => (lower + upper) / 2.0,
            _ => numbers.get(middle).copied().unwrap_or(f64::NAN),
        }
    };
    of_sorted_numbers("MEDIAN", arguments, middle, context)
}

/// `PERCENTILE(numArray, p, method)`: the smallest number that at least `p` percent of the numbers
/// do not exceed.
///
/// This is the method `"rank"`; `"interpolation"` interpolates between neighbours.
pub(crate) fn percentile(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let percent = value(arguments, 1).as_f64().filter(|percent| (0.0..=100.0).contains(percent));
    let method = given(arguments, 2).map_or(Some(rank as Method), |method| match method.as_str() {
        Some("rank") => Some(rank),
        Some("interpolation") => Some(interpolation),
        _ => None,
    });
    let Some((percent, method)) = percent.zip(method) else {
        return invalid(context, "PERCENTILE");
    };
    let result = |numbers: &[f64]| method(numbers, percent).unwrap_or(f64::NAN);
    of_sorted_numbers("PERCENTILE", arguments, result, context)
}

type Method = fn(&[f64], f64) -> Option<f64>;

fn rank(numbers: &[f64], percent: f64) -> Option<f64> {
    let rank = (percent * numbers.len() as f64 / 100.0).ceil().max(1.0);
    numbers.get(rank as usize - 1).copied()
}

fn interpolation(numbers: &[f64], percent: f64) -> Option<f64> {
    let position = percent * (numbers.len() + 1) as f64 / 100.0;
    let before = position.floor();
    if before < 1.0 {
        return numbers.first().copied();
    }
    match numbers.get(before as usize - 1..=before as usize) {
        Some([lower, upper]) => Some(lower + (position - before) * (upper - lower)),
        _ => numbers.last().copied(),
    }
}
