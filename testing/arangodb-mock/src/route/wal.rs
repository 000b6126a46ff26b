//! `/_api/wal`: the log.

use mock_http::Reply;
use serde_json::{Value, json};

use super::{Asked, TIME, failure, identity, is_system, lines, success, unknown};
use crate::model::{Model, Part};

/// The default size of a part in bytes.
const DEFAULT_CHUNK_BYTES: u64 = 1 << 20;

pub(super) fn answer(asked: &Asked<'_>, rest: &[&str], model: &Model) -> Reply {
    match (asked.request.method.as_str(), rest) {
        ("GET", ["lastTick"]) => {
            let tick = model.log.last().to_string();
            success(200, json!({"time": TIME, "tick": tick, "server": identity(model)}))
        }
        ("GET", ["range"]) => success(
            200,
            json!({
                "time": TIME, "tickMin": model.log.first().to_string(),
                "tickMax": model.log.last().to_string(), "server": identity(model),
            }),
        ),
        ("GET" | "PUT", ["tail"]) => tail(asked, model),
        ("DELETE", ["tail"]) => Reply { status: 204, ..Reply::default() },
        ("GET", ["open-transactions"]) => {
            let headers = vec![
                ("x-arango-replication-frompresent", "true".to_owned()),
                ("x-arango-replication-lastincluded", model.log.last().to_string()),
            ];
            let open = success(200, json!(model.open_transactions()));
            Reply { headers, ..open }
        }
        _ => unknown(asked),
    }
}

fn tail(asked: &Asked<'_>, model: &Model) -> Reply {
    if asked.request.method == "PUT" && !is_list_of_transactions(&asked.body()) {
        return failure(400, 400, "invalid body: expecting an array of transactions");
    }
    if asked.flag("trackOnly") == Some(true) {
        return Reply { status: 204, ..Reply::default() };
    }
    let (from, to) = (asked.number("from").unwrap_or(0), asked.number("to").unwrap_or(u64::MAX));
    if to < from {
        return failure(400, 400, "invalid from/to values");
    }
    let is_global = asked.flag("global").unwrap_or(false);
    if is_global && !is_system(asked) {
        return failure(403, 11, "global tailing is only possible from the _system database");
    }
    // Large transactions come in several replies; the reader says how far the last one was read.
    let begin = from.max(asked.number("lastScanned").unwrap_or(0));
    let max_bytes = asked.number("chunkSize").unwrap_or(DEFAULT_CHUNK_BYTES).min(model.max_part_bytes);
    let database = (!is_global).then_some(asked.database);
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    respond(model.log.part(begin, to, database, max_bytes), model)
}

fn is_list_of_transactions(body: &Value) -> bool {
    body.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn respond(part: Part, model: &Model) -> Reply {
    let headers = [
        ("x-arango-replication-active", "true".to_owned()),
        ("x-arango-replication-checkmore", part.has_more.to_string()),
        ("x-arango-replication-frompresent", part.is_complete.to_string()),
        ("x-arango-replication-lastincluded", part.last_included.to_string()),
        ("x-arango-replication-lastscanned", part.last_scanned.to_string()),
        ("x-arango-replication-lasttick", model.log.last().to_string()),
    ];
    let mut reply = lines(part.lines);
    reply.headers.extend(headers);
    reply
}
