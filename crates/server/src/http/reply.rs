//! Replies on a connection: encoded, compressed if worthwhile, and with the common headers.

use std::sync::Arc;

use bytes::Bytes;
use errors::{Error, Result};
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, EXPIRES, HeaderMap, HeaderName,
    HeaderValue, PRAGMA, SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY, VARY, X_CONTENT_TYPE_OPTIONS,
};

use super::body::ReplyBody;
use super::compression::{Encoding, compress};
use super::format::Format;
use super::options::HttpOptions;
use super::reply_memory::ReplyMemory;
use super::response::{Body, Response};
use super::stream::{StreamBody, Threads};
use crate::placement::pool::{User, WorkerPool};

/// The current wait for a thread in a reply; the longest wait that the client accepts in a request.
pub(crate) const QUEUE_TIME: HeaderName = HeaderName::from_static("x-arango-queue-time-seconds");

/// A reply on the connection.
pub(crate) type HttpReply = hyper::Response<ReplyBody>;

/// The properties of a request that its reply depends on.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) format: Format,
    pub(crate) encoding: Option<Encoding>,
}

/// The builder of the server's replies.
pub(crate) struct Replies {
    base_headers: HeaderMap,
    pool: Arc<WorkerPool>,
    compress_threshold_bytes: usize,
    says_queue_time: bool,
    memory: ReplyMemory,
}

impl Replies {
    pub(crate) fn new(options: &HttpOptions, pool: Arc<WorkerPool>, memory: ReplyMemory) -> Self {
        Replies {
            base_headers: base_headers(),
            pool,
            compress_threshold_bytes: options.compress_response_threshold_bytes,
            says_queue_time: options.return_queue_time_header,
            memory,
        }
    }

    /// Returns a reply with status 200, the common headers and no body.
    pub(crate) fn empty(&self) -> HttpReply {
        let mut reply = hyper::Response::new(ReplyBody::Whole(Bytes::new()));
        *reply.headers_mut() = self.base_headers.clone();
        reply
    }

    /// Returns true if slow clients take memory from others.
    pub(crate) fn is_memory_scarce(&self) -> bool {
        self.memory.is_scarce()
    }

    /// Returns the reply to a request of a user.
    pub(crate) fn assemble(&self, response: Response, wanted: Wanted, user: &User) -> HttpReply {
        match self.try_assemble(response, wanted, user) {
            Ok(reply) => reply,
            // The reply of an error is short.
            Err(error) => match self.try_assemble(error.into(), wanted, user) {
                Ok(reply) => reply,
                Err(error) => self.assemble_plain(&error),
            },
        }
    }

    fn try_assemble(&self, response: Response, wanted: Wanted, user: &User) -> Result<HttpReply> {
        let (response, encoded) = response.encode(wanted.format)?;
        let Response { status, headers, body } = response;
        let mut all = self.base_headers.clone();
        let body = match (encoded, body) {
            (Some(encoded), _) => {
                all.extend(encoded.content_type.map(|value| (CONTENT_TYPE, value)));
                let is_compressed = headers.iter().any(|(name, _)| *name == CONTENT_ENCODING);
                let bytes = match is_compressed {
                    true => encoded.bytes,
                    false => self.compressed(encoded.bytes, wanted, &mut all),
                };
                ReplyBody::Whole(self.memory.hold(bytes)?)
            }
            (None, Body::Stream { content_type, source }) => {
                all.insert(CONTENT_TYPE, content_type);
                let memory = self.memory.of_stream()?;
                let threads = Threads { pool: Arc::clone(&self.pool), user: user.clone() };
                ReplyBody::Stream(StreamBody::new(source, threads, Some(memory)))
            }
            (None, Body::Live(live)) => {
                all.insert(CONTENT_TYPE, live.content_type.clone());
                let threads = Threads { pool: Arc::clone(&self.pool), user: user.clone() };
                ReplyBody::Live(live.start(threads, self.memory.clone()))
            }
            (None, _) => ReplyBody::Whole(Bytes::new()),
        };
        self.add_queue_time(&mut all);
        for (name, value) in headers {
            // A reply may set several cookies, and has one of every other header.
            match name == SET_COOKIE {
                true => drop(all.append(name, value)),
                false => drop(all.insert(name, value)),
            }
        }
        let mut reply = hyper::Response::new(body);
        *reply.status_mut() = status;
        *reply.headers_mut() = all;
        Ok(reply)
    }

    /// Returns the last resort: an error reply when the real one could not be encoded.
    fn assemble_plain(&self, error: &Error) -> HttpReply {
        tracing::error!(%error, "cannot write a reply");
        let mut reply = self.empty();
        *reply.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        reply
    }

    fn compressed(&self, bytes: Bytes, wanted: Wanted, headers: &mut HeaderMap) -> Bytes {
        let threshold = self.compress_threshold_bytes;
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

    /// Adds the time that requests wait for a thread, in seconds with milliseconds.
    fn add_queue_time(&self, headers: &mut HeaderMap) {
        if !self.says_queue_time {
            return;
        }
        let milliseconds = self.pool.last_wait_us() / 1_000;
        if milliseconds == 0 {
            headers.insert(QUEUE_TIME, HeaderValue::from_static("0.000"));
        } else if let Ok(value) =
            HeaderValue::try_from(format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000))
        {
            headers.insert(QUEUE_TIME, value);
        }
    }
}

/// Returns the headers of every reply, which ArangoDB's clients and browsers expect.
fn base_headers() -> HeaderMap {
    let headers = [
        (SERVER, "ArangoDB"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            CACHE_CONTROL,
            "no-cache, no-store, must-revalidate, pre-check=0, post-check=0, max-age=0, s-maxage=0",
        ),
        (PRAGMA, "no-cache"),
        (EXPIRES, "0"),
        (CONTENT_SECURITY_POLICY, "frame-ancestors 'self'; form-action 'self';"),
        (STRICT_TRANSPORT_SECURITY, "max-age=31536000 ; includeSubDomains"),
    ];
    // Room for the headers that every reply adds, so that its copy does not grow.
    let mut all = HeaderMap::with_capacity(16);
    for (name, value) in headers {
        all.insert(name, HeaderValue::from_static(value));
    }
    all
}
