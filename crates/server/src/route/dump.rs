//! `/_api/dump`: collections that many requests fetch concurrently.

use std::sync::Arc;

use bytes::Bytes;
use database::Session;
use database::dump::{DumpBatch, DumpRequest, Form};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::CONTENT_ENCODING;
use velocypack::Slice;

use crate::http::Cost::{Blocking, Unknown};
use crate::http::compression::Encoding;
use crate::http::content_type;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::placement::pool::WorkerPool;

/// ArangoDB's defaults for attributes that a request lacks.
const DEFAULT_BATCH_BYTES: u64 = 16 << 10;
const DEFAULT_PREFETCH: u64 = 2;
const DEFAULT_PARALLELISM: u64 = 2;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) pool: Arc<WorkerPool>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Post, "/_api/dump/start", Blocking, start)
        .of_local_object("batchId")
        .about("Begins a dump of collections.")
        .with_body(r#"{"collections": ["docs"], "batchSize": 1048576}"#),
    Route::with(Verb::Post, "/_api/dump/next/{id}", Unknown, next)
        .of_local_object("id")
        .about("Returns the next batch of a dump.")
        .with_query(&["batchId", "lastBatch"]),
    Route::new(Verb::Delete, "/_api/dump/{id}", Blocking, remove).of_local_object("id").about("Ends a dump."),
];

fn start(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let mut dump = DumpRequest {
        collections: collections(body.slice())?,
        batch_bytes: whole(body.slice(), "batchSize")?.unwrap_or(DEFAULT_BATCH_BYTES),
        prefetch: whole(body.slice(), "prefetchCount")?.unwrap_or(DEFAULT_PREFETCH),
        parallelism: whole(body.slice(), "parallelism")?.unwrap_or(DEFAULT_PARALLELISM),
        velocypack: request.flag("useVPack", false)?,
        packed: request.flag("packed", false)?,
        batch: request.number("batchId")?,
    };
    if let Some(velocypack) = body.slice().get("useVPack").and_then(Slice::as_bool) {
        dump.velocypack |= velocypack;
    }
    if body.slice().get("filters").is_some_and(|filters| !filters.is_null()) {
        return Err(Error::new(ErrorCode::NotImplemented, "not implemented: 'filters' of a dump"));
    }
    let id = session.start_dump(&dump)?;
    // The client may fetch other dumps first.
    read_ahead(&services.pool, session, id);
    Response::empty(StatusCode::CREATED).text_header("x-arango-dump-id", &id.to_string())
}

fn collections(body: Slice<'_>) -> Result<Vec<String>> {
    let wrong = || Error::bad_parameter("'shards' must be an array of names of collections");
    let shards = body.get("shards").filter(|shards| shards.is_array()).ok_or_else(wrong)?;
    shards.elements().map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

/// Reads a number of bytes, batches or threads.
fn whole(body: Slice<'_>, name: &str) -> Result<Option<u64>> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a positive integer")))
}

fn next(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let id = id(request)?;
    let number = request.number("batchId")?;
    let number = number.ok_or_else(|| Error::bad_parameter("parameter 'batchId' is missing"))?;
    let last = request.number("lastBatch")?;
    // A batch that is ready need not wait for a thread of the pool, which may be busy making
    // others.
    if let Some(batch) = session.ready_dump_batch(id, number, last)? {
        return reply(&services.pool, session, id, batch);
    }
    let (pool, session) = (Arc::clone(&services.pool), session.clone());
    Ok(Response::deferred(move || {
        match session.next_dump_batch(id, number, last, &|| read_ahead(&pool, &session, id))? {
            Some(batch) => reply(&pool, &session, id, batch),
            None => Ok(Response::empty(StatusCode::NO_CONTENT)),
        }
    }))
}

/// Starts jobs on the pool that make batches ahead.
fn read_ahead(pool: &Arc<WorkerPool>, session: &Session, id: u64) {
    for job in session.dump_read_ahead(id) {
        let (own_pool, own) = (Arc::clone(pool), session.clone());
        // If the queue is full, no batch is made ahead.
        let work = move || job.run(&|| read_ahead(&own_pool, &own, id));
        let _ = pool.submit(&session.user().cloned(), Box::new(work));
    }
}

fn reply(pool: &Arc<WorkerPool>, session: &Session, id: u64, batch: DumpBatch) -> Result<Response> {
    let DumpBatch { collection, bytes, form, is_packed, ready } = batch;
    read_ahead(pool, session, id);
    let content_type = match form {
        Form::VelocyPack => content_type::VELOCYPACK,
        Form::Lines | Form::Envelopes => content_type::DUMP,
    };
    let reply = Response::bytes(StatusCode::OK, content_type, Bytes::from_owner(Shared(bytes)))
        .text_header("x-arango-dump-shard-id", &crate::http::percent::encode_segment(&collection))?
        .text_header("x-arango-dump-block-counts", &ready.to_string())?;
    Ok(if is_packed { reply.header(CONTENT_ENCODING, Encoding::Gzip.header()) } else { reply })
}

/// The bytes of a batch, shared with the context, which keeps them for a repeated request.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.close_dump(id(request)?)?;
    Ok(Response::empty(StatusCode::OK))
}

/// Returns the number of the context. A text that is not a number names no context.
fn id(request: &Request) -> Result<u64> {
    request.parameter("id").parse().map_err(|_| Error::of(ErrorCode::CursorNotFound))
}
