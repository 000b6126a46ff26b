//! `/_api/wal`, and `/_api/replication/logger-*` of ArangoDB 3.11: the change log as replication
//! reads it.

mod waiting;

use std::sync::Arc;

use database::Session;
use database::changes::{Tail, TailRequest};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::Builder;

use self::waiting::Wait;
use super::replication::{now, print_server};
use crate::http::Cost::{Blocking, Constant};
use crate::http::content_type;
use crate::http::format;
use crate::http::response::Rest;
use crate::http::{Request, Response, Route, Verb};
use crate::service::change_news::ChangeNews;
use crate::service::shutdown::Shutdown;

/// Default size of a reply in bytes.
const DEFAULT_CHUNK_BYTES: usize = 1 << 20;
/// Maximum size of a reply in bytes, but for a part of one commit.
const CHUNK_BYTES_MAX: usize = 128 << 20;

/// The services of this family.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) news: Arc<ChangeNews>,
    pub(crate) shutdown: Arc<Shutdown>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::new(Verb::Get, "/_api/wal/lastTick", Blocking, last_tick)
        .for_administrators()
        .about("Returns the last position of the log."),
    Route::new(Verb::Get, "/_api/wal/range", Blocking, range)
        .for_administrators()
        .about("Returns the range of positions in the log."),
    Route::with(Verb::Get, "/_api/wal/tail", Constant, tail)
        .for_administrators()
        .about("Returns changes behind a position.")
        .with_query(TAIL_QUERY),
    Route::with(Verb::Put, "/_api/wal/tail", Constant, tail)
        .for_administrators()
        .about("Returns changes behind a position, or only registers a reader.")
        .with_query(TAIL_QUERY),
    Route::new(Verb::Delete, "/_api/wal/tail", Blocking, forget)
        .for_administrators()
        .about("Forgets a reader, for whom the log is kept.")
        .with_query(&["syncerId", "serverId"]),
    Route::new(Verb::Get, "/_api/wal/open-transactions", Blocking, open_transactions)
        .for_administrators()
        .about("Lists the transactions that have begun and not ended in a range of the log.")
        .with_query(&["from", "to"]),
    Route::new(Verb::Get, "/_api/replication/logger-follow", Blocking, logger_follow)
        .for_administrators()
        .about("Returns changes behind a position, in the form of ArangoDB before 3.3.")
        .with_query(&["from", "to", "chunkSize", "includeSystem"]),
    Route::new(Verb::Get, "/_api/replication/logger-first-tick", Blocking, logger_first_tick)
        .for_administrators()
        .about("Returns the first position in the log."),
    Route::new(Verb::Get, "/_api/replication/logger-tick-ranges", Blocking, logger_tick_ranges)
        .for_administrators()
        .about("Returns the ranges of positions in the log."),
];

const TAIL_QUERY: &[&str] = &[
    "from",
    "to",
    "lastScanned",
    "global",
    "chunkSize",
    "syncerId",
    "serverId",
    "clientInfo",
    "trackOnly",
    "wait",
    "member",
    "epoch",
    "applied",
];

fn last_tick(session: &Session, _request: &Request) -> Result<Response> {
    let tick = session.tick_range()?.last.to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.text("time", &now()).text("tick", &tick);
        fields.child("server", |fields| print_server(session, fields));
    })
}

fn range(session: &Session, _request: &Request) -> Result<Response> {
    let range = session.tick_range()?;
    Response::object(StatusCode::OK, |fields| {
        fields.text("time", &now());
        fields.text("tickMin", &range.first.to_string()).text("tickMax", &range.last.to_string());
        fields.child("server", |fields| print_server(session, fields));
    })
}

fn tail(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let from = request.number("from")?.unwrap_or(0);
    let last_scanned = request.number("lastScanned")?.unwrap_or(0_u64);
    register(session, request, from)?;
    let epoch = acknowledge(session, request)?;
    if request.flag("trackOnly", false)? {
        return Ok(Response::empty(StatusCode::NO_CONTENT));
    }
    let wanted = TailRequest {
        from: from.max(last_scanned),
        to: request.number("to")?.unwrap_or(u64::MAX),
        global: request.flag("global", false)?,
        chunk_bytes: chunk_bytes(request)?,
        is_old_form: false,
        include_system: true,
        velocypack: accepts_velocypack(request),
    };
    let wait = Wait::wanted(services, request, &wanted)?;
    let interrupt = session.part_interrupt();
    let session = session.clone().ended_by(interrupt.clone());
    let readiness = wait.readiness(&session)?;
    let rest = Rest::interruptible(interrupt, move || {
        wait.on_thread(&session)?;
        let part = session.tail(&wanted)?;
        if let Some(epoch) = epoch {
            session.check_log_of_epoch(epoch)?;
        }
        respond(part, wanted.velocypack)
    });
    Ok(Response::rest(match readiness {
        Some(readiness) => rest.when(readiness),
        None => rest,
    }))
}

/// Returns true if the client asks for VelocyPack objects instead of lines.
fn accepts_velocypack(request: &Request) -> bool {
    format::accepts(request.headers(), "application/x-velocypack")
}

/// Returns the size of a reply that a request asks for.
fn chunk_bytes(request: &Request) -> Result<usize> {
    let bytes: usize = request.number("chunkSize")?.unwrap_or(DEFAULT_CHUNK_BYTES);
    Ok(bytes.clamp(1, CHUNK_BYTES_MAX))
}

/// Notes a reader with a number, so that the log is kept for it.
fn register(session: &Session, request: &Request, from: u64) -> Result<()> {
    let syncer = request.number("syncerId")?;
    let server = request.number("serverId")?;
    if let Some(reader) = reader(syncer, server) {
        let client = request.text("clientInfo")?.unwrap_or_default();
        session.register_log_reader(&reader, &client, from)?;
    }
    Ok(())
}

/// Notes how far a member of this server's group has applied the log. Returns the epoch of the
/// leadership that it follows.
fn acknowledge(session: &Session, request: &Request) -> Result<Option<u64>> {
    match (request.number("member")?, request.number("epoch")?, request.number("applied")?) {
        (Some(member), Some(epoch), Some(applied)) => {
            session.acknowledge_log(member, epoch, applied)?;
            Ok(Some(epoch))
        }
        _ => Ok(None),
    }
}

/// Returns the name of a reader: ArangoDB prefers the number of the client to that of its machine.
fn reader(syncer: Option<u64>, server: Option<u64>) -> Option<String> {
    let named = |kind: &str, number: Option<u64>| {
        number.filter(|number| *number > 0).map(|number| format!("{kind}:{number}"))
    };
    named("syncer", syncer).or_else(|| named("server", server))
}

/// Makes the reply of a part of the log.
fn respond(tail: Tail, is_velocypack: bool) -> Result<Response> {
    let content_type = if is_velocypack { content_type::VELOCYPACK } else { content_type::DUMP };
    let response = match tail.entries.is_empty() {
        true => Response::empty(StatusCode::NO_CONTENT),
        false => Response::bytes(StatusCode::OK, content_type, tail.entries),
    };
    let flag = |value| if value { "true" } else { "false" };
    response
        .text_header("x-arango-replication-active", "true")?
        .text_header("x-arango-replication-lastincluded", &tail.last_included.to_string())?
        .text_header("x-arango-replication-lastscanned", &tail.last_scanned.to_string())?
        .text_header("x-arango-replication-lasttick", &tail.last_tick.to_string())?
        .text_header("x-arango-replication-frompresent", flag(tail.from_present))?
        .text_header("x-arango-replication-checkmore", flag(tail.check_more))
}

fn forget(session: &Session, request: &Request) -> Result<Response> {
    let Some(reader) = reader(request.number("syncerId")?, request.number("serverId")?) else {
        return Err(Error::bad_parameter("'syncerId' or 'serverId' must be a number greater than 0"));
    };
    session.forget_log_reader(&reader);
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

/// Returns no transactions: the log has only those that were committed, each as a whole.
fn open_transactions(session: &Session, request: &Request) -> Result<Response> {
    let range = session.tick_range()?;
    let from: u64 = request.number("from")?.unwrap_or(0);
    let to: u64 = request.number("to")?.unwrap_or(u64::MAX);
    let is_present = from.saturating_add(1) >= range.first;
    Response::json(StatusCode::OK, "[]")
        .text_header("x-arango-replication-frompresent", if is_present { "true" } else { "false" })?
        .text_header("x-arango-replication-lastincluded", &to.min(range.last).to_string())
}

fn logger_follow(session: &Session, request: &Request) -> Result<Response> {
    let tail = session.tail(&TailRequest {
        from: request.number("from")?.unwrap_or(0),
        to: request.number("to")?.unwrap_or(u64::MAX),
        global: false,
        chunk_bytes: chunk_bytes(request)?,
        is_old_form: true,
        include_system: request.flag("includeSystem", true)?,
        velocypack: accepts_velocypack(request),
    })?;
    respond(tail, accepts_velocypack(request))
}

fn logger_first_tick(session: &Session, _request: &Request) -> Result<Response> {
    let first = session.tick_range()?.first.to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.text("firstTick", &first);
    })
}

/// Returns one range: the log has no files that a client could tell apart.
fn logger_tick_ranges(session: &Session, _request: &Request) -> Result<Response> {
    let range = session.tick_range()?;
    let mut builder = Builder::new();
    builder.open_array()?;
    builder.open_object()?;
    builder.key("datafile")?;
    builder.add_str("changes")?;
    builder.key("status")?;
    builder.add_str("open")?;
    builder.key("tickMin")?;
    builder.add_str(&range.first.to_string())?;
    builder.key("tickMax")?;
    builder.add_str(&range.last.to_string())?;
    builder.close()?;
    builder.close()?;
    Ok(Response::from(builder))
}
