//! Calls that make ArangoDB reload data. They have no effect, since everything is always up to
//! date.

use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};
use database::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Post, "/_admin/routing/reload", Constant, reload),
    Route::new(Verb::Get, "/_admin/auth/reload", Constant, reload),
    Route::new(Verb::Get, "/_admin/aql/reload", Constant, reload),
    Route::new(Verb::Post, "/_admin/aql/reload", Constant, reload),
];

fn reload(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |_| ())
}
