//! `/_api/cursor`, for the few queries that a comparison asks.

use std::collections::VecDeque;

use mock_http::Reply;
use serde_json::{Value, json};

use super::{Asked, Readers, failure, success, unknown};
use crate::model::Model;

/// The default number of rows in a reply.
const DEFAULT_BATCH: u64 = 1_000;

pub(super) fn answer(asked: &Asked<'_>, rest: &[&str], model: &Model, readers: &mut Readers) -> Reply {
    match (asked.request.method.as_str(), rest) {
        ("POST", []) => create(asked, model, readers),
        ("POST" | "PUT", [id]) => {
            let id = id.parse().unwrap_or(0);
            match readers.cursors.remove(&id) {
                Some(rows) => batch(id, rows, DEFAULT_BATCH, 200, readers),
                None => failure(404, 1600, "cursor not found"),
            }
        }
        ("DELETE", [id]) => match readers.cursors.remove(&id.parse().unwrap_or(0)) {
            Some(_) => success(202, json!({"id": id, "error": false, "code": 202})),
            None => failure(404, 1600, "cursor not found"),
        },
        _ => unknown(asked),
    }
}

/// Answers a query over one collection, which `@@` names: keys with revisions, whole documents, or
/// their number. Rows come by key, as a scan of the primary index gives them.
fn create(asked: &Asked<'_>, model: &Model, readers: &mut Readers) -> Reply {
    let body = asked.body();
    let text: String =
        body["query"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let bound = body["bindVars"].as_object();
    let name = bound.and_then(|bound| bound.iter().find(|(name, _)| name.starts_with('@')));
    let Some(name) = name.and_then(|(_, value)| value.as_str()) else {
        return failure(400, 1501, &format!("the mock does not know the query: {text}"));
    };
    let database = model.databases.get(asked.database);
    if database.is_none_or(|database| !database.collections.contains_key(name)) {
        return failure(404, 1203, &format!("AQL: collection or view not found: {name}"));
    }
    let documents = model.documents(asked.database, name);
    let shown = text.split_once("RETURN ").map(|(_, shown)| shown).unwrap_or_default();
    let rows: VecDeque<Value> = match shown {
        "[d._key, d._rev]" => documents.iter().map(|d| json!([d["_key"], d["_rev"]])).collect(),
        "{k: d._key, r: d._rev}" => {
            documents.iter().map(|d| json!({"k": d["_key"], "r": d["_rev"]})).collect()
        }
        "d" => documents.into(),
        _ if shown.starts_with("LENGTH(@@") || shown.starts_with("COUNT(@@") => {
            [json!(documents.len())].into()
        }
        _ => return failure(400, 1501, &format!("the mock does not know the query: {text}")),
    };
    let id = readers.new_id();
    batch(id, rows, body["batchSize"].as_u64().unwrap_or(DEFAULT_BATCH), 201, readers)
}

fn batch(id: u64, mut rows: VecDeque<Value>, size: u64, status: u16, readers: &mut Readers) -> Reply {
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(rows.len());
    let shown: Vec<Value> = rows.drain(..size).collect();
    let has_more = !rows.is_empty();
    let mut body = json!({
        "result": shown, "hasMore": has_more, "cached": false, "error": false, "code": status, "extra": {},
    });
    if has_more {
        body["id"] = json!(id.to_string());
        readers.cursors.insert(id, rows);
    }
    success(status, body)
}
