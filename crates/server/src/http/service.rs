//! One request from its head to the head of its reply.
//!
//! authenticate → find the route → collect the body → run the route (here, or on the worker pool) → encode the reply.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use tokio::sync::oneshot;

use super::body::{ReplyBody, collect, drain};
use super::compression::{Encoding, compress, decompress};
use super::connection::Connection;
use super::format::{self, Format};
use super::path::{Path, PathError};
use super::request::Request;
use super::response::{Body, Response};
use super::router::{Access, Action, Found, Outcome, Route, Verb};
use super::stream::StreamBody;
use super::worker_pool::PATIENCE;
use super::{cors, upgrade};
use crate::auth::{Look, not_authorized};
use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::jobs;
use crate::log;
use crate::metrics::Observed;
use crate::server::Server;
use crate::session::Session;
use database::Identity;

/// Most bytes of an address; ArangoDB's 16K.
pub const MAX_URI_BYTES: usize = 16 << 10;

/// `true`: run the request later and forget its reply; `store`: keep the reply until it is fetched.
const ASYNC: HeaderName = HeaderName::from_static("x-arango-async");
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
        match upgrade::Wish::of(&request) {
            Some(wish) => Box::pin(upgrade::accept(&server, &connection, request, wish)).await,
            None => answer_method(&server, &connection, request, &mut observed).await,
        }
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
    if head.uri.path_and_query().is_some_and(|target| target.as_str().len() > MAX_URI_BYTES) {
        return Err(ApiError::with_status(
            414,
            number::HTTP_BAD_PARAMETER,
            "the address is longer than 16 KiB",
        ));
    }
    let path = Path::parse(head.uri.clone()).map_err(|error| wrong_path(error, &head))?;
    let verb = Verb::of(&head.method).ok_or_else(|| method_not_allowed(&head.method))?;
    let (route, matched) = match server.router().find(verb, &path) {
        Found::Route(route, matched) => (*route, matched),
        found => {
            let error = no_route(&found, &path);
            // Who may not ask does not learn what there is.
            authenticate(server, &head).await?;
            return Err(error);
        }
    };
    let job = prepare(server, route, &path, &head, observed).await?;
    let body = match body.take() {
        Some(body) => collect(body, server.options().http.max_body_bytes).await?,
        None => Bytes::new(),
    };
    observed.received(body.len());
    let body = decompressed(server, &head.headers, body).await?;
    let later = head.headers.get(ASYNC).map(AsyncMode::of).transpose()?.flatten();
    let request = Request {
        method: head.method,
        uri: head.uri,
        path,
        matched,
        headers: head.headers,
        body,
        accepted: wanted.format,
        client: connection.client,
    };
    match later {
        Some(mode) => run_later(server, job, request, mode, wanted, observed),
        None => run_now(server, job, request, wanted).await,
    }
}

/// What `x-arango-async` asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AsyncMode {
    Forget,
    Store,
}

impl AsyncMode {
    fn of(value: &HeaderValue) -> Result<Option<Self>> {
        match value.as_bytes() {
            b"true" => Ok(Some(AsyncMode::Forget)),
            b"store" => Ok(Some(AsyncMode::Store)),
            // ArangoDB takes every other text for "no".
            _ => Ok(None),
        }
    }
}

/// A route with whom it runs for.
#[derive(Clone)]
enum Job {
    Open(crate::http::router::OpenHandler, bool),
    User(Action, Session),
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
    match route.action {
        Action::Open(handler) => return Ok(Job::Open(handler, false)),
        Action::OpenPool(handler) => return Ok(Job::Open(handler, true)),
        _ => {}
    }
    let identity = authenticate(server, head).await?;
    let instance = Arc::clone(server.instance());
    let inner = database::Session::open(instance, path.database(), identity).map_err(hide_forbidden)?;
    observed.set_user(inner.user());
    if route.system_only && !inner.is_system_database() {
        return Err(ApiError::of(number::USE_SYSTEM_DATABASE));
    }
    match route.access {
        Access::Use => {}
        Access::Write => inner.require_database(catalog::AccessLevel::ReadWrite)?,
        Access::Administer => inner.require_administrator()?,
    }
    Ok(Job::User(route.action, Session::new(Arc::clone(server), inner)))
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

/// ArangoDB answers 401, not 403, to a user who may not use the database at all.
fn hide_forbidden(error: impl Into<ApiError>) -> ApiError {
    let error = error.into();
    if error.number() == number::FORBIDDEN {
        return ApiError::with_status(401, number::FORBIDDEN, "not authorized to execute this request");
    }
    error
}

/// A client that would rather have no answer than wait for it says how long it waits.
fn check_queue_time(server: &Server, headers: &HeaderMap) -> Result<()> {
    let Some(limit) = headers.get(QUEUE_TIME).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let limit_seconds: f64 = limit.trim().parse().unwrap_or(0.0);
    let wait_seconds = server.pool().last_wait_us() as f64 / 1e6;
    if limit_seconds > 0.0 && wait_seconds > limit_seconds && server.pool().queue_length() > 0 {
        return Err(ApiError::of(number::QUEUE_TIME_VIOLATED).status(412));
    }
    Ok(())
}

async fn decompressed(server: &Arc<Server>, headers: &HeaderMap, body: Bytes) -> Result<Bytes> {
    if !headers.contains_key(CONTENT_ENCODING) || body.is_empty() {
        return Ok(body);
    }
    let max_bytes = server.options().http.max_body_bytes;
    let mut encoding = HeaderMap::new();
    encoding.extend(headers.get(CONTENT_ENCODING).map(|value| (CONTENT_ENCODING, value.clone())));
    on_pool(server, move || decompress(&encoding, body, max_bytes)).await
}

async fn run_now(server: &Arc<Server>, job: Job, request: Request, wanted: Wanted) -> Result<HttpReply> {
    if let Job::User(Action::Start(handler), session) = &job {
        let context = log_context(server, &job, &request);
        let begun = log::within(context.clone(), || guarded(|| handler(session, &request)))?;
        return match begun {
            Outcome::Done(response) => Ok(assemble(server, response, wanted)),
            Outcome::Continue(rest) => {
                let own = Arc::clone(server);
                let run = move || Ok(assemble(&own, log::within(context, || guarded(rest))?, wanted));
                on_pool(server, run).await
            }
        };
    }
    if matches!(job, Job::Open(_, false) | Job::User(Action::Inline(_), _)) {
        return Ok(assemble(server, run_blocking(server, &job, &request)?, wanted));
    }
    let own = Arc::clone(server);
    on_pool(server, move || Ok(assemble(&own, run_blocking(&own, &job, &request)?, wanted))).await
}

/// Runs a route to its end on the thread that calls.
fn run_blocking(server: &Arc<Server>, job: &Job, request: &Request) -> Result<Response> {
    log::within(log_context(server, job, request), || guarded(|| run_route(server, job, request)))
}

/// What the log says about the request, if it is to say anything.
fn log_context(server: &Server, job: &Job, request: &Request) -> Option<log::Context> {
    server.log().shows_any().then(|| {
        let user = match job {
            Job::Open(..) => None,
            Job::User(_, session) => session.user(),
        };
        let user = user.map_or_else(String::new, |user| user.to_string());
        log::Context { values: [request.database().to_owned(), user, request.uri().to_string()] }
    })
}

fn run_route(server: &Arc<Server>, job: &Job, request: &Request) -> Result<Response> {
    match job {
        Job::Open(handler, _) => handler(server, request),
        Job::User(action, session) => match action {
            Action::Inline(handler) | Action::Pool(handler) => handler(session, request),
            Action::Start(handler) => match handler(session, request)? {
                Outcome::Done(response) => Ok(response),
                Outcome::Continue(rest) => rest(),
            },
            Action::Open(handler) | Action::OpenPool(handler) => handler(server, request),
        },
    }
}

/// Puts a request aside and answers at once.
fn run_later(
    server: &Arc<Server>,
    job: Job,
    request: Request,
    mode: AsyncMode,
    wanted: Wanted,
    observed: &mut Observed,
) -> Result<HttpReply> {
    observed.set_async();
    let own = Arc::clone(server);
    let run = move || run_blocking(&own, &job, &request).unwrap_or_else(ApiError::into_response);
    let accepted = Response::empty(StatusCode::ACCEPTED);
    let (work, accepted): (crate::http::worker_pool::Job, _) = match mode {
        AsyncMode::Forget => (Box::new(move || drop(run())), accepted),
        AsyncMode::Store => {
            let pending = server.jobs().start(observed.user())?;
            let accepted = accepted.header(jobs::ASYNC_ID, pending.header());
            (Box::new(move || pending.run(run)), accepted)
        }
    };
    server.pool().submit(work).map_err(|_| queue_full())?;
    Ok(assemble(server, accepted, wanted))
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

/// A panic in a route costs the request and nothing else.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        tracing::error!(target: "crash", "a request ended with a panic: {text}");
        Err(ApiError::internal("a panic; the log says more"))
    })
}

fn queue_full() -> ApiError {
    ApiError::of(number::QUEUE_FULL).status(503)
}

fn wrong_path(error: PathError, head: &Parts) -> ApiError {
    let reason = match error {
        PathError::Malformed => "is not well-formed",
        PathError::TooLong => "has too many parts",
    };
    ApiError::new(number::HTTP_BAD_PARAMETER, format!("the path '{}' {reason}", head.uri.path()))
}

fn method_not_allowed(method: &Method) -> ApiError {
    let known =
        matches!(*method, Method::OPTIONS | Method::TRACE | Method::CONNECT) || Verb::of(method).is_some();
    let message = if known { "method not supported" } else { "unknown method" };
    ApiError::new(number::HTTP_METHOD_NOT_ALLOWED, message)
}

/// 405 for a path with other methods and 404 for a path without any.
fn no_route(found: &Found<'_>, path: &Path) -> ApiError {
    match found {
        Found::OtherMethods => ApiError::of(number::HTTP_METHOD_NOT_ALLOWED),
        _ => ApiError::new(number::HTTP_NOT_FOUND, format!("unknown path '{path}'")),
    }
}

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
            ReplyBody::Whole(compressed(server, encoded.bytes, wanted, &mut all))
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
