//! `/_admin/cluster/*` and `/_api/cluster/*`, with the answers of a single server.

use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};
use database::Session;
use errors::{Error, ErrorCode, Result};

pub(super) const ROUTES: &[Route] = &[
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

fn only_on_coordinator(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::ClusterOnlyOnCoordinator))
}

fn forbidden(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::new(ErrorCode::HttpForbidden, "only allowed on coordinators"))
}
