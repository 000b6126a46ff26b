//! Schemas of collections.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{invalid, value};

/// `SCHEMA_GET(collection)`: the schema of a collection, or null.
pub(crate) fn schema_get(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_str() {
        Some(collection) => context.environment.schema(collection),
        None => invalid(context, "SCHEMA_GET"),
    }
}

/// `SCHEMA_VALIDATE(doc, schema)`: `{valid}`, with `errorMessage` for an invalid document.
///
/// A schema that is null or empty accepts everything.
pub(crate) fn schema_validate(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (document, schema) = (value(arguments, 0), value(arguments, 1));
    if !document.is_object() || !(schema.is_object() || schema.is_null()) {
        return invalid(context, "SCHEMA_VALIDATE");
    }
    let complaint =
        if schema.is_empty() { None } else { context.environment.validate_schema(document, schema)? };
    let valid = ("valid", Value::Bool(complaint.is_none()));
    Ok(match complaint {
        Some(message) => Value::object(&[valid, ("errorMessage", Value::from_str(&message))]),
        None => Value::object(&[valid]),
    })
}
