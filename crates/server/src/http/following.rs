//! Requests that accept old documents, and those to a server that follows another one.
//!
//! As with ArangoDB's followers of 3.11, it answers requests for data only to clients that accept
//! old ones, and refuses writes. Both errors name the leader.

use std::time::Duration;

use database::Instance;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::reply::HttpReply;
use super::response::Response;

/// A client that accepts documents of a copy sends it with `true`.
pub(super) const ALLOW_DIRTY_READ: HeaderName = HeaderName::from_static("x-arango-allow-dirty-read");
/// The reply to a client that accepts them says that they may be old.
const POTENTIAL_DIRTY_READ: HeaderName = HeaderName::from_static("x-arango-potential-dirty-read");
/// The address of the leader.
const ENDPOINT: HeaderName = HeaderName::from_static("x-arango-endpoint");
/// The seconds for which something at the leader has not been applied here.
const LAG: HeaderName = HeaderName::from_static("x-persea-lag-seconds");

/// The routes under `/_api` that are about the server, not about data. Those of other objects in
/// the memory of this server follow a request that was answered.
const ABOUT_SERVER: [&str; 15] = [
    "/_api/backup",
    "/_api/cluster",
    "/_api/database/current",
    "/_api/database/user",
    "/_api/engine",
    "/_api/follow",
    "/_api/group",
    "/_api/job",
    "/_api/query/",
    "/_api/replication",
    "/_api/tasks",
    "/_api/ttl",
    "/_api/user",
    "/_api/version",
    "/_api/wal",
];

/// The route of tools for language models, which read data.
const TOOLS: &str = "/_mcp";

/// Adds the header that says that the documents of a reply may be old.
pub(crate) fn mark_dirty(response: Response) -> Response {
    response.header(POTENTIAL_DIRTY_READ, HeaderValue::from_static("true"))
}

/// Returns true if the client accepts documents of a copy.
pub(crate) fn allows_dirty_read(headers: &HeaderMap) -> bool {
    headers.get(ALLOW_DIRTY_READ).is_some_and(|value| value.as_bytes() == b"true")
}

/// Checks that a server that follows another one may answer a request.
///
/// `has_local_object`: the request names an object in this server's memory. Errors: 1496, 1495
/// while the servers of a group elect a leader.
pub(super) fn check(
    instance: &Instance,
    pattern: &str,
    headers: &HeaderMap,
    has_local_object: bool,
) -> Result<()> {
    let Some((endpoint, _)) = instance.leader() else { return Ok(()) };
    let is_about_data = (pattern.starts_with("/_api/") || pattern == TOOLS)
        && !has_local_object
        && !ABOUT_SERVER.iter().any(|prefix| pattern.starts_with(prefix));
    if instance.options().copy_answers_all || !is_about_data || allows_dirty_read(headers) {
        return Ok(());
    }
    if endpoint.is_empty() {
        let message = format!(
            "the servers of the group are electing a leader; ask again soon. A request with the header \
             {ALLOW_DIRTY_READ}: true reads the copy of this one"
        );
        return Err(Error::new(ErrorCode::ClusterLeadershipChallengeOngoing, message));
    }
    let message = format!(
        "not a leader: this server follows {endpoint}; a request with the header {ALLOW_DIRTY_READ}: true \
         reads the copy"
    );
    Err(Error::new(ErrorCode::ClusterNotLeader, message))
}

/// Adds the leader's address to refusals, and the lag to every reply of a server that follows
/// another one. Marks the reply to a client that accepts old documents.
///
/// `reads_replicas`: the route reads what any replica of the data has. A server without replicas
/// says the same, as ArangoDB does.
pub(super) fn add_headers(
    instance: &Instance,
    (allows_dirty_read, reads_replicas): (bool, bool),
    reply: &mut HttpReply,
) {
    let leader = instance.leader();
    if allows_dirty_read && (reads_replicas || leader.is_some()) {
        reply.headers_mut().insert(POTENTIAL_DIRTY_READ, HeaderValue::from_static("true"));
    }
    let Some((endpoint, lag)) = leader else { return };
    if reply.status() == StatusCode::SERVICE_UNAVAILABLE
        && !endpoint.is_empty()
        && let Ok(endpoint) = HeaderValue::from_str(&endpoint)
    {
        reply.headers_mut().insert(ENDPOINT, endpoint);
    }
    let seconds = lag.map(|lag: Duration| format!("{:.3}", lag.as_secs_f64()));
    if let Some(seconds) = seconds.and_then(|seconds| HeaderValue::from_str(&seconds).ok()) {
        reply.headers_mut().insert(LAG, seconds);
    }
}
