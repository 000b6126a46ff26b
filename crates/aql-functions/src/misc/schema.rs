//! Schemas of collections.

use crate::argument::{invalid, value};
use aql_value::{EvaluationContext, Result, Value};

/// `SCHEMA_GET(collection)`: the schema of a collection, or null.
pub(crate) fn schema_get(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_str() {
        Some(collection) => context.environment.schema(collection),
        None => invalid(context, "SCHEMA_GET"),
    }
}
