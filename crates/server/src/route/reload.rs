//! Calls that tell ArangoDB to read something again. Here everything is always up to date.

use hyper::StatusCode;

use crate::error::Result;
use crate::http::{Request, Response, Route, Verb};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Post, "/_admin/routing/reload", reload),
    Route::inline(Verb::Get, "/_admin/auth/reload", reload),
    Route::inline(Verb::Get, "/_admin/aql/reload", reload),
    Route::inline(Verb::Post, "/_admin/aql/reload", reload),
];

fn reload(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |_| ())
}
