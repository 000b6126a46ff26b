//! `/_admin/shutdown`.

use std::sync::Arc;

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::audit::Audit;
use crate::http::{Request, Response, Route, Verb};
use crate::service::shutdown::Shutdown;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) shutdown: Arc<Shutdown>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Delete, "/_admin/shutdown", Constant, shut_down)
        .audited(Audit::Service)
        .for_administrators()
        .about("Stops the server.")
        .with_query(&["soft"]),
    Route::new(Verb::Get, "/_admin/shutdown", Constant, progress)
        .for_administrators()
        .about("Returns the progress of a soft shutdown."),
];

/// Shuts the server down.
///
/// The reply still arrives: requests in progress are answered before the server ends.
fn shut_down(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if request.flag("soft", false)? {
        return Err(Error::of(ErrorCode::ClusterOnlyOnCoordinator));
    }
    tracing::info!(target: "startup", user = session.user().map(display), "shutdown requested");
    services.shutdown.request();
    Ok(Response::json(StatusCode::OK, "\"OK\""))
}

/// Refuses the report of progress, which only coordinators have.
fn progress(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::HttpMethodNotAllowed))
}
