//! `/_api/document`, for readers that ask for documents by their keys.

use mock_http::Reply;
use serde_json::{Value, json};

use super::{Asked, failure, success, unknown};
use crate::model::Model;

pub(super) fn answer(asked: &Asked<'_>, rest: &[&str], model: &Model) -> Reply {
    match (asked.request.method.as_str(), rest) {
        ("PUT", [collection]) if asked.flag("onlyget") == Some(true) => several(asked, collection, model),
        _ => unknown(asked),
    }
}

/// Answers a list of keys: an element for each, the document or an error.
fn several(asked: &Asked<'_>, collection: &str, model: &Model) -> Reply {
    let database = model.databases.get(asked.database);
    let Some(found) = database.and_then(|database| database.collections.get(collection)) else {
        return failure(404, 1203, &format!("collection or view not found: {collection}"));
    };
    let Value::Array(keys) = asked.body() else { return failure(400, 600, "expecting an array") };
    let missing = json!({"error": true, "errorNum": 1202, "errorMessage": "document not found"});
    let of_key =
        |key: &Value| key.as_str().and_then(|key| found.documents.get(key)).unwrap_or(&missing).clone();
    success(200, Value::Array(keys.iter().map(of_key).collect()))
}
