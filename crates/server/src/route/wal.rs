//! `/_api/wal`: the position of the server's log of operations. The engine owns the log, so clients
//! cannot follow it.

use database::Session;
use errors::Result;
use hyper::StatusCode;

use super::replication::{now, print_server};
use crate::http::Cost::Blocking;
use crate::http::{Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/wal/lastTick", Blocking, last_tick)
        .for_administrators()
        .about("Returns the last position of the log."),
    Route::new(Verb::Get, "/_api/wal/range", Blocking, range)
        .for_administrators()
        .about("Returns the range of positions in the log."),
];

fn last_tick(session: &Session, _request: &Request) -> Result<Response> {
    let tick = session.next_tick()?.to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.text("time", &now()).text("tick", &tick);
        fields.child("server", |fields| print_server(session, fields));
    })
}

/// Returns an empty range at the present position, since earlier operations are not available.
fn range(session: &Session, _request: &Request) -> Result<Response> {
    let tick = session.next_tick()?.to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.text("time", &now()).text("tickMin", &tick).text("tickMax", &tick);
        fields.child("server", |fields| print_server(session, fields));
    })
}
