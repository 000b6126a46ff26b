//! Functions that ask the server.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid, value};
use crate::memory::{ArrayBuffer, room_for_bytes};

/// `COLLECTIONS()`
pub(crate) fn collections(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    context.environment.collections()
}

/// `COLLECTION_COUNT(coll)`
pub(crate) fn collection_count(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_str() {
        Some(name) => {
            // An error quotes the name.
            let _copies = room_for_bytes(2 * name.len(), context)?;
            context.environment.collection_count(name).map(Value::from_u64)
        }
        None => invalid(context, "COLLECTION_COUNT"),
    }
}

/// `CURRENT_DATABASE()`
pub(crate) fn current_database(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    context.environment.database().map(Value::from_str)
}

/// `CURRENT_USER()`: null when authentication is off.
pub(crate) fn current_user(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(context.environment.user()?.map_or(Value::Null, Value::from_str))
}

/// `VERSION()`
pub(crate) fn version(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    context.environment.server_version().map(Value::from_str)
}

/// `DOCUMENT(collection, id)` or `DOCUMENT(id)`: a document or null.
///
/// For an array of identifiers, the result is an array of the documents that exist.
pub(crate) fn document(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (collection, identifiers) = match arguments {
        [collection, identifiers] => match collection.as_str() {
            Some(collection) => (Some(collection), identifiers),
            None => return invalid(context, "DOCUMENT"),
        },
        _ => (None, value(arguments, 0)),
    };
    if !identifiers.is_array() {
        return one_document(collection, identifiers, context);
    }
    let mut documents = ArrayBuffer::new(context);
    for (round, identifier) in identifiers.elements().enumerate() {
        check_round(context, round)?;
        let document = one_document(collection, &identifier, context)?;
        if !document.is_null() {
            documents.push(document)?;
        }
    }
    documents.into_array()
}

/// `SHARD_ID(collection, shardKeys)`: on a single server the collection itself.
pub(crate) fn shard_id(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let collection = value(arguments, 0);
    if collection.is_string() && value(arguments, 1).is_object() {
        Ok(collection.clone())
    } else {
        invalid(context, "SHARD_ID")
    }
}

fn one_document(
    collection: Option<&str>,
    identifier: &Value,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    // A document may take the place of its identifier.
    let identifier = if identifier.is_object() { identifier.get("_id") } else { identifier.clone() };
    match identifier.as_str() {
        Some(identifier) => context.environment.document(collection, identifier),
        None => Ok(Value::Null),
    }
}
