//! `/_api/replication`: dumps of a batch's snapshot for ArangoDB's dump tool, and this server's
//! replication state. Restores are in [`super::restore`].

use std::time::SystemTime;

use database::Session;
use database::changes::LogReader;
use database::dump::{Batch, ChunkRequest, Form, InventoryRequest};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::parameter;
use crate::http::Cost::{Blocking, Constant};
use crate::http::content_type;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::version::ARANGODB_VERSION;

/// Default size of a chunk in bytes.
const DEFAULT_CHUNK_BYTES: usize = 1 << 20;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Post, "/_api/replication/batch", Blocking, open)
        .about("Takes a snapshot for a dump.")
        .with_body(r#"{"ttl": 300}"#),
    Route::new(Verb::Put, "/_api/replication/batch/{id}", Constant, extend)
        .of_local_object("id")
        .about("Extends the lifetime of a snapshot.")
        .with_body(r#"{"ttl": 300}"#),
    Route::new(Verb::Delete, "/_api/replication/batch/{id}", Blocking, close)
        .of_local_object("id")
        .about("Releases a snapshot."),
    Route::new(Verb::Get, "/_api/replication/inventory", Blocking, inventory)
        .of_local_object("batchId")
        .about("Lists the collections of a snapshot with their properties and indexes.")
        .with_query(&["batchId", "includeSystem", "global"]),
    Route::new(Verb::Get, "/_api/replication/dump", Blocking, dump)
        .of_local_object("batchId")
        .about("Returns documents of a snapshot.")
        .with_query(&["batchId", "collection", "chunkSize", "useEnvelope"]),
    Route::new(Verb::Get, "/_api/replication/logger-state", Blocking, logger_state)
        .about("Returns the last position of the log."),
    Route::new(Verb::Get, "/_api/replication/server-id", Constant, server_id)
        .about("Returns the ID of the server."),
];

fn open(session: &Session, request: &Request) -> Result<Response> {
    // A client with a number will follow the log from here on; a dump does not.
    let numbers = [request.number::<u64>("syncerId")?, request.number::<u64>("serverId")?];
    if numbers.into_iter().flatten().any(|number| number > 0) {
        session.tick_range()?;
    }
    let batch = session.open_batch(ttl(request)?)?;
    let Batch { id, tick } = batch;
    let state = request.flag("state", false)?.then(|| session.logger_state(&now())).transpose()?;
    Response::object(StatusCode::OK, |fields| {
        fields.text("id", &id.to_string()).text("lastTick", &tick.to_string());
        if let Some(state) = &state {
            fields.value("state", Slice::new(state));
        }
    })
}

fn extend(session: &Session, request: &Request) -> Result<Response> {
    session.extend_batch(batch_id(request.parameter("id"))?, ttl(request)?)?;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

fn close(session: &Session, request: &Request) -> Result<Response> {
    session.close_batch(batch_id(request.parameter("id"))?)?;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

/// Reads the time to live in the body: a number of seconds, possibly as text.
fn ttl(request: &Request) -> Result<Option<f64>> {
    let body = request.body_object()?;
    let Some(ttl) = body.slice().get("ttl").filter(|ttl| !ttl.is_null()) else { return Ok(None) };
    let seconds = ttl.as_f64().or_else(|| ttl.as_str()?.parse().ok());
    seconds.map(Some).ok_or_else(|| Error::bad_parameter("'ttl' must be a number of seconds"))
}

/// Returns the batch that a request's parameter names.
fn batch(request: &Request) -> Result<u64> {
    let text = request.text("batchId")?.unwrap_or_default();
    if text.is_empty() {
        let message =
            "parameter 'batchId' is missing: expecting the id of a batch from POST /_api/replication/batch";
        return Err(Error::bad_parameter(message));
    }
    batch_id(&text)
}

/// Returns the number of a batch. A text that is not a number names no batch.
fn batch_id(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Error::of(ErrorCode::CursorNotFound))
}

fn inventory(session: &Session, request: &Request) -> Result<Response> {
    let inventory = session.inventory(&InventoryRequest {
        batch: batch(request)?,
        include_system: request.flag("includeSystem", true)?,
        include_queues: request.flag("includeFoxxQueues", false)?,
        collection: request.text("collection")?.filter(|name| !name.is_empty()).map(|name| name.into_owned()),
        global: request.flag("global", false)?,
        time: now(),
    })?;
    Ok(Response::value(StatusCode::OK, inventory))
}

fn dump(session: &Session, request: &Request) -> Result<Response> {
    let form = if request.flag("useEnvelope", true)? { Form::Envelopes } else { Form::Lines };
    let chunk = session.dump_chunk(&ChunkRequest {
        batch: batch(request)?,
        collection: parameter::collection(request)?,
        from: request.number("from")?,
        bytes: request.number("chunkSize")?.unwrap_or(DEFAULT_CHUNK_BYTES),
        form,
    })?;
    let response = match chunk.bytes.is_empty() {
        true => Response::empty(StatusCode::NO_CONTENT),
        false => Response::bytes(StatusCode::OK, content_type::DUMP, chunk.bytes),
    };
    response
        .text_header("x-arango-replication-checkmore", if chunk.has_more { "true" } else { "false" })?
        .text_header("x-arango-replication-lastincluded", &chunk.last_included.to_string())
}

fn logger_state(session: &Session, _request: &Request) -> Result<Response> {
    let state = session.logger_state(&now())?;
    Response::object(StatusCode::OK, |fields| {
        fields.value("state", Slice::new(&state));
        fields.child("server", |fields| {
            print_server(session, fields);
            fields.text("engine", "rocksdb");
        });
        fields.list("clients", |fields| {
            for reader in session.log_readers() {
                fields.child_element(|fields| print_reader(&reader, fields));
            }
        });
    })
}

fn print_reader(reader: &LogReader, fields: &mut Fields<'_>) {
    let (kind, number) = reader.name.split_once(':').unwrap_or(("server", "0"));
    fields.text(if kind == "syncer" { "syncerId" } else { "serverId" }, number);
    fields.text("clientInfo", &reader.client);
    fields.text("time", &utc(reader.seen)).text("expires", &utc(reader.expires));
    fields.text("lastServedTick", &reader.position.to_string());
}

fn server_id(session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.text("serverId", &session.server_id().to_string());
    })
}

/// Writes this server's version and id.
pub(super) fn print_server(session: &Session, fields: &mut Fields<'_>) {
    fields.text("version", ARANGODB_VERSION);
    fields.text("serverId", &session.server_id().to_string());
}

/// Returns the present time in ISO 8601, UTC, in whole seconds.
pub(super) fn now() -> String {
    utc(SystemTime::now())
}

/// Returns a time in ISO 8601, UTC, in whole seconds.
pub(super) fn utc(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
