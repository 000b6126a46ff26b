//! Requests about services, and messages about their failures.

use client::{Client, Request, Response, ServerError};

use crate::Failure;

/// ArangoDB's number of the error that no service is mounted at a point.
const SERVICE_NOT_FOUND: u64 = 3009;
/// ArangoDB's number of the error that a service lacks required settings.
const NEEDS_CONFIGURATION: u64 = 3010;
/// ArangoDB's number of the error that a service is mounted at a point already.
const MOUNT_POINT_CONFLICT: u64 = 3011;
/// ArangoDB's number of the error that the interface for services is off.
const API_DISABLED: u64 = 3099;

/// The client and the mount point of a service.
pub(super) struct Service<'a> {
    pub(super) client: &'a Client,
    pub(super) mount: &'a str,
}

impl Service<'_> {
    /// Sends a request about the service. `work` says in errors what has failed: "upgrade".
    pub(super) fn ask(&self, request: Request, work: &str) -> Result<Response, Failure> {
        let request = request.query("mount", self.mount);
        self.send(&request, work)
    }

    /// Sends a request whose path and parameters are complete.
    pub(super) fn send(&self, request: &Request, work: &str) -> Result<Response, Failure> {
        let what = format!("{work} {}", self.mount);
        ask(self.client, request, &what)
    }
}

/// Sends a request. `what` says in errors what has failed.
pub(super) fn ask(client: &Client, request: &Request, what: &str) -> Result<Response, Failure> {
    client.call(request).map_err(|error| match error.server() {
        Some(error) => Failure::new(format!("{what}: {}", explain(error))),
        None => Failure::from(error).during(what),
    })
}

fn explain(error: &ServerError) -> String {
    let hint = match error.number {
        SERVICE_NOT_FOUND => "; `persea foxx list` shows the mount points",
        NEEDS_CONFIGURATION => "; `persea foxx config` and `persea foxx deps` show what is missing",
        MOUNT_POINT_CONFLICT => "; `upgrade` and `replace` put another one in its place",
        API_DISABLED => "; the server was started with --foxx.api false",
        _ if error.status == 403 => "; the user must have the right to write the database",
        _ => "",
    };
    format!("error {}: {}{hint}", error.number, error.message)
}
