//! `/_admin/cluster/*` and `/_api/cluster/*`, as a server that is alone answers them.

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Request, Response, Route, Verb};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Get, "/_api/cluster/{*}", only_on_coordinator),
    Route::inline(Verb::Get, "/_admin/cluster/{*}", forbidden),
    Route::inline(Verb::Post, "/_admin/cluster/{*}", forbidden),
    Route::inline(Verb::Put, "/_admin/cluster/{*}", forbidden),
    Route::inline(Verb::Delete, "/_admin/cluster/{*}", forbidden),
];

fn only_on_coordinator(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::of(number::CLUSTER_ONLY_ON_COORDINATOR))
}

fn forbidden(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::new(number::HTTP_FORBIDDEN, "only allowed on coordinators"))
}
