//! Distance and similarity of vectors, or of a vector and each row of a matrix.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{Outcome, answer, check_round, invalid, invalid_arithmetic, stop, value};
use crate::memory::{ArrayBuffer, room_for_bytes};

/// `COSINE_SIMILARITY(x, y)`
pub(crate) fn cosine_similarity(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let cosine = |left: &[f64], right: &[f64]| {
        let products = pairs(left, right).map(|(left, right)| left * right).sum::<f64>();
        let length = |vector: &[f64]| vector.iter().map(|number| number * number).sum::<f64>().sqrt();
        products / (length(left) * length(right))
    };
    answer(compared("COSINE_SIMILARITY", arguments, cosine, context))
}

/// `L1_DISTANCE(x, y)`: the Manhattan distance.
pub(crate) fn l1_distance(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let distance = |left: &[f64], right: &[f64]| {
        pairs(left, right).map(|(left, right)| (left - right).abs()).sum::<f64>()
    };
    answer(compared("L1_DISTANCE", arguments, distance, context))
}

/// `L2_DISTANCE(x, y)`: the Euclidean distance.
pub(crate) fn l2_distance(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let distance = |left: &[f64], right: &[f64]| {
        pairs(left, right).map(|(left, right)| (left - right).powi(2)).sum::<f64>().sqrt()
    };
    answer(compared("L2_DISTANCE", arguments, distance, context))
}

fn pairs<'a>(left: &'a [f64], right: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    left.iter().copied().zip(right.iter().copied())
}

/// Compares two vectors, or a vector and each row of a matrix.
///
/// Either argument may be a matrix; then the result is an array. Vectors must have the same length
/// and at least one number.
fn compared(
    name: &str,
    arguments: &[Value],
    compare: impl Fn(&[f64], &[f64]) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Value> {
    let (left, right) = (value(arguments, 0), value(arguments, 1));
    let (matrix, vector) = match (is_matrix(left), is_matrix(right)) {
        (false, true) => (right, left),
        (true, true) => return stop(invalid(context, name)),
        _ => (left, right),
    };
    let _room = room_for_bytes(vector.len() * size_of::<f64>(), context)?;
    let Some(vector) = vector_of(vector, context)? else {
        return stop(invalid(context, name));
    };
    if !is_matrix(matrix) {
        return one(name, matrix, &vector, compare, context);
    }
    let mut results = ArrayBuffer::new(context);
    for (round, row) in matrix.elements().enumerate() {
        check_round(context, round)?;
        results.push(one(name, &row, &vector, &compare, context)?)?;
    }
    Ok(results.into_array()?)
}

fn one(
    name: &str,
    row: &Value,
    vector: &[f64],
    compare: impl Fn(&[f64], &[f64]) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Value> {
    let _room = room_for_bytes(row.len() * size_of::<f64>(), context)?;
    let numbers = vector_of(row, context)?.filter(|row| row.len() == vector.len() && !row.is_empty());
    match numbers.map(|row| compare(&row, vector)) {
        Some(result) if result.is_finite() => Ok(Value::Double(result)),
        // An example is the angle between a vector and the zero vector.
        Some(_) => stop(invalid_arithmetic(context, name)),
        None => stop(invalid(context, name)),
    }
}

fn is_matrix(value: &Value) -> bool {
    value.at(0).is_array()
}

/// Returns the numbers of an array; `None` for any other value or element.
fn vector_of(value: &Value, context: &EvaluationContext<'_>) -> Result<Option<Vec<f64>>> {
    if !value.is_array() {
        return Ok(None);
    }
    let mut numbers = Vec::with_capacity(value.len());
    for (round, element) in value.elements().enumerate() {
        check_round(context, round)?;
        let Some(number) = element.as_f64() else { return Ok(None) };
        numbers.push(number);
    }
    Ok(Some(numbers))
}
