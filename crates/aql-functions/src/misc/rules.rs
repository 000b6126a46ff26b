//! Functions that plans contain for the rules of collections. Queries cannot call them.

use aql_value::{EvaluationContext, Value};
use errors::Result;

pub(super) fn masked(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let [document, collection] = arguments else { return Ok(Value::Null) };
    match collection.as_str() {
        Some(collection) if document.is_object() => context.environment.masked(collection, document),
        _ => Ok(Value::Null),
    }
}

pub(super) fn visible(arguments: &[Value], _context: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(arguments.first().is_some_and(Value::is_object)))
}
