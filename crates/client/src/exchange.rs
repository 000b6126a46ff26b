//! One request and its reply, over a connection that is kept for the next request.

use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, HOST, HeaderValue};

use crate::Endpoint;
use crate::connection::{Connection, Stop, Upload, reason};
use crate::encoding::{decoded, gzipped};
use crate::error::{Error, Result};
use crate::options::ClientOptions;
use crate::request::{Request, encode_segment};
use crate::response::Response;
use crate::socket::Socket;
use crate::tls::Tls;
use crate::token::authorization;

/// The maximum number of idle connections that are kept.
const MAX_IDLE: usize = 256;

/// The maximum reservation for the declared length of a reply; more is reserved as it arrives.
const RESERVE_MAX_BYTES: usize = 16 << 20;

/// A server, and its idle connections.
pub(crate) struct Exchange {
    pub(crate) options: ClientOptions,
    /// The endpoint, for messages.
    pub(crate) name: String,
    host: HeaderValue,
    authorization: Option<HeaderValue>,
    /// The prefix of paths, `/_db/NAME`.
    prefix: String,
    tls: Option<Tls>,
    idle: Mutex<Vec<Connection>>,
}

/// The reason why there is no reply.
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// True if the server may have received the request.
    pub(crate) was_sent: bool,
}

impl Exchange {
    /// Returns an exchange with a server. It sends nothing before the first request.
    pub(crate) fn new(options: ClientOptions) -> Result<Self> {
        let tls = match &options.endpoint {
            Endpoint::Tls { .. } => Some(Tls::new(&options.tls)?),
            _ => None,
        };
        let name = options.endpoint.to_string();
        let host = HeaderValue::from_str(&options.endpoint.host_header()).map_err(|_| Error::Endpoint {
            endpoint: name.clone(),
            reason: "HTTP cannot carry its name".to_owned(),
        })?;
        let authorization = authorization(&options.credentials)?;
        let prefix = prefix(&options.database);
        Ok(Exchange { options, name, host, authorization, prefix, tls, idle: Mutex::new(Vec::new()) })
    }

    /// Sends a request and reads the whole reply.
    pub(crate) fn whole(&self, request: &Request) -> std::result::Result<Response, Failure> {
        let (mut connection, reply) = self.head(request)?;
        let heard = |error| Failure { error, was_sent: true };
        let response = self.collect(request, &mut connection, reply).map_err(heard)?;
        self.keep(connection);
        Ok(response)
    }

    /// Keeps a connection for the next request.
    pub(crate) fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }

    /// Returns the error of a reply of which nothing came within a limit.
    pub(crate) fn timed_out(&self, request: &str, limit: Duration) -> Error {
        Error::TimedOut { endpoint: self.name.clone(), request: request.to_owned(), limit }
    }

    /// Returns the longest time in which nothing of the reply to a request arrives.
    pub(crate) fn patience(&self, request: &Request) -> Duration {
        let whole = self.options.request_timeout;
        request.patience.map_or(whole, |patience| patience.min(whole))
    }

    fn kept(&self) -> Option<Connection> {
        loop {
            let mut connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if connection.is_usable() {
                return Some(connection);
            }
        }
    }

    fn connect(&self) -> Result<Connection> {
        let limit = self.options.connection_timeout;
        let interrupt = self.options.interrupt.clone();
        let socket = Socket::connect(&self.options.endpoint, self.tls.as_ref(), limit, interrupt);
        socket
            .and_then(Connection::new)
            .map_err(|error| Error::Connect { endpoint: self.name.clone(), reason: error.to_string() })
    }

    /// Sends a request and waits for the head of the reply.
    pub(crate) fn head(
        &self,
        request: &Request,
    ) -> std::result::Result<(Connection, hyper::Response<Incoming>), Failure> {
        let unsent = |error| Failure { error, was_sent: false };
        let mut message = Some(self.message(request).map_err(unsent)?);
        loop {
            let kept = self.kept();
            let was_kept = kept.is_some();
            let mut connection = match kept {
                Some(connection) => connection,
                None => self.connect().map_err(unsent)?,
            };
            let Some(sent) = message.take() else {
                return Err(unsent(self.broken(request, "the request is gone".to_owned())));
            };
            let limit = self.patience(request);
            let deadline = Instant::now() + limit;
            let outcome = {
                let mut reply = pin!(connection.sender.try_send_request(sent));
                connection.run(deadline, |_, context| reply.as_mut().poll(context))
            };
            match outcome {
                Ok(Ok(reply)) => return Ok((connection, reply)),
                Ok(Err(mut refused)) => {
                    let returned = refused.take_message();
                    if was_kept && returned.is_some() {
                        // The connection was closed while it was idle: the server has received
                        // nothing.
                        message = returned;
                        continue;
                    }
                    let was_sent = returned.is_none();
                    let error = self.broken(request, reason(refused.error()));
                    return Err(Failure { error, was_sent });
                }
                Err(Stop::TimedOut) => {
                    return Err(Failure { error: self.timed_out(&request.label(), limit), was_sent: true });
                }
                Err(Stop::Ended(reason)) => {
                    return Err(Failure { error: self.broken(request, reason), was_sent: true });
                }
            }
        }
    }

    fn broken(&self, request: &Request, reason: String) -> Error {
        Error::Broken { endpoint: self.name.clone(), request: request.label(), reason }
    }

    /// Converts a request into hyper's type.
    fn message(&self, request: &Request) -> Result<hyper::Request<Upload>> {
        let wrong = |reason: String| Error::Request { request: request.label(), reason };
        if let Some(mistake) = &request.mistake {
            return Err(wrong(mistake.clone()));
        }
        let uri = match &request.database {
            _ if request.is_plain => request.target.clone(),
            Some(database) => prefix(database) + &request.target,
            None => [self.prefix.as_str(), request.target.as_str()].concat(),
        };
        let mut message = hyper::Request::new(Upload(request.body.clone()));
        *message.method_mut() = request.method.clone();
        *message.uri_mut() = hyper::Uri::try_from(uri).map_err(|error| wrong(error.to_string()))?;
        let threshold = self.options.compress_requests_from_bytes;
        let headers = message.headers_mut();
        headers.insert(HOST, self.host.clone());
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if self.options.compressed_replies {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"));
        }
        for (name, value) in &request.headers {
            match name == HOST {
                true => headers.insert(HOST, value.clone()).is_some(),
                false => headers.append(name.clone(), value.clone()),
            };
        }
        let is_compressed = headers.contains_key(CONTENT_ENCODING);
        if threshold.is_some_and(|least| request.body.len() >= least.max(1)) && !is_compressed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            *message.body_mut() = Upload(gzipped(&request.body).map_err(|error| wrong(error.to_string()))?);
        }
        Ok(message)
    }

    /// Reads the whole body of a reply.
    fn collect(
        &self,
        request: &Request,
        connection: &mut Connection,
        reply: hyper::Response<Incoming>,
    ) -> Result<Response> {
        let (head, mut incoming) = reply.into_parts();
        let limit_bytes = self.options.max_response_bytes;
        let too_large =
            || Error::TooLarge { endpoint: self.name.clone(), request: request.label(), limit_bytes };
        let announced = incoming.size_hint().lower();
        let announced = usize::try_from(announced).ok().filter(|bytes| *bytes <= limit_bytes);
        let announced = announced.ok_or_else(too_large)?;
        let whole = self.options.request_timeout;
        let (deadline, patience) = (Instant::now() + whole, self.patience(request));
        let mut first = Bytes::new();
        let mut more = BytesMut::new();
        loop {
            let due = deadline.min(Instant::now() + patience);
            let frame = connection.run(due, |_, context| Pin::new(&mut incoming).poll_frame(context));
            let bytes = match frame {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(Some(Err(error))) => return Err(self.broken(request, reason(&error))),
                Err(Stop::TimedOut) => {
                    let limit = if due < deadline { patience } else { whole };
                    return Err(self.timed_out(&request.label(), limit));
                }
                Err(Stop::Ended(reason)) => return Err(self.broken(request, reason)),
            };
            if first.is_empty() {
                first = bytes;
                continue;
            }
            if more.is_empty() {
                more.reserve(announced.min(RESERVE_MAX_BYTES).max(first.len() + bytes.len()));
                more.extend_from_slice(&first);
            }
            if more.len() + bytes.len() > limit_bytes {
                return Err(too_large());
            }
            more.extend_from_slice(&bytes);
        }
        let mut body = if more.is_empty() { first } else { more.freeze() };
        if body.len() > limit_bytes {
            return Err(too_large());
        }
        let encoding = head.headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let is_kept = request.keeps_encoding && head.status.is_success();
        if let Some(encoding) = encoding.filter(|_| !is_kept) {
            let plain = decoded(encoding, &body, limit_bytes).map_err(|error| Error::Reply {
                endpoint: self.name.clone(),
                request: request.label(),
                reason: error.to_string(),
            })?;
            body = plain.ok_or_else(too_large)?;
        }
        Ok(Response {
            endpoint: self.name.clone(),
            request: request.label(),
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        })
    }
}

fn prefix(database: &str) -> String {
    format!("/_db/{}", encode_segment(database))
}
