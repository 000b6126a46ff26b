//! Rounding and sign. Integers stay as they are, even those that a double cannot represent.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{number, value};

/// `ABS(value)`
pub(crate) fn abs(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(match value(arguments, 0) {
        Value::Int(number) => Value::from_u64(number.unsigned_abs()),
        Value::UInt(number) => Value::from_u64(*number),
        _ => Value::from_f64(number(arguments, 0).abs()),
    })
}

/// `CEIL(value)`
pub(crate) fn ceil(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(rounded(arguments, f64::ceil))
}

/// `FLOOR(value)`
pub(crate) fn floor(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(rounded(arguments, f64::floor))
}

/// `ROUND(value)`: to the nearest integer, halves upwards (-2.5 becomes -2).
pub(crate) fn round(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    // `floor(number + 0.5)` would be wrong: the sum itself rounds, and 0.49999999999999994 would
    // become 1.
    Ok(rounded(arguments, |number| {
        let below = number.floor();
        if number - below < 0.5 { below } else { below + 1.0 }
    }))
}

fn rounded(arguments: &[Value], round: impl Fn(f64) -> f64) -> Value {
    match value(arguments, 0) {
        integer @ (Value::Int(_) | Value::UInt(_)) => integer.clone(),
        // Adding 0 turns negative zero, which would print as -0, into zero.
        _ => Value::from_f64(round(number(arguments, 0)) + 0.0),
    }
}
