//! The audit log: changes of definitions, users and backups, and denied requests, with the user and
//! the address. Logins by password are logged where they are checked.

use std::net::SocketAddr;

use errors::Error;
use velocypack::Slice;

use super::request::Request;

/// The subject of changes that a route makes, each with a topic of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audit {
    /// Backups of the server.
    Backup,
    /// Collections, their indexes, and graphs.
    Collection,
    /// Databases.
    Database,
    /// The server itself: its stop, mode, log levels and secrets, and scripts that it runs.
    Service,
    /// Users, their rights and tokens, and functions that run for others.
    Rights,
    /// Views.
    View,
}

/// Bytes of the longest body in which the audit looks for a name.
const BODY_MAX_BYTES: usize = 64 << 10;

/// Bytes of the longest name in an entry.
const NAME_MAX_BYTES: usize = 256;

/// Logs an event of an audit's topic, whose name must be known when the program is built.
macro_rules! log {
    ($audit:expr, $($fields:tt)*) => {
        match $audit {
            Audit::Backup => tracing::info!(target: "audit-hotbackup", $($fields)*),
            Audit::Collection => tracing::info!(target: "audit-collection", $($fields)*),
            Audit::Database => tracing::info!(target: "audit-database", $($fields)*),
            Audit::Rights => tracing::info!(target: "audit-authorization", $($fields)*),
            Audit::Service => tracing::info!(target: "audit-service", $($fields)*),
            Audit::View => tracing::info!(target: "audit-view", $($fields)*),
        }
    };
}

/// Logs a request that changes something, and its outcome.
pub(crate) fn changed(audit: Audit, user: &str, request: &Request, error: Option<&Error>) {
    let address = text(request.client());
    let (database, path) = (request.database(), request.uri().path());
    let name = name_in_body(request).unwrap_or_default();
    let outcome = error.map_or(0, Error::number);
    log!(audit, user, address, database, name, outcome, "{} {path}", request.method());
}

/// Logs a request that its user may not make.
pub(crate) fn denied(user: &str, client: Option<SocketAddr>, database: &str, action: &str) {
    let address = text(client);
    tracing::warn!(target: "audit-authorization", user, address, database, "denied: {action}");
}

/// Logs the first request of a connection that a certificate identifies, or fails to.
pub(crate) fn shown_certificate(user: &str, client: Option<SocketAddr>, is_known: bool) {
    let (address, user) = (text(client), shortened(user));
    match is_known {
        true => tracing::info!(target: "audit-authentication", user, address, "logged in by a certificate"),
        false => {
            tracing::info!(target: "audit-authentication", user, address, "no active user has a certificate's name");
        }
    }
}

/// Returns the beginning of a name.
fn shortened(name: &str) -> &str {
    name.get(..name.floor_char_boundary(NAME_MAX_BYTES)).unwrap_or_default()
}

/// Returns an address as text; empty for a client of a Unix domain socket.
fn text(client: Option<SocketAddr>) -> String {
    client.map_or_else(String::new, |client| client.to_string())
}

/// Returns the name of the object that the body describes.
fn name_in_body(request: &Request) -> Option<String> {
    if request.body().len() > BODY_MAX_BYTES {
        return None;
    }
    let body = request.body_value().ok()?;
    let body = Some(body.slice()).filter(|body| body.is_object())?;
    let name =
        ["name", "user", "label", "id"].iter().find_map(|name| body.get(name).and_then(Slice::as_str))?;
    Some(shortened(name).to_owned())
}
