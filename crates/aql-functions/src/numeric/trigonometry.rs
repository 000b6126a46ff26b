//! Angles.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::number;

/// `ACOS(value)`: null outside of -1 to 1.
pub(crate) fn acos(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).acos()))
}

/// `ASIN(value)`: null outside of -1 to 1.
pub(crate) fn asin(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).asin()))
}

/// `ATAN(value)`
pub(crate) fn atan(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).atan()))
}

/// `ATAN2(y, x)`
pub(crate) fn atan2(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).atan2(number(arguments, 1))))
}

/// `COS(value)`
pub(crate) fn cos(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).cos()))
}

/// `DEGREES(rad)`
pub(crate) fn degrees(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0) * (180.0 / std::f64::consts::PI)))
}

/// `PI()`
pub(crate) fn pi(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Double(std::f64::consts::PI))
}

/// `RADIANS(deg)`
pub(crate) fn radians(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0) * (std::f64::consts::PI / 180.0)))
}

/// `SIN(value)`
pub(crate) fn sin(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).sin()))
}

/// `TAN(value)`
pub(crate) fn tan(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_f64(number(arguments, 0).tan()))
}
