//! Requests that belong to another server of the same store.
//!
//! Cursors, stream transactions, jobs and dumps live in the memory of the server that made them. A
//! load balancer does not know that. So a server passes such a request on to its owner, and passes
//! the owner's reply on to the client while it arrives.

use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Uri, Version};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::body::{Collected, ReplyBody};
use super::reply::HttpReply;

/// The header of a request that was passed on. Its value is the number of the server that did.
///
/// Such a request is never passed on again. Servers that disagree about an owner would otherwise
/// send it around forever.
pub(crate) const FORWARDED_BY: HeaderName = HeaderName::from_static("x-persea-forwarded-by");

/// The maximum time to connect to another server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time after which an unused connection to another server is closed.
///
/// It is shorter than the time for which a server keeps unused connections open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum number of unused connections to one server.
const IDLE_CONNECTIONS: usize = 16;

/// Headers that describe one connection rather than the message on it (RFC 9110, 7.6.1).
static OF_CONNECTION: [HeaderName; 9] = [
    CONNECTION,
    EXPECT,
    HOST,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// The server to which the object of a request belongs.
pub(crate) enum HomeServer {
    /// This one.
    This,
    /// Another one.
    Other {
        /// The number of this one.
        this: String,
        /// Looks up the address `HOST:PORT` of the other server in the store. `None` if the server
        /// is gone, and its objects with it.
        address: Box<dyn FnOnce() -> Result<Option<String>> + Send>,
    },
}

/// The connections to the other servers.
pub(crate) struct Forwarder {
    client: Client<HttpConnector, ReplyBody>,
}

impl Default for Forwarder {
    fn default() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector);
        Forwarder { client }
    }
}

impl Forwarder {
    /// Passes a request on to the server at `address`, and returns its reply.
    ///
    /// The body is passed on as the client sent it, compressed or not. Errors: 503 with 1465 if the
    /// server cannot be reached or breaks off before its reply begins.
    pub(crate) async fn forward(
        &self,
        address: &str,
        member: &str,
        head: &Parts,
        body: Collected,
    ) -> Result<HttpReply> {
        let request = request_to(address, member, head, body.bytes)?;
        let reply = self.client.request(request).await;
        // The bytes of the body were counted while it was sent.
        drop(body.memory);
        let (mut parts, body) = reply.map_err(|error| lost(address, &error))?.into_parts();
        remove_headers_of_connection(&mut parts.headers);
        let mut reply = hyper::Response::new(forwarded(body, &head.method));
        *reply.status_mut() = parts.status;
        *reply.headers_mut() = parts.headers;
        Ok(reply)
    }
}

/// Returns the body of the reply to the client.
fn forwarded(body: Incoming, method: &Method) -> ReplyBody {
    if *method == Method::HEAD || body.is_end_stream() {
        ReplyBody::Nothing
    } else {
        ReplyBody::Forwarded(body)
    }
}

fn request_to(
    address: &str,
    member: &str,
    head: &Parts,
    body: hyper::body::Bytes,
) -> Result<Request<ReplyBody>> {
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let uri = Uri::builder().scheme("http").authority(address).path_and_query(target).build();
    let mut request = Request::new(ReplyBody::Whole(body));
    *request.uri_mut() = uri.map_err(|error| unusable(address, &error))?;
    *request.method_mut() = head.method.clone();
    *request.version_mut() = Version::HTTP_11;
    *request.headers_mut() = head.headers.clone();
    let headers = request.headers_mut();
    remove_headers_of_connection(headers);
    headers.remove(CONTENT_LENGTH);
    headers.insert(FORWARDED_BY, HeaderValue::try_from(member).map_err(Error::internal)?);
    Ok(request)
}

/// Removes the headers that describe a connection, also those that `connection` names.
fn remove_headers_of_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in OF_CONNECTION.iter().chain(&named) {
        headers.remove(name);
    }
}

fn unusable(address: &str, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("another server says that it listens at '{address}': {error}"))
}

/// Returns the error of an owner that cannot be reached.
fn lost(address: &str, error: &dyn std::error::Error) -> Error {
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    let message = format!("the request needs the server at {address}, which does not answer: {reason}");
    Error::new(ErrorCode::ClusterConnectionLost, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(request: hyper::http::request::Builder) -> Parts {
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_request_keeps_its_method_target_and_headers() {
        let request = Request::put("/_db/x/_api/cursor/7?a=%20").header("authorization", "Basic eDp5");
        let passed = request_to("10.0.0.2:8529", "3", &head(request), "{}".into()).unwrap();
        assert_eq!(passed.method(), Method::PUT);
        assert_eq!(passed.uri(), "http://10.0.0.2:8529/_db/x/_api/cursor/7?a=%20");
        assert_eq!(passed.headers()["authorization"], "Basic eDp5");
        assert_eq!(passed.headers()[FORWARDED_BY], "3");
    }

    #[test]
    fn headers_of_the_connection_stay_behind() {
        let request = Request::get("/")
            .header("connection", "keep-alive, x-private")
            .header("x-private", "1")
            .header("host", "elsewhere")
            .header("expect", "100-continue")
            .header("content-length", "12");
        let passed = request_to("a:1", "1", &head(request), "".into()).unwrap();
        let names: Vec<&str> = passed.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, [FORWARDED_BY.as_str()]);
    }
}
