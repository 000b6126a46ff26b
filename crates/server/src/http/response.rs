//! The response of a route: a status, headers, and a body as a value, bytes, a stream or deferred
//! work.

use std::sync::Arc;

use bytes::Bytes;
use database::Interrupt;
use errors::{Error, Result};
use hyper::StatusCode;
use hyper::header::{CONTENT_ENCODING, HeaderName, HeaderValue, VARY};
use smallvec::SmallVec;
use velocypack::{Builder, Slice, json, to_wire};

use super::compression::{Compressed, Encoding};
use super::content_type;
use super::fields::Fields;
use super::format::{self, Format};
use super::request::Request;
use super::stream::ChunkSource;
use super::stream::live::Live;
use super::waits::Readiness;
use crate::placement::Lane;

/// The response to a request.
#[derive(Debug)]
pub struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: SmallVec<[(HeaderName, HeaderValue); 2]>,
    pub(crate) body: Body,
}

/// The body of a response.
pub(crate) enum Body {
    /// No body.
    Empty,
    /// One value, written as JSON or passed on as VelocyPack, as the client accepts it.
    Value { bytes: Vec<u8>, collection: Option<Arc<str>> },
    /// Bytes that are ready to be sent.
    Bytes { content_type: HeaderValue, bytes: Bytes },
    /// Chunks that are made while they are sent.
    Stream { content_type: HeaderValue, source: Box<dyn ChunkSource> },
    /// Chunks that come when there is something new, without end.
    Live(Live),
    /// Deferred work that makes the response, status and headers included.
    Deferred(Rest),
}

/// The rest of a request's work. It makes the reply.
pub(crate) struct Rest {
    work: Box<dyn FnOnce() -> Result<Response> + Send>,
    login: Option<Box<str>>,
    interrupt: Option<Interrupt>,
    lane: Lane,
    readiness: Option<Readiness>,
}

impl Rest {
    fn new(work: impl FnOnce() -> Result<Response> + Send + 'static) -> Self {
        let (login, interrupt, lane) = (None, None, Lane::default());
        Rest { work: Box::new(work), login, interrupt, lane, readiness: None }
    }

    /// Returns work that `interrupt` ends if the client goes.
    pub(crate) fn interruptible(
        interrupt: Interrupt,
        work: impl FnOnce() -> Result<Response> + Send + 'static,
    ) -> Self {
        Rest { interrupt: Some(interrupt), ..Rest::new(work) }
    }

    /// Returns the same work on the threads of a lane.
    pub(crate) fn on(self, lane: Lane) -> Self {
        Rest { lane, ..self }
    }

    /// Returns the threads that the work needs.
    pub(crate) fn lane(&self) -> Lane {
        self.lane
    }

    /// Returns the same work, which begins once `readiness` completes. It waits for that without a
    /// thread.
    ///
    /// If the client goes, both are dropped. The work must wait by itself where it is run
    /// immediately: in a batch, a script or a job.
    pub(crate) fn when(self, readiness: Readiness) -> Self {
        Rest { readiness: Some(readiness), ..self }
    }

    /// Takes the future that completes when the work can begin, if it must wait without a thread.
    pub(crate) fn take_readiness(&mut self) -> Option<Readiness> {
        self.readiness.take()
    }

    /// Runs the work. The reply may be deferred again.
    pub(crate) fn run(self) -> Result<Response> {
        (self.work)()
    }

    /// Returns the name of the user whose password the work checks, if it checks one.
    pub(crate) fn login(&self) -> Option<&str> {
        self.login.as_deref()
    }

    /// Returns the interrupt that ends the work, if there is one.
    pub(crate) fn interrupt(&self) -> Option<&Interrupt> {
        self.interrupt.as_ref()
    }

    /// Returns the same work within a call of `run`.
    pub(crate) fn within(
        self,
        run: impl FnOnce(Box<dyn FnOnce() -> Result<Response> + Send>) -> Result<Response> + Send + 'static,
    ) -> Self {
        let Rest { work, login, interrupt, lane, readiness } = self;
        Rest { work: Box::new(move || run(work)), login, interrupt, lane, readiness }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Body::Empty => formatter.write_str("Empty"),
            Body::Value { bytes, .. } => formatter.debug_tuple("Value").field(&Slice::new(bytes)).finish(),
            Body::Bytes { bytes, .. } => formatter.debug_tuple("Bytes").field(&bytes.len()).finish(),
            Body::Stream { .. } => formatter.write_str("Stream"),
            Body::Live(_) => formatter.write_str("Live"),
            Body::Deferred(_) => formatter.write_str("Deferred"),
        }
    }
}

impl Response {
    /// Returns a response without a body.
    pub fn empty(status: StatusCode) -> Self {
        Self::new(status, Body::Empty)
    }

    /// Returns one VelocyPack value without `_id` markers.
    pub fn value(status: StatusCode, bytes: Vec<u8>) -> Self {
        Self::new(status, Body::Value { bytes, collection: None })
    }

    /// Returns one stored document, whose `_id` is built from `collection`.
    pub fn document(status: StatusCode, bytes: Vec<u8>, collection: Arc<str>) -> Self {
        Self::new(status, Body::Value { bytes, collection: Some(collection) })
    }

    /// Returns an object of a few attributes, which `fill` adds.
    pub fn object(status: StatusCode, fill: impl FnOnce(&mut Fields<'_>)) -> Result<Self> {
        Ok(Self::value(status, Fields::object(fill)?))
    }

    /// Returns ArangoDB's envelope of success: `error`, `code`, and the attributes that `fill`
    /// adds.
    pub fn success(status: StatusCode, fill: impl FnOnce(&mut Fields<'_>)) -> Result<Self> {
        Self::object(status, |fields| {
            fields.bool("error", false).number("code", status.as_u16());
            fill(fields);
        })
    }

    /// Returns JSON that the route has written itself.
    pub fn json(status: StatusCode, bytes: impl Into<Bytes>) -> Self {
        Self::bytes(status, content_type::JSON, bytes)
    }

    /// Returns bytes that are ready to be sent.
    pub fn bytes(status: StatusCode, content_type: HeaderValue, bytes: impl Into<Bytes>) -> Self {
        Self::new(status, Body::Bytes { content_type, bytes: bytes.into() })
    }

    /// Returns bytes that the route has already encoded in the accepted format.
    pub fn encoded(status: StatusCode, format: Format, bytes: impl Into<Bytes>) -> Self {
        Self::bytes(status, format::content_type(format), bytes)
    }

    /// Returns a stream: the worker pool makes chunks while they are sent, as fast as the client
    /// reads them.
    pub fn stream(status: StatusCode, content_type: HeaderValue, source: Box<dyn ChunkSource>) -> Self {
        Self::new(status, Body::Stream { content_type, source })
    }

    /// Returns a stream that is compressed with the best encoding that the client accepts.
    pub fn compressed_stream(
        request: &Request,
        content_type: HeaderValue,
        source: Box<dyn ChunkSource>,
    ) -> Result<Self> {
        let Some(encoding) = Encoding::accepted_for_stream(request.headers()) else {
            return Ok(Self::stream(StatusCode::OK, content_type, source));
        };
        let response =
            Self::stream(StatusCode::OK, content_type, Box::new(Compressed::new(source, encoding)?));
        let vary = HeaderValue::from_static("accept-encoding");
        Ok(response.header(CONTENT_ENCODING, encoding.header()).header(VARY, vary))
    }

    /// Returns a reply without end.
    pub(crate) fn live(live: Live) -> Self {
        Self::new(StatusCode::OK, Body::Live(live))
    }

    /// Waits on the calling thread for the end of a reply that comes with time.
    ///
    /// Errors: those of [`Live::whole`].
    pub(crate) fn whole(self, interrupt: &Interrupt) -> Result<Self> {
        match self.body {
            Body::Live(live) => Ok(Self::json(self.status, live.whole(interrupt)?)),
            body => Ok(Response { body, ..self }),
        }
    }

    /// Returns work that would wait or take long. It runs on the worker pool and makes the
    /// response.
    pub fn deferred(rest: impl FnOnce() -> Result<Response> + Send + 'static) -> Self {
        Self::rest(Rest::new(rest))
    }

    /// Returns work of a stream transaction, which waits without a thread; see [`Rest::when`].
    pub(crate) fn when_ready(
        readiness: Readiness,
        rest: impl FnOnce() -> Result<Response> + Send + 'static,
    ) -> Self {
        Self::rest(Rest::new(rest).on(Lane::Transactions).when(readiness))
    }

    /// Returns work of a sign-in, which waits without a thread.
    pub(crate) fn when_fetched(
        readiness: Readiness,
        rest: impl FnOnce() -> Result<Response> + Send + 'static,
    ) -> Self {
        Self::rest(Rest::new(rest).on(Lane::Control).when(readiness))
    }

    /// Returns work for the worker pool that `interrupt` ends if the client goes.
    pub fn interruptible(
        interrupt: Interrupt,
        rest: impl FnOnce() -> Result<Response> + Send + 'static,
    ) -> Self {
        Self::rest(Rest::interruptible(interrupt, rest))
    }

    /// Returns a check of a user's password. It waits for its admission and then runs on the worker
    /// pool.
    pub fn deferred_login(user: &str, rest: impl FnOnce() -> Result<Response> + Send + 'static) -> Self {
        Self::rest(Rest { login: Some(user.into()), ..Rest::new(rest) })
    }

    /// Returns the rest of a request's work as its reply.
    pub(crate) fn rest(rest: Rest) -> Self {
        Self::new(StatusCode::OK, Body::Deferred(rest))
    }

    /// Returns the response, or the deferred work if there is none yet.
    #[allow(
        clippy::result_large_err,
        reason = "moved once, and nearly all are replies: not worth an allocation"
    )]
    pub(crate) fn finished(self) -> std::result::Result<Response, Rest> {
        match self.body {
            Body::Deferred(rest) => Err(rest),
            _ => Ok(self),
        }
    }

    /// Returns the response, after all deferred work is done.
    pub(crate) fn finish(self) -> Result<Response> {
        match self.finished() {
            Ok(response) => Ok(response),
            Err(rest) => rest.run()?.finish(),
        }
    }

    fn new(status: StatusCode, body: Body) -> Self {
        Response { status, headers: SmallVec::new(), body }
    }

    /// Returns the response with one more header.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Returns the response with one more header. A character that a header cannot hold is an
    /// internal error.
    pub fn text_header(self, name: &'static str, value: &str) -> Result<Self> {
        let value = HeaderValue::from_str(value).map_err(Error::internal)?;
        Ok(self.header(HeaderName::from_static(name), value))
    }

    /// Returns the response without its body, as a client gets it that sent HEAD.
    pub(crate) fn without_body(self) -> Self {
        Response { body: Body::Empty, ..self }
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the encoded body and its content type; `None` for a stream.
    pub(crate) fn encode(self, format: Format) -> Result<(Self, Option<Encoded>)> {
        let Response { status, headers, body } = self;
        let encoded = match body {
            Body::Empty => Encoded { content_type: None, bytes: Bytes::new() },
            Body::Value { bytes, collection } => {
                let bytes = encode_value(&bytes, collection.as_deref(), format)?;
                Encoded { content_type: Some(format::content_type(format)), bytes }
            }
            Body::Bytes { content_type, bytes } => Encoded { content_type: Some(content_type), bytes },
            Body::Deferred(rest) => return rest.run()?.encode(format),
            body @ (Body::Stream { .. } | Body::Live(_)) => {
                return Ok((Response { status, headers, body }, None));
            }
        };
        Ok((Response { status, headers, body: Body::Empty }, Some(encoded)))
    }
}

/// A body that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// `None` for a response without a body.
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) bytes: Bytes,
}

fn encode_value(bytes: &[u8], collection: Option<&str>, format: Format) -> Result<Bytes> {
    let value = Slice::new(bytes);
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 2);
    match format {
        Format::Json => json::write(value, collection, &mut out),
        Format::VelocyPack => to_wire(value, collection, &mut out)?,
    }
    Ok(out.into())
}

/// Turns a builder whose values are closed into a response with its bytes.
impl From<Builder> for Response {
    fn from(builder: Builder) -> Self {
        Response::value(StatusCode::OK, builder.into_vec())
    }
}
