//! The server itself: version, engine, role and mode.

use mock_http::Reply;
use serde_json::json;

use super::{Asked, failure, success, unknown};
use crate::Role;
use crate::model::Model;

pub(super) fn answer(asked: &Asked<'_>, segments: &[&str], model: &mut Model) -> Reply {
    match (asked.request.method.as_str(), segments) {
        ("GET", ["_api", "version"]) => {
            let version = model.version.number();
            success(200, json!({"server": "arango", "license": "community", "version": version}))
        }
        ("GET", ["_api", "engine"]) => {
            let aliases = json!({"indexes": {"hash": "persistent", "skiplist": "persistent"}});
            let kinds =
                json!(["primary", "edge", "hash", "skiplist", "ttl", "persistent", "geo", "fulltext"]);
            success(200, json!({"name": "rocksdb", "supports": {"indexes": kinds, "aliases": aliases}}))
        }
        ("GET", ["_api", "foxx"]) => success(200, json!([])),
        ("GET", ["_admin", "time"]) => success(200, json!({"error": false, "code": 200, "time": now()})),
        ("GET", ["_admin", "server", "role"]) => {
            let role = match model.role {
                Role::Single => "SINGLE",
                Role::Coordinator => "COORDINATOR",
            };
            success(200, json!({"error": false, "code": 200, "errorNum": 0, "role": role}))
        }
        ("GET", ["_admin", "server", "mode"]) => mode(model),
        ("PUT", ["_admin", "server", "mode"]) => {
            if !model.is_administrator(asked.user) {
                return failure(403, 11, "forbidden");
            }
            match asked.body()["mode"].as_str() {
                Some("readonly") => model.set_read_only(true),
                Some("default") => model.set_read_only(false),
                _ => return failure(400, 9, "mode must be a string, either 'default' or 'readonly'"),
            }
            mode(model)
        }
        _ => unknown(asked),
    }
}

fn mode(model: &Model) -> Reply {
    let mode = if model.is_read_only() { "readonly" } else { "default" };
    success(200, json!({"error": false, "code": 200, "mode": mode}))
}

fn now() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
}
