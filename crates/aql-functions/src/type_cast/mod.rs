//! Type casts. [`Value`] implements the rules, which the operators share.

use crate::argument::value;
use crate::define::pure;
use aql_value::{EvaluationContext, Function, Value};
use errors::Result;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("TO_ARRAY", 1, 1, to_array),
    pure("TO_BOOL", 1, 1, to_bool),
    pure("TO_LIST", 1, 1, to_array),
    pure("TO_NUMBER", 1, 1, to_number),
    pure("TO_STRING", 1, 1, to_string),
];

/// `TO_ARRAY(value)`
fn to_array(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(value(arguments, 0).to_array())
}

/// `TO_BOOL(value)`
fn to_bool(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).to_bool()))
}

/// `TO_NUMBER(value)`
fn to_number(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(value(arguments, 0).to_number())
}

/// `TO_STRING(value)`
fn to_string(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    Ok(if value.is_string() { value.clone() } else { Value::from_str(&value.cast_string()) })
}
