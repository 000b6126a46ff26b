//! `/_admin/cluster/*` and `/_api/cluster/*`: the servers that share a store.
//!
//! Such servers have the role of ArangoDB's coordinators. A server that shares its store with
//! nobody answers as ArangoDB's single server does.

use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::version::ARANGODB_VERSION;
use database::{Session, SharingServer};
use errors::{Error, ErrorCode, Result};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/cluster/endpoints", Blocking, endpoints)
        .for_everybody()
        .about("Lists the addresses of the servers that share a store."),
    Route::new(Verb::Get, "/_admin/cluster/health", Blocking, health)
        .about("Describes the servers that share a store."),
    Route::new(Verb::Get, "/_api/cluster/{*}", Constant, only_on_coordinator)
        .about("Answers as a server without a cluster does."),
    Route::new(Verb::Get, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Answers as a server without a cluster does."),
    Route::new(Verb::Post, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Answers as a server without a cluster does."),
    Route::new(Verb::Put, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Answers as a server without a cluster does."),
    Route::new(Verb::Delete, "/_admin/cluster/{*}", Constant, forbidden)
        .about("Answers as a server without a cluster does."),
];

/// Lists the addresses, for drivers that spread their requests.
fn endpoints(session: &Session, request: &Request) -> Result<Response> {
    let Some(servers) = session.servers()? else { return only_on_coordinator(session, request) };
    Response::success(StatusCode::OK, |fields| {
        fields.list("endpoints", |list| {
            for server in servers.iter().filter(|server| !server.address.is_empty()) {
                list.child_element(|fields| {
                    fields.text("endpoint", &endpoint(server));
                });
            }
        });
    })
}

/// Describes the servers under the names that ArangoDB gives to coordinators.
fn health(session: &Session, request: &Request) -> Result<Response> {
    let Some(servers) = session.servers()? else { return forbidden(session, request) };
    Response::success(StatusCode::OK, |fields| {
        fields.text("ClusterId", &format!("{:016x}", session.server_id()));
        fields.child("Health", |health| {
            for server in &servers {
                health.child(&format!("CRDN-{:016x}", server.identity), |fields| {
                    print_server(server, session.engine_name(), fields);
                });
            }
        });
    })
}

fn print_server(server: &SharingServer, engine: &str, fields: &mut Fields) {
    let host = server.address.rsplit_once(':').map_or("", |(host, _)| host);
    fields
        .text("ShortName", &format!("Coordinator{:04}", server.number))
        .text("Role", "Coordinator")
        // One that gives no sign of life is not listed.
        .text("Status", "GOOD")
        .text("Endpoint", &endpoint(server))
        .text("Host", host)
        .text("Engine", engine)
        .text("Version", ARANGODB_VERSION)
        .number("Started", server.started_ms)
        .bool("IsThis", server.is_this)
        .bool("CanBeDeleted", false);
}

fn endpoint(server: &SharingServer) -> String {
    if server.address.is_empty() { String::new() } else { format!("tcp://{}", server.address) }
}

fn only_on_coordinator(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::ClusterOnlyOnCoordinator))
}

fn forbidden(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::new(ErrorCode::HttpForbidden, "only allowed on coordinators"))
}
