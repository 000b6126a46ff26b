//! `/_admin/shutdown`.

use hyper::StatusCode;

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Request, Response, Route, Verb};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Delete, "/_admin/shutdown", shut_down).for_administrators(),
    Route::inline(Verb::Get, "/_admin/shutdown", progress).for_administrators(),
];

/// The reply still arrives: requests that have begun are answered before the server ends.
fn shut_down(session: &Session, request: &Request) -> Result<Response> {
    if request.flag("soft", false)? {
        return Err(ApiError::of(number::CLUSTER_ONLY_ON_COORDINATOR));
    }
    tracing::info!(target: "startup", user = ?session.user(), "shutdown was requested");
    session.server().shutdown().request();
    Ok(Response::json(StatusCode::OK, "\"OK\""))
}

/// There is progress to report only on coordinators.
fn progress(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::of(number::HTTP_METHOD_NOT_ALLOWED))
}
