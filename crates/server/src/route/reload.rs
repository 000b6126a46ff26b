//! Calls that make ArangoDB reload data. They have no effect, since everything is always up to
//! date.

use database::Session;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Post, "/_admin/routing/reload", Constant, reload)
        .about("Reloads routes; has no effect."),
    Route::new(Verb::Get, "/_admin/auth/reload", Constant, reload).about("Reloads the users; has no effect."),
    Route::new(Verb::Get, "/_admin/aql/reload", Constant, reload)
        .about("Reloads user-defined functions; has no effect."),
    Route::new(Verb::Post, "/_admin/aql/reload", Constant, reload)
        .about("Reloads user-defined functions; has no effect."),
];

fn reload(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |_| ())
}
