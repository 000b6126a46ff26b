//! `MATCHES()`.

use crate::argument::{check_round, flag, invalid, value};
use aql_value::{EvaluationContext, Value};
use errors::Result;

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
    let examples =
        if examples.is_array() { examples.clone() } else { Value::array(std::slice::from_ref(examples)) };
    let mut found = -1;
    for (index, example) in examples.elements().enumerate() {
        check_round(context, index)?;
        if !example.is_object() {
            invalid(context, "MATCHES")?;
        } else if example.entries().all(|(name, expected)| document.get(name).equal(&expected)) {
            found = index as i64;
            break;
        }
    }
    Ok(if flag(arguments, 2) { Value::Int(found) } else { Value::Bool(found >= 0) })
}
