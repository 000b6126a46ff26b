//! One request, from its head to the head of its reply.
//!
//! Its steps: find the route, authenticate (`admission`), collect and decompress the body
//! (`decompressed`), run the route here or on the worker pool (`run`), and encode the reply.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use database::Budget;
use errors::{Error, ErrorCode, Result};
use hyper::body::Body as _;
use hyper::header::{CONNECTION, CONTENT_LENGTH, EXPECT, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Version};
use traces::{Span, Tracer};

use super::api_version::{self, ApiVersion};
use super::body::{
    Collected, DRAIN_MAX_BYTES, DRAIN_TOO_LONG_MAX_BYTES, ReplyBody, RequestBody, collect, drain,
};
use super::body_memory::BodyMemory;
use super::compression::Encoding;
use super::connections::{Connection, Connections};
use super::cors;
use super::dispatch::{Dispatcher, TRANSACTION, parse_path};
use super::following;
use super::format;
use super::forward::{Forwarder, HomeServer};
use super::metrics::Metrics;
use super::observed::Observed;
use super::options::HttpOptions;
use super::path::{Path, path_in_database};
use super::reply::{HttpReply, Replies, Wanted};
use super::reply_memory::ReplyMemory;
use super::request::Request;
use super::services::AsyncMode;
use crate::placement::logins::Logins;
use crate::placement::{Lane, Lanes};

/// The header of a caller that traces its requests, by W3C Trace Context.
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The time for the short body of a client without a user.
const OPEN_BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The state that all connections share.
pub(crate) struct HttpService {
    pub(super) options: HttpOptions,
    pub(super) dispatcher: Dispatcher,
    pub(super) lanes: Arc<Lanes>,
    pub(super) connections: Arc<Connections>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) replies: Arc<Replies>,
    pub(super) body_memory: Arc<BodyMemory>,
    pub(super) logins: Arc<Logins>,
    pub(super) tracer: Option<Arc<Tracer>>,
    pub(super) forwarder: Arc<Forwarder>,
}

/// The parts that the service shares with the rest of the server.
pub(crate) struct SharedParts {
    pub(crate) lanes: Arc<Lanes>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) logins: Arc<Logins>,
    pub(crate) tracer: Option<Arc<Tracer>>,
    pub(crate) forwarder: Arc<Forwarder>,
}

impl HttpService {
    pub(crate) fn new(options: HttpOptions, dispatcher: Dispatcher, parts: SharedParts) -> Self {
        let SharedParts { lanes, connections, metrics, logins, tracer, forwarder } = parts;
        let reply_memory = ReplyMemory::new(dispatcher.services().work_memory());
        HttpService {
            dispatcher,
            connections,
            metrics,
            replies: Arc::new(Replies::new(&options, Arc::clone(&lanes.requests), reply_memory)),
            lanes,
            body_memory: BodyMemory::new(options.request_memory_bytes),
            logins,
            tracer,
            options,
            forwarder,
        }
    }

    pub(crate) fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// Returns the open connections.
    pub(crate) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Returns the metrics of requests and connections.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Looks after the connections once a second. Returns the bytes received and sent since the
    /// last call.
    pub(crate) fn tick(&self) -> (u64, u64) {
        self.connections.tick(self.options.keep_alive, self.replies.is_memory_scarce())
    }

    /// Answers one request. It never fails, since an error is also an answer.
    pub(crate) async fn answer(
        &self,
        connection: &Connection,
        mut request: hyper::Request<RequestBody>,
    ) -> HttpReply {
        let begin = Instant::now();
        let version = api_version::take(request.uri_mut());
        if version != ApiVersion::default() {
            request.extensions_mut().insert(version);
        }
        let in_flight = connection.begin_request();
        let mut observed = Observed::new(request.method(), request.version());
        observed.span = self.begin_span(connection, &request);
        let allows_dirty_read = following::allows_dirty_read(request.headers());
        let is_head = request.method() == Method::HEAD;
        let is_http1 = request.version() < Version::HTTP_2;
        let origin = request.headers().contains_key(ORIGIN).then(|| request.headers().clone());
        let mut reply = if request.method() == Method::OPTIONS {
            self.preflight(request.headers())
        } else {
            self.answer_method(connection, request, &mut observed).await
        };
        let dirty = (allows_dirty_read, observed.reads_replicas);
        following::add_headers(self.dispatcher.instance(), dirty, &mut reply);
        if let Some(headers) = &origin {
            cors::add_headers(headers, &self.options.trusted_origins, reply.headers_mut());
        }
        let sent = reply.body().size_hint().exact();
        self.metrics.record(&observed, reply.status(), sent, begin.elapsed());
        end_span(observed.span.take(), reply.status());
        if is_head {
            leave_out_body(&mut reply, sent);
        } else if reply.status() == StatusCode::NOT_MODIFIED && is_http1 {
            // Some clients wait for a body without a length.
            reply.headers_mut().insert(CONTENT_LENGTH, 0.into());
            *reply.body_mut() = ReplyBody::Nothing;
        }
        if is_http1 && connection.is_draining() {
            reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        drop(in_flight);
        reply
    }

    /// Begins the span of a request, if it is traced.
    fn begin_span(&self, connection: &Connection, request: &hyper::Request<RequestBody>) -> Option<Span> {
        let caller = request.headers().get(TRACE_PARENT).and_then(|value| value.to_str().ok());
        let mut span = self.tracer.as_ref()?.begin(caller, "HTTP")?;
        span.set_name(request.method().to_string());
        span.set("http.request.method", request.method().as_str());
        span.set("url.path", request.uri().path());
        if let Some(client) = connection.client {
            span.set("client.address", client.ip().to_string().as_str());
        }
        Some(span)
    }

    fn preflight(&self, headers: &HeaderMap) -> HttpReply {
        let mut reply = self.replies.empty();
        cors::preflight(headers, &self.options.trusted_origins, reply.headers_mut());
        reply
    }

    async fn answer_method(
        &self,
        connection: &Connection,
        request: hyper::Request<RequestBody>,
        observed: &mut Observed,
    ) -> HttpReply {
        let (head, body) = request.into_parts();
        // A client that waits for "100 Continue" sends no body after another answer.
        let may_drain = !head.headers.contains_key(EXPECT);
        let mut body = Some(body);
        let compresses = self.options.compress_response_threshold_bytes > 0;
        let encoding = compresses.then(|| Encoding::accepted(&head.headers)).flatten();
        let wanted = Wanted { format: format::accepted(&head.headers), encoding };
        match self.run(connection, head, &mut body, wanted, observed).await {
            Ok(reply) => reply,
            Err(error) => {
                if let Some(body) = body.filter(|_| may_drain) {
                    let is_too_long = error.status() == 413;
                    drain(body, if is_too_long { DRAIN_TOO_LONG_MAX_BYTES } else { DRAIN_MAX_BYTES }).await;
                }
                self.replies.assemble(error.into(), wanted, &None)
            }
        }
    }

    /// Runs the steps that may fail. It takes the body when it needs it.
    async fn run(
        &self,
        connection: &Connection,
        mut head: Parts,
        body: &mut Option<RequestBody>,
        wanted: Wanted,
        observed: &mut Observed,
    ) -> Result<HttpReply> {
        let path = parse_path(&head.uri)?;
        let (route, matched) = match self.dispatcher.find_route(&head.method, &path) {
            Ok(found) => found,
            Err(error) => {
                return self.run_unknown(connection, (&head, &path), body, wanted, observed, error).await;
            }
        };
        if let Some(span) = &mut observed.span {
            span.set_name(format!("{} {}", head.method, route.pattern));
        }
        observed.reads_replicas = route.reads_replicas && !head.headers.contains_key(TRANSACTION);
        observed.note("http.route", route.pattern);
        observed.note("db.namespace", path.database());
        let home = self.dispatcher.home_server(&route, matched, &path, (&head.uri, &head.headers));
        let job = self.prepare(connection, route, &path, &mut head, observed).await?;
        let job = job.traced(observed.span.as_ref().and_then(Span::trace));
        let parts = [head.method.as_str(), path_in_database(&head.uri), path.database()];
        self.dispatcher.services().record(parts);
        let max_bytes = job.max_body_bytes(self.options.max_body_bytes);
        let body = match body.as_mut() {
            Some(body) => {
                let collected = collect(body, max_bytes, &self.body_memory, connection);
                match job.is_open() {
                    true => within(OPEN_BODY_TIMEOUT, collected).await?,
                    false => collected.await?,
                }
            }
            None => Collected::default(),
        };
        observed.received(body.bytes.len());
        if let HomeServer::Other { this, address } = home
            && let Some(address) = self.lanes.pool(Lane::Control).run(&None, address).await?
        {
            return self.forwarder.forward(&address, &this, &head, body).await;
        }
        let user = job.user().cloned();
        let Collected { bytes, memory } = self.decompressed(&user, &head.headers, body, max_bytes).await?;
        let later = AsyncMode::of(&head.headers).filter(|_| !job.is_open());
        let request = Request {
            method: head.method,
            uri: head.uri,
            path,
            matched,
            headers: head.headers,
            body: bytes,
            accepted: wanted.format,
            client: connection.client,
            server: connection.server,
            api_version: head.extensions.get().copied().unwrap_or_default(),
            budget: Budget::UNLIMITED,
            memory: memory.map(|body| Arc::new(self.request_memory(body))),
        };
        match later {
            Some(mode) => {
                observed.set_async();
                let accepted = self.dispatcher.run_later(job, request, mode)?;
                Ok(self.replies.assemble(accepted, wanted, &user))
            }
            None => self.run_now(connection, job, request, wanted).await,
        }
    }

    /// Answers a request without a route. A client without access must not learn which routes
    /// exist, and an unknown database comes before an unknown route.
    async fn run_unknown(
        &self,
        connection: &Connection,
        (head, path): (&Parts, &Path),
        body: &mut Option<RequestBody>,
        wanted: Wanted,
        observed: &mut Observed,
        error: Error,
    ) -> Result<HttpReply> {
        let identity = self.authenticate(connection, head).await?;
        self.dispatcher.check_database(path.database(), identity.clone())?;
        let Some(mode) = AsyncMode::of(&head.headers) else { return Err(error) };
        if let Some(body) = body.take() {
            drain(body, DRAIN_MAX_BYTES).await;
        }
        observed.set_async();
        Ok(self.replies.assemble(self.dispatcher.fail_later(&identity, error, mode)?, wanted, &None))
    }
}

/// Ends the span of a request with its status. A reply's body may follow later.
fn end_span(span: Option<Span>, status: StatusCode) {
    let Some(mut span) = span else { return };
    span.set("http.response.status_code", u64::from(status.as_u16()));
    if status.is_server_error() {
        span.fail(status.canonical_reason().unwrap_or_default());
    }
}

/// Leaves out the body, and says how long it is.
///
/// HTTP/2 would send an empty frame for it.
fn leave_out_body(reply: &mut HttpReply, bytes: Option<u64>) {
    if let Some(bytes) = bytes {
        reply.headers_mut().insert(CONTENT_LENGTH, bytes.into());
    }
    *reply.body_mut() = ReplyBody::Whole(Bytes::new());
}

/// Waits for the body of a request for at most so long. Errors: 408, and those of the body.
async fn within(timeout: Duration, collected: impl Future<Output = Result<Collected>>) -> Result<Collected> {
    let late = |_| Error::new(ErrorCode::HttpRequestTimeout, "the request body did not arrive in time");
    tokio::time::timeout(timeout, collected).await.map_err(late)?
}
