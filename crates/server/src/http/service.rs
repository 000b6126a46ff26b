//! One request from its head to the head of its reply.
//!
//! authenticate → find the route → collect the body → run the route (here, or on the worker pool) → encode the reply.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Uri};
use tokio::sync::oneshot;

use super::body::{Collected, ReplyBody, collect, drain};
use super::body_memory::UNCOUNTED_BYTES;
use super::compression::{Encoding, compress, decompress};
use super::connection::Connection;
use super::cors;
use super::dispatch::{
    self, AsyncMode, Job, fail_later, find_route, open_job, parse_path, queue_full, run_later, user_job,
};
use super::format::{self, Format};
use super::path::Path;
use super::request::Request;
use super::response::{Body, Response};
use super::router::{Outcome, Route};
use super::stream::StreamBody;
use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::metrics::Observed;
use crate::placement::pool::PATIENCE;
use crate::server::Server;
use crate::service::authentication::{Look, not_authorized};
use database::Identity;

/// How long requests wait for a thread at the moment; in a request: how long the client is willing to wait.
const QUEUE_TIME: HeaderName = HeaderName::from_static("x-arango-queue-time-seconds");

/// A reply on the connection.
pub(crate) type HttpReply = hyper::Response<ReplyBody>;

/// What must be known of a request to send its reply.
#[derive(Clone, Copy)]
struct Wanted {
    format: Format,
    encoding: Option<Encoding>,
}

/// Answers one request; never fails, since a failure is an answer too.
pub(crate) async fn answer(
    server: Arc<Server>,
    connection: Arc<Connection>,
    request: hyper::Request<Incoming>,
) -> HttpReply {
    let begin = Instant::now();
    let in_flight = connection.begin_request();
    let mut observed = Observed::new(request.method());
    let origin = request.headers().contains_key(ORIGIN).then(|| request.headers().clone());
    let mut reply = if request.method() == Method::OPTIONS {
        preflight(&server, request.headers())
    } else {
        answer_method(&server, &connection, request, &mut observed).await
    };
    if let Some(headers) = &origin {
        cors::add_headers(headers, server.trusted_origins(), reply.headers_mut());
    }
    server.metrics().record(&observed, reply.status(), reply.body().size_hint().exact(), begin.elapsed());
    drop(in_flight);
    reply
}

fn preflight(server: &Server, headers: &HeaderMap) -> HttpReply {
    let mut reply = hyper::Response::new(ReplyBody::Whole(Bytes::new()));
    *reply.headers_mut() = server.base_headers().clone();
    cors::preflight(headers, server.trusted_origins(), reply.headers_mut());
    reply
}

async fn answer_method(
    server: &Arc<Server>,
    connection: &Connection,
    request: hyper::Request<Incoming>,
    observed: &mut Observed,
) -> HttpReply {
    let (head, body) = request.into_parts();
    // A client that waits to be told to go on sends no body when it is told something else.
    let may_drain = !head.headers.contains_key(EXPECT);
    let mut body = Some(body);
    let encoding = server.compresses().then(|| Encoding::accepted(&head.headers)).flatten();
    let wanted = Wanted { format: format::accepted(&head.headers), encoding };
    match run(server, connection, head, &mut body, wanted, observed).await {
        Ok(reply) => reply,
        Err(error) => {
            if let Some(body) = body.filter(|_| may_drain) {
                drain(body).await;
            }
            assemble(server, error.into_response(), wanted)
        }
    }
}

/// Everything that may end with an error. Takes the body where it wants it.
async fn run(
    server: &Arc<Server>,
    connection: &Connection,
    head: Parts,
    body: &mut Option<Incoming>,
    wanted: Wanted,
    observed: &mut Observed,
) -> Result<HttpReply> {
    let path = parse_path(&head.uri)?;
    let (route, matched) = match find_route(server, &head.method, &path) {
        Ok(found) => found,
        Err(error) => {
            // Who may not ask does not learn what there is.
            let identity = authenticate(server, &head).await?;
            let Some(mode) = AsyncMode::of(&head.headers) else { return Err(error) };
            if let Some(body) = body.take() {
                drain(body).await;
            }
            observed.set_async();
            return Ok(assemble(server, fail_later(server, identity, error, mode)?, wanted));
        }
    };
    let job = prepare(server, route, &path, &head, observed).await?;
    let parts = [head.method.as_str(), path_in_database(&head.uri), path.database()];
    server.recorded_calls().add(parts.map(str::as_bytes));
    let body = match body.take() {
        Some(body) => collect(body, server.options().http.max_body_bytes, server.body_memory()).await?,
        None => Collected::default(),
    };
    observed.received(body.bytes.len());
    let Collected { bytes, memory } = decompressed(server, &head.headers, body).await?;
    let later = AsyncMode::of(&head.headers);
    let request = Request {
        method: head.method,
        uri: head.uri,
        path,
        matched,
        headers: head.headers,
        body: bytes,
        accepted: wanted.format,
        client: connection.client,
        memory: memory.map(Arc::new),
    };
    match later {
        Some(mode) => {
            observed.set_async();
            Ok(assemble(server, run_later(server, job, request, mode)?, wanted))
        }
        None => run_now(server, job, request, wanted).await,
    }
}

/// The path as it was sent, without the database.
fn path_in_database(uri: &Uri) -> &str {
    let path = uri.path();
    let rest = path.strip_prefix("/_db/").and_then(|rest| rest.find('/').and_then(|at| rest.get(at..)));
    rest.unwrap_or(path)
}

/// Checks the user and the database before anything of the body is read.
async fn prepare(
    server: &Arc<Server>,
    route: Route,
    path: &Path,
    head: &Parts,
    observed: &mut Observed,
) -> Result<Job> {
    check_queue_time(server, &head.headers)?;
    if let Some(job) = open_job(&route) {
        return Ok(job);
    }
    let identity = authenticate(server, head).await?;
    let job = user_job(server, &route, path.database(), identity, &head.headers)?;
    if let Job::User(_, session) = &job {
        observed.set_user(session.user());
    }
    Ok(job)
}

/// Who makes the request. A password that was not seen before is checked on the worker pool.
async fn authenticate(server: &Arc<Server>, head: &Parts) -> Result<Identity> {
    let catalog = server.instance().store().catalog();
    match server.authentication().look(&catalog, &head.headers, head.uri.path())? {
        Look::Known(identity) => Ok(identity),
        Look::Password(credentials) => {
            // One at a time, so that guessing passwords costs others little.
            let _turn = server.password_turn().await;
            let own = Arc::clone(server);
            let check = move || Ok(own.authentication().check(&catalog, &credentials));
            on_pool(server, check).await?.ok_or_else(|| not_authorized(&head.headers))
        }
    }
}

/// A client that would rather have no answer than wait for it says how long it waits.
fn check_queue_time(server: &Server, headers: &HeaderMap) -> Result<()> {
    let Some(limit) = headers.get(QUEUE_TIME).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let limit_seconds: f64 = limit.trim().parse().unwrap_or(0.0);
    let wait_seconds = server.pool().last_wait_us() as f64 / 1e6;
    if limit_seconds > 0.0 && wait_seconds > limit_seconds && server.pool().queue_length() > 0 {
        server.metrics().record_too_slow_queue();
        return Err(ApiError::of(number::QUEUE_TIME_VIOLATED).status(412));
    }
    Ok(())
}

/// The body without its `content-encoding`. Few say how long they will be: the others get memory for what most bodies come
/// to, and one that is longer begins anew with all the memory there is.
async fn decompressed(server: &Arc<Server>, headers: &HeaderMap, body: Collected) -> Result<Collected> {
    if !headers.contains_key(CONTENT_ENCODING) || body.bytes.is_empty() {
        return Ok(body);
    }
    let max_bytes = server.options().http.max_body_bytes;
    let memory = server.body_memory();
    let likely_bytes = gzip_members::plain_bytes(&body.bytes)
        .unwrap_or_else(|| body.bytes.len().saturating_mul(LIKELY_COMPRESSION))
        .max(UNCOUNTED_BYTES);
    let compressed = body.bytes;
    // Given back before more is asked for: two who keep some and want more would wait for each other.
    drop(body.memory);
    for bytes in [likely_bytes.min(memory.capacity_bytes()).min(max_bytes), max_bytes] {
        let mut permit = memory.take(bytes).await?;
        let mut encoding = HeaderMap::new();
        encoding.extend(headers.get(CONTENT_ENCODING).map(|value| (CONTENT_ENCODING, value.clone())));
        let part = compressed.clone();
        let unpacked = on_pool(server, move || Ok(decompress(&encoding, part, bytes))).await?;
        match unpacked {
            Err(error) if error.status_code() == 413 && bytes < max_bytes => {}
            unpacked => {
                let bytes = unpacked?;
                memory.shrink(&mut permit, bytes.len());
                return Ok(Collected { bytes, memory: permit });
            }
        }
    }
    Err(ApiError::internal("a body was neither decompressed nor refused"))
}

/// How many times its length a compressed body mostly comes to at most.
const LIKELY_COMPRESSION: usize = 12;

async fn run_now(server: &Arc<Server>, job: Job, request: Request, wanted: Wanted) -> Result<HttpReply> {
    match dispatch::begin(server, job, request)? {
        Outcome::Done(response) => Ok(assemble(server, response, wanted)),
        Outcome::Continue(rest) => {
            let own = Arc::clone(server);
            on_pool(server, move || Ok(assemble(&own, rest()?, wanted))).await
        }
    }
}

/// Runs work on the pool and waits for it. Boxed, so that what most requests do not need does not make all of them
/// larger.
fn on_pool<'a, T: Send + 'static>(
    server: &'a Arc<Server>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>> {
    Box::pin(wait_for_pool(server, work))
}

async fn wait_for_pool<T: Send + 'static>(
    server: &Arc<Server>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, mut receiver) = oneshot::channel();
    let job = Box::new(move || {
        // Nobody listens any more when the client has gone.
        let _ = sender.send(work());
    });
    server.pool().submit(job).map_err(|_| queue_full())?;
    let mut patience = PATIENCE;
    loop {
        match tokio::time::timeout(patience, &mut receiver).await {
            Ok(Ok(done)) => return done,
            Ok(Err(_)) => return Err(ApiError::internal("the request ended without an answer")),
            Err(_) => {
                server.pool().relieve();
                patience = (patience * 2).min(MAX_PATIENCE);
            }
        }
    }
}

/// Longest time between two looks at whether the pool is stuck.
const MAX_PATIENCE: Duration = Duration::from_secs(1);

/// The reply as it goes on the connection: encoded, compressed if that is worth it, and with the common headers.
fn assemble(server: &Arc<Server>, response: Response, wanted: Wanted) -> HttpReply {
    let (response, encoded) = match response.encode(wanted.format) {
        Ok(encoded) => encoded,
        Err(error) => return assemble_plain(server, &error),
    };
    let Response { status, headers, body } = response;
    let mut all = server.base_headers().clone();
    let body = match (encoded, body) {
        (Some(encoded), _) => {
            all.extend(encoded.content_type.map(|value| (CONTENT_TYPE, value)));
            let is_compressed = headers.iter().any(|(name, _)| *name == CONTENT_ENCODING);
            ReplyBody::Whole(match is_compressed {
                true => encoded.bytes,
                false => compressed(server, encoded.bytes, wanted, &mut all),
            })
        }
        (None, Body::Stream { content_type, source }) => {
            all.insert(CONTENT_TYPE, content_type);
            ReplyBody::Stream(StreamBody::new(source, Arc::clone(server.pool())))
        }
        (None, _) => ReplyBody::Whole(Bytes::new()),
    };
    server.add_queue_time(&mut all);
    for (name, value) in headers {
        all.insert(name, value);
    }
    let mut reply = hyper::Response::new(body);
    *reply.status_mut() = status;
    *reply.headers_mut() = all;
    reply
}

/// The last resort, when not even the reply can be written.
fn assemble_plain(server: &Server, error: &ApiError) -> HttpReply {
    tracing::error!(%error, "a reply could not be written");
    let mut reply = hyper::Response::new(ReplyBody::Whole(Bytes::new()));
    *reply.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    *reply.headers_mut() = server.base_headers().clone();
    reply
}

fn compressed(server: &Server, bytes: Bytes, wanted: Wanted, headers: &mut HeaderMap) -> Bytes {
    let threshold = server.options().http.compress_response_threshold_bytes;
    let Some(encoding) = wanted.encoding.filter(|_| threshold > 0 && bytes.len() >= threshold) else {
        return bytes;
    };
    match compress(encoding, &bytes) {
        Ok(compressed) if compressed.len() < bytes.len() => {
            headers.insert(CONTENT_ENCODING, encoding.header());
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
            compressed.into()
        }
        _ => bytes,
    }
}
