//! `/_admin/shell`: shell sessions in the server, if the option allows programs. The inputs
//! of a session share one global scope. Each has the rights of the user who sends it.
//!
//! `sessions`: all sessions, limited in number and idle time. `session`: one of them. `host`: the
//! world that its inputs see.

mod host;
mod session;
mod sessions;

use std::sync::Arc;

use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;

use self::session::Outcome;
use super::origin::Origin;
use crate::http::Cost::{Blocking, Constant, Unknown};
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::route::batch::PartServices;

pub(crate) use self::sessions::ShellSessions;

const ONE: &str = "/_admin/shell/{id}";

/// The services of this family.
pub(crate) struct Services {
    /// The routes for the requests of inputs.
    pub(crate) parts: Arc<PartServices>,
    /// The open sessions.
    pub(crate) sessions: Arc<ShellSessions>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Post, "/_admin/shell", Blocking, open)
        .for_writers()
        .about("Opens a shell session in the server and returns its ID."),
    Route::with(Verb::Post, ONE, Unknown, start)
        .of_local_object("id")
        .audited(Audit::Service)
        .for_writers()
        .about("Runs JavaScript in a shell session and returns its result and output.")
        .with_body("x = db._collections().length"),
    Route::with(Verb::Delete, ONE, Constant, close)
        .of_local_object("id")
        .for_writers()
        .about("Ends a shell session."),
];

fn open(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    let id = services.sessions.open(session)?;
    Response::success(StatusCode::CREATED, |fields| {
        fields.text("id", &id.to_string());
    })
}

fn close(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    services.sessions.close(request.parameter("id"), &session.owner())?;
    Response::success(StatusCode::OK, |_| {})
}

fn start(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let shell = services.sessions.find(request.parameter("id"), &session.owner())?;
    let (origin, request) = (Origin::of_request(&services.parts, session, request), request.without_budget());
    Ok(Response::interruptible(origin.interrupt(), move || {
        let source = std::str::from_utf8(request.body())
            .map_err(|_| Error::bad_parameter("the input is not UTF-8"))?;
        respond(&shell.run(&origin, source)?)
    }))
}

/// Returns the response for what an input did. An exception is not an error of the request.
fn respond(outcome: &Outcome) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.text("printed", &outcome.printed);
        if let Some(shown) = &outcome.shown {
            fields.text("shown", shown);
        }
        if let Some(exception) = &outcome.exception {
            fields.text("exception", exception);
        }
    })
}
