//! Type checks. `IS_DATESTRING()` and `IS_IPV4()` are with their families.

use aql_value::{EvaluationContext, Function, Value};
use errors::Result;

use crate::argument::value;
use crate::define::pure;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("IS_ARRAY", 1, 1, is_array),
    pure("IS_BOOL", 1, 1, is_bool),
    pure("IS_DOCUMENT", 1, 1, is_object),
    pure("IS_KEY", 1, 1, is_key),
    pure("IS_LIST", 1, 1, is_array),
    pure("IS_NULL", 1, 1, is_null),
    pure("IS_NUMBER", 1, 1, is_number),
    pure("IS_OBJECT", 1, 1, is_object),
    pure("IS_STRING", 1, 1, is_string),
    pure("TYPENAME", 1, 1, typename),
];

/// The longest document key.
const MAX_KEY_BYTES: usize = 254;

/// `IS_ARRAY(value)`
fn is_array(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).is_array()))
}

/// `IS_BOOL(value)`
fn is_bool(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).is_bool()))
}

/// `IS_KEY(value)`: true for a text that is valid as the `_key` of a document.
fn is_key(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:.@()+,=;$!*'%".contains(&byte);
    let is_key = |text: &str| (1..=MAX_KEY_BYTES).contains(&text.len()) && text.bytes().all(is_allowed);
    Ok(Value::Bool(value(arguments, 0).as_str().is_some_and(is_key)))
}

/// `IS_NULL(value)`
fn is_null(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).is_null()))
}

/// `IS_NUMBER(value)`
fn is_number(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).is_number()))
}

/// `IS_OBJECT(value)`
fn is_object(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).is_object()))
}

/// `IS_STRING(value)`
fn is_string(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).is_string()))
}

/// `TYPENAME(value)`
fn typename(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(value(arguments, 0).kind().name()))
}
