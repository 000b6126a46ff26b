//! `MATCHES()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, flag, invalid, value};

/// `MATCHES(document, examples, returnIndex)`: true if an example has only attributes that the
/// document has with the same value.
///
/// `examples` is an object or an array of objects. With `returnIndex` the result is the example's
/// position. Examples that are not objects match nothing, with a warning. A first argument that is
/// not a document gives false, also with `returnIndex`.
pub(crate) fn matches(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (document, examples) = (value(arguments, 0), value(arguments, 1));
    if !document.is_object() {
        return Ok(Value::Bool(false));
    }
    let single = (!examples.is_array()).then(|| examples.clone());
    let mut found = -1;
    for (index, example) in examples.elements().chain(single).enumerate() {
        check_round(context, index)?;
        if !example.is_object() {
            invalid(context, "MATCHES")?;
        } else if is_like(document, &example, context)? {
            found = index as i64;
            break;
        }
    }
    Ok(if flag(arguments, 2) { Value::Int(found) } else { Value::Bool(found >= 0) })
}

/// Returns true if the document has all attributes of the example.
fn is_like(document: &Value, example: &Value, context: &EvaluationContext<'_>) -> Result<bool> {
    for (round, (name, expected)) in example.entries().enumerate() {
        check_round(context, round)?;
        if !document.get(name).equal(&expected) {
            return Ok(false);
        }
    }
    Ok(true)
}
