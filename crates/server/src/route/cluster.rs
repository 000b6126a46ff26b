//! `/_admin/cluster/*` and `/_api/cluster/*`, as a server that is alone answers them.

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};
use database::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/cluster/{*}", Constant, only_on_coordinator),
    Route::new(Verb::Get, "/_admin/cluster/{*}", Constant, forbidden),
    Route::new(Verb::Post, "/_admin/cluster/{*}", Constant, forbidden),
    Route::new(Verb::Put, "/_admin/cluster/{*}", Constant, forbidden),
    Route::new(Verb::Delete, "/_admin/cluster/{*}", Constant, forbidden),
];

fn only_on_coordinator(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::of(number::CLUSTER_ONLY_ON_COORDINATOR))
}

fn forbidden(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::new(number::HTTP_FORBIDDEN, "only allowed on coordinators"))
}
