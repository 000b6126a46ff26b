//! Functions that ask the server.

use aql_value::{Column, DocumentName, EvaluationContext, Value};
use errors::{Error, Result};

use crate::argument::{invalid, value};
use crate::memory::{ArrayBuffer, Scratch, room_for_bytes};

/// The number of names in an array whose documents are looked up together.
const LOOK_UP_NAMES: usize = 1000;

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
    let mut rest = identifiers.elements();
    loop {
        let part: Vec<Value> = rest.by_ref().take(LOOK_UP_NAMES).map(|named| name_of(&named)).collect();
        if part.is_empty() {
            return documents.into_array();
        }
        let names: Vec<_> = part.iter().map(|name| name.as_str().map(|name| (collection, name))).collect();
        for document in look_up(&names, context)? {
            if !document.is_null() {
                documents.push(document)?;
            }
        }
    }
}

/// `DOCUMENT()` for many rows, whose documents are looked up together.
pub(crate) fn document_batch(
    columns: &[&Column],
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Vec<Value>> {
    let (collections, identifiers) = match columns {
        [collections, identifiers] => (Some(*collections), *identifiers),
        [identifiers] => (None, *identifiers),
        _ => return Ok(vec![Value::Null; lanes]),
    };
    let names_one = |lane| {
        !identifiers.get(lane).is_array() && collections.is_none_or(|names| names.get(lane).is_string())
    };
    if !(0..lanes).all(names_one) {
        let row = |lane| columns.iter().map(|column| column.get(lane).clone()).collect::<Vec<_>>();
        return (0..lanes).map(|lane| document(&row(lane), context)).collect();
    }
    let names: Vec<Value> = (0..lanes).map(|lane| name_of(identifiers.get(lane))).collect();
    let names = names.iter().enumerate().map(|(lane, name)| {
        let collection = collections.and_then(|names| names.get(lane).as_str());
        Some((collection, name.as_str()?))
    });
    look_up(&names.collect::<Vec<_>>(), context)
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

/// Returns the identifier or key in an argument. A document may take the place of its identifier.
fn name_of(identifier: &Value) -> Value {
    if identifier.is_object() { identifier.get("_id") } else { identifier.clone() }
}

fn one_document(
    collection: Option<&str>,
    identifier: &Value,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    match name_of(identifier).as_str() {
        Some(identifier) => context.environment.document(collection, identifier),
        None => Ok(Value::Null),
    }
}

/// Looks up documents. The result for no name is null.
fn look_up(names: &[Option<DocumentName<'_>>], context: &EvaluationContext<'_>) -> Result<Vec<Value>> {
    let wanted: Vec<DocumentName<'_>> = names.iter().flatten().copied().collect();
    let mut found = Vec::with_capacity(wanted.len());
    let mut memory = Scratch::new(context.memory);
    while let Some(rest) = wanted.get(found.len()..).filter(|rest| !rest.is_empty()) {
        context.interrupt.check()?;
        let part = context.environment.documents(rest)?;
        memory.grow(part.iter().map(Value::memory_bytes).sum())?;
        if part.is_empty() {
            return Err(Error::internal("a lookup of documents has no result"));
        }
        found.extend(part);
    }
    let mut found = found.into_iter();
    let value = |name: &Option<_>| name.and_then(|_| found.next()).unwrap_or_default();
    Ok(names.iter().map(value).collect())
}
