//! `/_api/version`: the first request of nearly every driver.

use hyper::StatusCode;

use crate::error::Result;
use crate::http::{Request, Response, Route, Verb};
use crate::server::{ARANGODB_VERSION, PERSEA_VERSION};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Get, "/_api/version", version),
    Route::inline(Verb::Get, "/_admin/version", version),
];

fn version(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.text("server", "arango").text("license", "community").text("version", ARANGODB_VERSION);
        fields.text("persea-version", PERSEA_VERSION);
    })
}
