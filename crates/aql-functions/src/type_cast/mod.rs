//! Type casts. [`Value`] implements the rules, which the operators share.

use aql_value::{EvaluationContext, Function, Kind, Value};
use errors::Result;

use crate::argument::{text_of, value};
use crate::define::pure;
use crate::memory::{ArrayBuffer, room_for_bytes, text_value};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("TO_ARRAY", 1, 1, to_array),
    pure("TO_BOOL", 1, 1, to_bool),
    pure("TO_LIST", 1, 1, to_array),
    pure("TO_NUMBER", 1, 1, to_number),
    pure("TO_STRING", 1, 1, to_string),
];

/// `TO_ARRAY(value)`
fn to_array(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    match value.kind() {
        Kind::Object => {
            ArrayBuffer::collect(context, value.entries().map(|(_, member)| member))?.into_array()
        }
        Kind::String => {
            let _room = room_for_bytes(2 * value.memory_bytes(), context)?;
            Ok(value.to_array())
        }
        _ => Ok(value.to_array()),
    }
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
fn to_string(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    if value.is_string() { Ok(value.clone()) } else { text_value(&text_of(value, context)?, context) }
}
