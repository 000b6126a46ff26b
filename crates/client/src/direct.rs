//! One request to addresses that the caller has resolved and checked.
//!
//! Nothing here resolves names, follows redirects, retries, or keeps connections. One deadline
//! holds for the whole.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use hyper::body::{Body, Incoming};
use hyper::header::{HOST, HeaderName, HeaderValue, RETRY_AFTER};

use crate::connection::{Connection, Stop, Upload, reason};
use crate::error::{Error, Result};
use crate::options::TlsOptions;
use crate::socket::Socket;
use crate::tls::Tls;

/// Bytes of a reply's head, and of its body, that are read at most.
const HEAD_MAX_BYTES: usize = 64 << 10;
const BODY_MAX_BYTES: usize = 64 << 10;
/// The time in which the rest of a reply may come after its head.
const BODY_PATIENCE: Duration = Duration::from_secs(1);

/// Sends requests to addresses that are known. Threads share it.
///
/// Certificates must be signed by an authority that the system trusts.
#[derive(Debug, Default)]
pub struct DirectClient {
    tls: Mutex<Option<Tls>>,
}

/// A POST request.
#[derive(Clone, Debug)]
pub struct DirectRequest<'a> {
    /// The name that the certificate must have.
    pub host: &'a str,
    /// The value of the header `host`.
    pub authority: &'a str,
    /// The addresses to try, in this order.
    pub addresses: &'a [SocketAddr],
    /// True for TLS.
    pub is_encrypted: bool,
    /// Path and query string.
    pub target: &'a str,
    /// Names and values of the headers, without `host` and `content-length`.
    pub headers: &'a [(String, String)],
    /// The body.
    pub body: Bytes,
    /// The end of all attempts.
    pub deadline: Instant,
    /// The flag that ends the request within milliseconds once it is connected.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// The head of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectReply {
    /// The status.
    pub status: u16,
    /// The header `retry-after`, if it is text.
    pub retry_after: Option<String>,
}

impl DirectClient {
    /// Sends a request and reads the head of its reply. The connection is closed afterwards; at
    /// most 64 KiB of the body are read before, so that a short one arrives as a whole.
    ///
    /// Errors: those of the connection, of TLS and of HTTP; a reply that comes too late.
    pub fn post(&self, request: &DirectRequest<'_>) -> Result<DirectReply> {
        let message = request.message()?;
        let mut connection = self.connect(request)?;
        let outcome = {
            let mut reply = pin!(connection.sender.send_request(message));
            connection.run(request.deadline, |_, context| reply.as_mut().poll(context))
        };
        let reply = match outcome {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => return Err(request.broken(reason(&error))),
            Err(stop) => return Err(request.stopped(stop)),
        };
        let (head, body) = reply.into_parts();
        drain(&mut connection, body, request.deadline.min(Instant::now() + BODY_PATIENCE));
        let retry_after = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        Ok(DirectReply { status: head.status.as_u16(), retry_after: retry_after.map(str::to_owned) })
    }

    fn connect(&self, request: &DirectRequest<'_>) -> Result<Connection> {
        let tls = if request.is_encrypted { Some(self.tls()?) } else { None };
        let named = tls.as_ref().map(|tls| (tls, request.host));
        let interrupt = request.interrupt.clone();
        let socket = Socket::connect_to(request.addresses, named, request.deadline, interrupt);
        socket.and_then(|socket| Connection::with_head_limit(socket, HEAD_MAX_BYTES)).map_err(|error| {
            Error::Connect { endpoint: request.authority.to_owned(), reason: error.to_string() }
        })
    }

    /// Returns the encryption. The authorities are read once, because that takes milliseconds.
    fn tls(&self) -> Result<Tls> {
        let mut known = self.tls.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(tls) => Ok(tls.clone()),
            None => Ok(known.insert(Tls::new(&TlsOptions::trusting_the_system()?)?).clone()),
        }
    }
}

impl DirectRequest<'_> {
    fn label(&self) -> String {
        format!("POST {}", self.target.split('?').next().unwrap_or_default())
    }

    fn broken(&self, reason: String) -> Error {
        Error::Broken { endpoint: self.authority.to_owned(), request: self.label(), reason }
    }

    fn stopped(&self, stop: Stop) -> Error {
        match stop {
            Stop::TimedOut => self.broken("there was no answer in time".to_owned()),
            Stop::Ended(reason) => self.broken(reason),
        }
    }

    fn message(&self) -> Result<hyper::Request<Upload>> {
        let wrong = |reason: String| Error::Request { request: self.label(), reason };
        let mut message = hyper::Request::new(Upload(self.body.clone()));
        *message.method_mut() = Method::POST;
        *message.uri_mut() = self.target.parse().map_err(|error| wrong(format!("{error}")))?;
        let headers = message.headers_mut();
        let host = HeaderValue::from_str(self.authority).map_err(|error| wrong(error.to_string()))?;
        headers.insert(HOST, host);
        for (name, value) in self.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| wrong(error.to_string()))?;
            let value = HeaderValue::from_str(value).map_err(|error| wrong(error.to_string()))?;
            headers.append(name, value);
        }
        Ok(message)
    }
}

/// Reads the rest of a reply, as far as that is quick. The outcome does not matter.
fn drain(connection: &mut Connection, mut body: Incoming, deadline: Instant) {
    let mut bytes = 0;
    while bytes <= BODY_MAX_BYTES {
        let frame = connection.run(deadline, |_, context| Pin::new(&mut body).poll_frame(context));
        let Ok(Some(Ok(frame))) = frame else { return };
        bytes += frame.data_ref().map_or(0, Bytes::len);
    }
}
