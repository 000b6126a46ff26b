//! `/_api/cursor`: queries, and the batches of their results.
//!
//! A query begins within its request's budget. The rest of it runs on the worker pool. With
//! `Accept: application/vnd.apache.arrow.stream` one reply has the whole result, and no cursor is
//! left.

use std::sync::Arc;

use database::Session;
use database::cursor::Reply;
use database::query::Progress;
use database::query::request::QueryRequest;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use super::arrow::{self, Columns};
use crate::http::Cost::{Blocking, Unknown};
use crate::http::following::{allows_dirty_read, mark_dirty};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::placement::pool::WorkerPool;
use crate::service::recording::Recording;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) pool: Arc<WorkerPool>,
    /// Text, bind variables (VelocyPack) and database of queries.
    pub(crate) recorded_queries: Arc<Recording<3>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Post, "/_api/cursor", Unknown, create)
        .about("Runs a query.")
        .with_query(arrow::PARAMETERS)
        .with_body(r#"{"query": "FOR d IN docs LIMIT @n RETURN d", "bindVars": {"n": 5}, "count": true}"#),
    Route::with(Verb::Post, "/_api/cursor/{id}", Blocking, fetch)
        .of_local_object("id")
        .about("Returns the next rows of a query."),
    Route::with(Verb::Put, "/_api/cursor/{id}", Blocking, fetch)
        .of_local_object("id")
        .about("Returns the next rows of a query."),
    Route::with(Verb::Post, "/_api/cursor/{id}/{batch}", Blocking, fetch)
        .of_local_object("id")
        .about("Returns a batch of rows, again if the reply was lost."),
    Route::new(Verb::Delete, "/_api/cursor/{id}", Blocking, remove)
        .of_local_object("id")
        .about("Ends a cursor."),
];

fn create(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let mut query = QueryRequest::from_body(request.body_value()?.slice())?;
    query.options.allow_dirty_reads |= allows_dirty_read(request.headers());
    let parts = [query.text.as_bytes(), &query.bind_variables, session.database_name().as_bytes()];
    services.recorded_queries.add(parts);
    if arrow::is_accepted(request) {
        let (columns, session, request) = (Columns::of(request)?, session.clone(), request.without_budget());
        let mut rest = session.whole_query(query)?;
        return Ok(Response::interruptible(rest.interrupt(), move || {
            let mut inference = columns.inference();
            let result = rest.run_whole(&mut |row| inference.observe(row))?;
            arrow::respond(&request, &session, columns, inference, result)
        }));
    }
    match session.begin_query(query, request.accepted(), request.budget())? {
        Progress::Done(reply) => Ok(respond(StatusCode::CREATED, reply)),
        Progress::More(mut rest) => Ok(Response::interruptible(rest.interrupt(), move || {
            Ok(respond(StatusCode::CREATED, rest.run()?))
        })),
    }
}

fn fetch(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    fetch_batch(&services.pool, session, request)
}

/// Returns the next batch of a cursor, or one that was sent before.
///
/// The pool then computes the following batch ahead.
pub(super) fn fetch_batch(pool: &WorkerPool, session: &Session, request: &Request) -> Result<Response> {
    let batch = match request.parameter("batch") {
        "" => None,
        text => {
            Some(text.parse().map_err(|_| Error::bad_parameter("the number of the batch must be a number"))?)
        }
    };
    let mut reply = session.fetch(cursor_id(request)?, batch, request.accepted())?;
    if let Some(read_ahead) = reply.read_ahead.take() {
        // If the queue is full, the batch is not computed ahead.
        let _ = pool.submit(&session.user().cloned(), Box::new(move || read_ahead.run()));
    }
    Ok(respond(StatusCode::OK, reply))
}

pub(super) fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_cursor(cursor_id(request)?)?;
    Response::success(StatusCode::ACCEPTED, |fields| {
        fields.text("id", request.parameter("id"));
    })
}

/// Returns the number of the cursor. A text that is not a number names no cursor.
fn cursor_id(request: &Request) -> Result<u64> {
    request.parameter("id").parse().map_err(|_| Error::of(ErrorCode::CursorNotFound))
}

pub(super) fn respond(status: StatusCode, reply: Reply) -> Response {
    let response = Response::encoded(status, reply.format, reply.body);
    if reply.may_be_dirty { mark_dirty(response) } else { response }
}
