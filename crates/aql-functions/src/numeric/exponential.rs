//! Powers, roots and logarithms.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::number;

/// `EXP(value)`
pub(crate) fn exp(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).exp()))
}

/// `EXP2(value)`
pub(crate) fn exp2(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).exp2()))
}

/// `LOG(value)`: null for 0 and less.
pub(crate) fn log(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).ln()))
}

/// `LOG10(value)`: null for 0 and less.
pub(crate) fn log10(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).log10()))
}

/// `LOG2(value)`: null for 0 and less.
pub(crate) fn log2(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).log2()))
}

/// `POW(base, exp)`
pub(crate) fn pow(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).powf(number(arguments, 1))))
}

/// `SQRT(value)`: null for less than 0.
pub(crate) fn sqrt(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).sqrt()))
}
