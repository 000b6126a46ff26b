//! Upper and lower case by Unicode's full mapping, which may change the number of characters (ß
//! becomes SS).

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::text;
use crate::memory::mapped_text;

/// `LOWER(value)`
pub(crate) fn lower(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    mapped_text(&text(arguments, 0, context)?, str::to_lowercase, context)
}

/// `UPPER(value)`
pub(crate) fn upper(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    mapped_text(&text(arguments, 0, context)?, str::to_uppercase, context)
}
