//! `/_api/dump` of 3.12: the documents of collections, for many requests side by side.

use std::collections::{BTreeMap, VecDeque};

use mock_http::Reply;
use serde_json::Value;

use super::snapshots::Dump;
use super::{Asked, Readers, failure, lines, success, unknown};
use crate::Version;
use crate::model::Model;

/// The default size of a batch in bytes.
const DEFAULT_BATCH_BYTES: u64 = 16 << 10;

pub(super) fn answer(asked: &Asked<'_>, rest: &[&str], model: &Model, readers: &mut Readers) -> Reply {
    if model.version < Version::V312 {
        return unknown(asked);
    }
    match (asked.request.method.as_str(), rest) {
        ("POST", ["start"]) => start(asked, model, readers),
        ("POST", ["next", id]) => match readers.dumps.get_mut(&id.parse().unwrap_or(0)) {
            Some(dump) => next(asked, dump),
            None => failure(404, 1600, "requested dump context not found"),
        },
        ("DELETE", [id]) => match readers.dumps.remove(&id.parse().unwrap_or(0)) {
            Some(_) => success(200, serde_json::json!({"error": false, "code": 200})),
            None => failure(404, 1600, "requested dump context not found"),
        },
        _ => unknown(asked),
    }
}

fn start(asked: &Asked<'_>, model: &Model, readers: &mut Readers) -> Reply {
    if asked.flag("useVPack") == Some(true) {
        return failure(400, 10, "the mock sends JSON lines only");
    }
    let body = asked.body();
    let Some(names) = body["shards"].as_array() else { return failure(400, 10, "expecting 'shards'") };
    let batch_bytes = body["batchSize"].as_u64().unwrap_or(DEFAULT_BATCH_BYTES);
    // A dump of a snapshot that the client holds shows that snapshot.
    let held = asked.number("batchId").and_then(|id| readers.batches.get(&id));
    let shown = held.map_or(model, |batch| &batch.model);
    let mut waiting = VecDeque::new();
    for name in names.iter().filter_map(Value::as_str) {
        let database = shown.databases.get(asked.database);
        let Some(collection) = database.and_then(|database| database.collections.get(name)) else {
            return failure(404, 1203, "collection or view not found");
        };
        let mut text = String::new();
        for document in collection.documents.values() {
            text.push_str(&document.to_string());
            text.push('\n');
            if text.len() as u64 >= batch_bytes {
                waiting.push_back((name.to_owned(), std::mem::take(&mut text)));
            }
        }
        if !text.is_empty() {
            waiting.push_back((name.to_owned(), text));
        }
    }
    let id = readers.new_id();
    readers.dumps.insert(id, Dump { waiting, fetched: BTreeMap::new() });
    Reply { status: 201, headers: vec![("x-arango-dump-id", id.to_string())], ..Reply::default() }
}

/// Answers a batch. A repeated request gets the same batch again.
fn next(asked: &Asked<'_>, dump: &mut Dump) -> Reply {
    let Some(number) = asked.number("batchId") else { return failure(400, 10, "expecting 'batchId'") };
    if let Some(last) = asked.number("lastBatch") {
        dump.fetched.remove(&last);
    }
    if !dump.fetched.contains_key(&number) {
        let Some(batch) = dump.waiting.pop_front() else { return lines(String::new()) };
        dump.fetched.insert(number, batch);
    }
    let (collection, text) = dump.fetched.get(&number).cloned().unwrap_or_default();
    let mut reply = lines(text);
    reply.headers.push(("x-arango-dump-shard-id", collection));
    reply
}
