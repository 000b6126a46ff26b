//! Document identifiers: `collection/key`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{invalid, value};

/// `PARSE_IDENTIFIER(documentIdentifier)`: `{collection, key}`.
pub(crate) fn parse_identifier(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let parts = |collection: &str, key: &str| {
        Value::object(&[("collection", Value::from_str(collection)), ("key", Value::from_str(key))])
    };
    parsed("PARSE_IDENTIFIER", arguments, parts, context)
}

/// `PARSE_COLLECTION(documentIdentifier)`
pub(crate) fn parse_collection(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    parsed("PARSE_COLLECTION", arguments, |collection, _| Value::from_str(collection), context)
}

/// `PARSE_KEY(documentIdentifier)`
pub(crate) fn parse_key(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    parsed("PARSE_KEY", arguments, |_, key| Value::from_str(key), context)
}

/// `IS_SAME_COLLECTION(collectionName, documentIdentifier)`
pub(crate) fn is_same_collection(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (left, right) = (identifier_of(value(arguments, 0)), identifier_of(value(arguments, 1)));
    fn collection(identifier: &Value) -> Option<&str> {
        let text = identifier.as_str()?;
        Some(text.split_once('/').map_or(text, |(collection, _)| collection)).filter(|name| !name.is_empty())
    }
    match collection(&left).zip(collection(&right)) {
        Some((left, right)) => Ok(Value::Bool(left == right)),
        None => invalid(context, "IS_SAME_COLLECTION"),
    }
}

/// Returns the `result` of the collection and the key; null with a warning without an identifier.
fn parsed(
    name: &str,
    arguments: &[Value],
    result: impl Fn(&str, &str) -> Value,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let identifier = identifier_of(value(arguments, 0));
    match identifier.as_str().and_then(|text| text.split_once('/')).filter(|(_, key)| !key.contains('/')) {
        Some((collection, key)) => Ok(result(collection, key)),
        None => invalid(context, name),
    }
}

/// Returns the identifier itself, or that of a document.
fn identifier_of(value: &Value) -> Value {
    if value.is_object() { value.get("_id") } else { value.clone() }
}
