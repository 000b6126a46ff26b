//! `/_api/user/{user}/sessions`: the tokens that the server has signed for a user.

use std::sync::Arc;

use database::Session;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::route::AllServers;
use crate::http::{Request, Response, Route, Verb};
use crate::service::authentication::{Authentication, IssuedSession, now_seconds};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) authentication: Arc<Authentication>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_api/user/{user}/sessions", Constant, list)
        .for_everybody()
        .of_all_servers(AllServers::List { attribute: Some("result"), limit: None })
        .about("Lists the valid tokens that were signed for a user since the start of the server."),
    Route::with(Verb::Delete, "/_api/user/{user}/sessions", Blocking, withdraw_all)
        .audited(Audit::Rights)
        .for_everybody()
        .about("Withdraws all tokens that were signed for a user."),
    Route::with(Verb::Delete, "/_api/user/{user}/sessions/{id}", Blocking, withdraw)
        .audited(Audit::Rights)
        .for_everybody()
        .about("Withdraws a token that was signed for a user."),
];

/// Seconds for which a withdrawn token is remembered that this server does not know: another server
/// of the store has signed it, or this one before its start.
const UNKNOWN_SECONDS: u64 = 30 * 86_400;

fn list(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let name = request.parameter("user");
    session.find_user(name)?;
    let issued = services.authentication.issued_to(&session.catalog(), name);
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |list| {
            for session in &issued {
                list.child_element(|fields| {
                    fields.text("id", session.id()).number("issued", session.issued);
                    fields.number("expires", session.expires());
                    match session.address {
                        Some(address) => fields.text("address", &address.to_string()),
                        None => fields.null("address"),
                    };
                });
            }
        });
    })
}

fn withdraw_all(_services: &Services, session: &Session, request: &Request) -> Result<Response> {
    session.withdraw_sessions(request.parameter("user"), None, now_seconds() as u64)?;
    Response::success(StatusCode::OK, |_| {})
}

fn withdraw(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let (name, id) = (request.parameter("user"), request.parameter("id"));
    let now = now_seconds() as u64;
    let issued = services.authentication.issued_to(&session.catalog(), name);
    let known = issued.iter().find(|session| session.id() == id).map(IssuedSession::expires);
    let unknown = || {
        let lifetime_seconds = services.authentication.session_timeout_seconds().max(UNKNOWN_SECONDS);
        now.saturating_add(lifetime_seconds)
    };
    session.withdraw_sessions(name, Some((id, known.unwrap_or_else(unknown))), now)?;
    Response::success(StatusCode::OK, |_| {})
}
