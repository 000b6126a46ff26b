//! `/_api/replication`: snapshots, what they have, and their documents one collection at a time.

use mock_http::Reply;
use serde_json::{Value, json};

use super::snapshots::Batch;
use super::{Asked, Readers, TIME, failure, identity, is_system, lines, success, unknown};
use crate::Version;
use crate::model::{Database, Model, SYSTEM};

/// The default size of a chunk in bytes.
const DEFAULT_CHUNK_BYTES: u64 = 2 << 20;

pub(super) fn answer(asked: &Asked<'_>, rest: &[&str], model: &Model, readers: &mut Readers) -> Reply {
    match (asked.request.method.as_str(), rest) {
        ("POST", ["batch"]) => open(asked, model, readers),
        ("PUT", ["batch", id]) => match readers.batches.contains_key(&number(id)) {
            true => Reply { status: 204, ..Reply::default() },
            false => cursor_not_found(),
        },
        ("DELETE", ["batch", id]) => match readers.batches.remove(&number(id)) {
            Some(_) => Reply { status: 204, ..Reply::default() },
            None => cursor_not_found(),
        },
        ("GET", ["inventory"]) => match batch(asked, readers) {
            Some(batch) => inventory(asked, &batch.model),
            None => cursor_not_found(),
        },
        ("GET", ["dump"]) => dump(asked, readers),
        ("GET", ["logger-state"]) => {
            success(200, json!({"state": state(model), "server": identity(model), "clients": []}))
        }
        ("GET", ["server-id"]) => success(200, json!({"serverId": model.server_id.to_string()})),
        _ => unknown(asked),
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

fn cursor_not_found() -> Reply {
    failure(404, 1600, "cursor not found")
}

fn batch<'a>(asked: &Asked<'_>, readers: &'a mut Readers) -> Option<&'a mut Batch> {
    readers.batches.get_mut(&asked.number("batchId")?)
}

fn open(asked: &Asked<'_>, model: &Model, readers: &mut Readers) -> Reply {
    let ttl = &asked.body()["ttl"];
    if !ttl.is_number() && ttl.as_str().is_none_or(|text| text.parse::<f64>().is_err()) {
        return failure(400, 400, "invalid body: 'ttl' must be a number");
    }
    let id = readers.new_id();
    readers.batches.insert(id, Batch { model: model.clone(), positions: Default::default() });
    let mut body = json!({"id": id.to_string(), "lastTick": model.log.last().to_string()});
    if asked.flag("state") == Some(true) {
        body["state"] = state(model);
    }
    success(200, body)
}

fn state(model: &Model) -> Value {
    let tick = model.log.last().to_string();
    json!({"running": true, "lastLogTick": tick, "lastUncommittedLogTick": tick, "totalEvents": 0, "time": TIME})
}

fn inventory(asked: &Asked<'_>, model: &Model) -> Reply {
    let with_system = asked.flag("includeSystem").unwrap_or(true);
    let mut body = json!({"state": state(model), "tick": model.log.last().to_string()});
    if asked.flag("global").unwrap_or(false) {
        if !is_system(asked) {
            return failure(403, 11, "global inventory can only be fetched from within _system database");
        }
        let databases: serde_json::Map<String, Value> = model
            .databases
            .iter()
            .map(|(name, database)| (name.clone(), of_database(name, database, with_system)))
            .collect();
        body["databases"] = Value::Object(databases);
        return success(200, body);
    }
    match model.databases.get(asked.database) {
        Some(database) => {
            let own = of_database(asked.database, database, with_system);
            if let (Some(body), Value::Object(own)) = (body.as_object_mut(), own) {
                body.extend(own);
            }
            success(200, body)
        }
        None => failure(404, 1228, "database not found"),
    }
}

fn of_database(name: &str, database: &Database, with_system: bool) -> Value {
    let shown = database.collections.iter().filter(|(name, _)| with_system || !name.starts_with('_'));
    let collections: Vec<Value> = shown
        .map(|(name, collection)| {
            json!({"parameters": collection.parameters(name), "indexes": collection.index_definitions()})
        })
        .collect();
    let views: Vec<&Value> = database.views.values().map(|view| &view.definition).collect();
    let properties = json!({"id": database.id.to_string(), "name": name, "isSystem": name == SYSTEM});
    json!({"collections": collections, "views": views, "properties": properties})
}

/// Answers the next documents of a collection.
///
/// The documentation of 3.10 and later has no parameter for the place to continue at: the server
/// keeps it with the snapshot. So a chunk whose reply is lost does not come again.
fn dump(asked: &Asked<'_>, readers: &mut Readers) -> Reply {
    let Some(name) = asked.request.parameter("collection") else {
        return failure(400, 400, "invalid collection parameter");
    };
    let version = batch(asked, readers).map(|batch| batch.model.version);
    let (Some(batch), Some(version)) = (batch(asked, readers), version) else { return cursor_not_found() };
    let database = batch.model.databases.get(asked.database);
    let Some(collection) = database.and_then(|database| database.collections.get(&name)) else {
        return failure(404, 1203, "collection or view not found");
    };
    let max_bytes = asked.number("chunkSize").unwrap_or(DEFAULT_CHUNK_BYTES);
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    // 3.12 sends no envelopes.
    let has_envelope = version < Version::V312 && asked.flag("useEnvelope").unwrap_or(true);
    let position = batch.positions.entry((asked.database.to_owned(), name)).or_default();
    let mut text = String::new();
    let mut documents = collection.documents.values().skip(*position).peekable();
    while text.len() < max_bytes
        && let Some(document) = documents.next()
    {
        *position += 1;
        match has_envelope {
            true => text.push_str(&json!({"type": 2300, "data": document}).to_string()),
            false => text.push_str(&document.to_string()),
        }
        text.push('\n');
    }
    let has_more = documents.peek().is_some();
    if !has_more {
        *position = 0;
    }
    let included = if text.is_empty() { 0 } else { *position };
    let mut reply = lines(text);
    reply.headers.push(("x-arango-replication-checkmore", has_more.to_string()));
    reply.headers.push(("x-arango-replication-lastincluded", included.to_string()));
    reply
}
