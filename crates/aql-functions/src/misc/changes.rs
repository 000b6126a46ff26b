//! `CHANGES()`: entries of the change log.

use aql_value::{ChangesQuery, EvaluationContext, Rows, Value};
use errors::Result;

use super::array_of_rows::array_of;
use crate::argument::{given, invalid, value};

/// The beginning of the log, where the second argument is missing.
const EARLIEST: &str = "earliest";
/// Names that are passed on: more than a query may have, which is then refused.
const NAMES_MAX: usize = 1_001;
/// Maximum length of a collection's name, and of a token, in bytes.
const TEXT_MAX_BYTES: usize = 256;

/// `CHANGES(collections, since, limit)`: the changes up to the start of the query, as an array.
///
/// Errors: 1504 for more changes than an array may have, those of
/// [`aql_value::Environment::changes`].
pub(crate) fn changes(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(rows) = rows(arguments, context)? else { return Ok(Value::Null) };
    array_of(rows, context)
}

/// The same, one change after the other.
pub(crate) fn rows(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Option<Box<dyn Rows>>> {
    let collections = match value(arguments, 0) {
        Value::Null => Some(None),
        names => names_of(names).map(Some),
    };
    let since = given(arguments, 1).map_or(Some(EARLIEST), Value::as_str);
    let since = since.filter(|since| since.len() <= TEXT_MAX_BYTES);
    let limit = match given(arguments, 2) {
        Some(limit) => limit.as_f64().filter(|limit| *limit >= 0.0).map(|limit| Some(limit as u64)),
        None => Some(None),
    };
    let (Some(collections), Some(since), Some(limit)) = (collections, since, limit) else {
        return invalid(context, "CHANGES").map(|_| None);
    };
    let query = ChangesQuery { collections: collections.as_deref(), since, limit };
    context.environment.changes(query).map(Some)
}

/// Returns the name of a collection, or those of an array. `None` for anything else.
fn names_of(names: &Value) -> Option<Vec<String>> {
    let is_name = |name: &&str| !name.is_empty() && name.len() <= TEXT_MAX_BYTES;
    let name_of = |name: &Value| name.as_str().filter(is_name).map(str::to_owned);
    if !names.is_array() {
        return name_of(names).map(|name| vec![name]);
    }
    let names: Option<Vec<String>> = names.elements().take(NAMES_MAX).map(|name| name_of(&name)).collect();
    names.filter(|names| !names.is_empty())
}
