//! The routes that a reader of data and log asks.

mod snapshots;
mod server;
mod definitions;
mod wal;
mod replication;
mod dump;
mod cursor;
mod document;

use mock_http::{Reply, Request};
use serde_json::{Value, json};

use crate::model::{Model, SYSTEM};

pub(crate) use snapshots::Readers;

/// A request whose user is known.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Request,
    pub(crate) database: &'a str,
    /// The decoded path after the database.
    pub(crate) path: &'a str,
    pub(crate) user: &'a str,
}

impl Asked<'_> {
    fn segments(&self) -> Vec<&str> {
        self.path.split('/').filter(|segment| !segment.is_empty()).collect()
    }

    /// Returns a parameter that is a number.
    fn number(&self, name: &str) -> Option<u64> {
        self.request.parameter(name)?.parse().ok()
    }

    /// Returns a parameter that is true or false.
    fn flag(&self, name: &str) -> Option<bool> {
        self.request.parameter(name).map(|value| value == "true" || value == "1")
    }

    fn body(&self) -> Value {
        serde_json::from_slice(&self.request.body).unwrap_or(Value::Null)
    }
}

/// Answers a request.
pub(crate) fn answer(asked: &Asked<'_>, model: &mut Model, readers: &mut Readers) -> Reply {
    let segments = asked.segments();
    let (area, rest) = (segments.get(..2).unwrap_or_default(), segments.get(2..).unwrap_or_default());
    match area {
        ["_api", "wal"] => for_administrators(asked, model, |model| wal::answer(asked, rest, model)),
        ["_api", "replication"] => {
            for_administrators(asked, model, |model| replication::answer(asked, rest, model, readers))
        }
        ["_api", "dump"] => {
            for_administrators(asked, model, |model| dump::answer(asked, rest, model, readers))
        }
        ["_api", "cursor"] => cursor::answer(asked, rest, model, readers),
        ["_api", "document"] => document::answer(asked, rest, model),
        ["_api", "version" | "engine" | "foxx"] | ["_admin", _] => server::answer(asked, &segments, model),
        ["_api", "database" | "collection" | "index" | "view" | "user" | "gharial" | "analyzer"] => {
            definitions::answer(asked, &segments, model)
        }
        _ => unknown(asked),
    }
}

/// Answers a request on the log or on all data, which needs `rw` on `_system`.
///
/// A Coordinator answers 501, as the documentation of the log has it.
fn for_administrators(
    asked: &Asked<'_>,
    model: &mut Model,
    answer: impl FnOnce(&mut Model) -> Reply,
) -> Reply {
    if !model.is_administrator(asked.user) {
        return failure(403, 11, "forbidden");
    }
    match model.role {
        crate::Role::Single => answer(model),
        crate::Role::Coordinator => failure(501, 1470, "not supported on coordinators"),
    }
}

fn unknown(asked: &Asked<'_>) -> Reply {
    failure(404, 404, &format!("unknown path '{}'", asked.path))
}

/// Returns a reply of JSON.
pub(crate) fn success(status: u16, body: Value) -> Reply {
    let headers = vec![("content-type", "application/json; charset=utf-8".to_owned())];
    Reply { status, headers, body: body.to_string().into_bytes(), ..Reply::default() }
}

/// Returns a reply with an error.
pub(crate) fn failure(status: u16, number: u64, message: &str) -> Reply {
    success(status, json!({"error": true, "code": status, "errorNum": number, "errorMessage": message}))
}

/// Returns a reply of JSON lines; 204 without any.
fn lines(lines: String) -> Reply {
    if lines.is_empty() {
        return Reply { status: 204, ..Reply::default() };
    }
    let headers = vec![("content-type", "application/x-arango-dump; charset=utf-8".to_owned())];
    Reply { status: 200, headers, body: lines.into_bytes(), ..Reply::default() }
}

/// Returns what the server says of itself in replies about its log.
fn identity(model: &Model) -> Value {
    json!({"version": model.version.number(), "serverId": model.server_id.to_string()})
}

/// The time of every reply: no reader needs the true one.
const TIME: &str = "2026-01-01T00:00:00Z";

/// Returns true if the database of a request is `_system`.
fn is_system(asked: &Asked<'_>) -> bool {
    asked.database == SYSTEM
}
