//! `TRANSLATE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::attributes::has_name;
use crate::argument::{invalid, text, value};

/// `TRANSLATE(value, lookupDocument, defaultValue)`: the attribute that the value names.
///
/// The value is cast to a text. Without the attribute, the result is the default, else the value
/// itself.
pub(crate) fn translate(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let lookup = value(arguments, 1);
    if !lookup.is_object() {
        return invalid(context, "TRANSLATE");
    }
    let name = text(arguments, 0, context)?;
    let found = lookup.get(&name);
    if !found.is_null() || has_name(lookup, &name, context)? {
        return Ok(found);
    }
    Ok(arguments.get(2).unwrap_or(value(arguments, 0)).clone())
}
