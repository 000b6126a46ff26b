//! `/_api/changes/apply`: the log of another server, applied to this one.

use std::sync::Arc;

use database::Session;
use database::follow::{AppliedPosition, CopiedState, FollowedLogs, TailBody};
use errors::{Error, Result};
use hyper::StatusCode;

use crate::http::Cost::Blocking;
use crate::http::fields::Fields;
use crate::http::format::Format;
use crate::http::{Request, Response, Route, Verb};

/// The services of this family.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) logs: Arc<FollowedLogs>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Put, "/_api/changes/apply", Blocking, apply)
        .for_administrators()
        .not_in_scripts()
        .about("Applies a part of another server's log: the reply of its /_api/wal/tail.")
        .with_query(&["source", "begin", "complete"]),
    Route::with(Verb::Get, "/_api/changes/apply", Blocking, position)
        .for_administrators()
        .about("Returns how far another server's log is applied.")
        .with_query(&["source"]),
    Route::with(Verb::Delete, "/_api/changes/apply", Blocking, forget)
        .for_administrators()
        .about("Forgets how far another server's log is applied.")
        .with_query(&["source"]),
];

fn apply(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let body = match request.body_format() {
        Format::Json => TailBody::Lines(request.body()),
        Format::VelocyPack => TailBody::VelocyPack(request.body()),
    };
    let first = request.number("begin")?.unwrap_or(0);
    let begin = CopiedState { first, last: request.number("complete")?.unwrap_or(first) };
    let (entries, position) = services.logs.apply(session, &source(request)?, begin, body)?;
    Response::object(StatusCode::OK, |fields| {
        fields.number("entries", entries);
        print(position, fields);
    })
}

fn position(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let position = services.logs.position(session, &source(request)?)?;
    Response::object(StatusCode::OK, |fields| match position {
        Some(position) => print(position, fields),
        None => {
            fields.null("applied").null("restart");
        }
    })
}

fn forget(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    services.logs.forget(session, &source(request)?)?;
    Response::success(StatusCode::OK, |_| ())
}

/// Ticks are text, as in the log itself.
fn print(position: AppliedPosition, fields: &mut Fields<'_>) {
    fields.text("applied", &position.applied.to_string());
    fields.text("restart", &position.restart.to_string());
}

fn source(request: &Request) -> Result<String> {
    let missing = || Error::bad_parameter("'source' must name the server whose log this is");
    Ok(request.text("source")?.ok_or_else(missing)?.into_owned())
}
