//! `/_api/cursor`: queries, and the batches of their results.
//!
//! A query is parsed and planned on the connection's own task. A plan that touches little (`RETURN 1`, a look-up by
//! key) is run there too, and one that took little time lately is begun there; everything else goes on on the worker
//! pool. Nothing goes on for longer than a moment on the connection's task: what does is begun anew on the pool.

use std::sync::Arc;

use database::cursor::Reply;
use database::query::request::QueryRequest;
use database::query::{Begun, PlannedQuery};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant, Unknown};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::placement::permits::Permits;
use crate::placement::pool::WorkerPool;
use crate::service::recording::Recording;
use database::Session;

/// Texts with parameters beyond this are parsed on the worker pool.
const INLINE_MAX_BYTES: usize = 16 << 10;

/// What the family needs.
pub(crate) struct Services {
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) permits: Arc<Permits>,
    /// Text, bind variables (VelocyPack) and database of queries.
    pub(crate) recorded_queries: Arc<Recording<3>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Post, "/_api/cursor", Unknown, create),
    Route::with(Verb::Post, "/_api/cursor/{id}", Blocking, fetch),
    Route::with(Verb::Put, "/_api/cursor/{id}", Blocking, fetch),
    Route::with(Verb::Post, "/_api/cursor/{id}/{batch}", Blocking, fetch),
    Route::new(Verb::Delete, "/_api/cursor/{id}", Constant, remove),
];

fn create(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if request.body().len() > INLINE_MAX_BYTES {
        let (session, request) = (session.clone(), request.clone());
        let recorded = Arc::clone(&services.recorded_queries);
        return Ok(Response::deferred(move || {
            let query = QueryRequest::from_body(request.body_value()?.slice())?;
            record(&recorded, &session, &query);
            Ok(respond(StatusCode::CREATED, session.query(&query, request.accepted())?))
        }));
    }
    let query = QueryRequest::from_body(request.body_value()?.slice())?;
    record(&services.recorded_queries, session, &query);
    let format = request.accepted();
    if let Some(result) = session.cached_result(&query)? {
        let is_quick = result.is_quick();
        let run = move || Ok(respond(StatusCode::CREATED, result.run(format)?));
        return if is_quick { run() } else { Ok(Response::deferred(run)) };
    }
    let Some(prepared) = session.prepare_in_a_moment(query)? else {
        return Ok(on_pool(session, request, None));
    };
    if prepared.is_quick() {
        let planned = prepared.planned();
        return Ok(match prepared.run_in_a_moment(format)? {
            Some(reply) => respond(StatusCode::CREATED, reply),
            None => on_pool(session, request, Some(planned)),
        });
    }
    if prepared.was_quick()
        && let Some(_permit) = services.permits.take()
    {
        let planned = prepared.planned();
        return Ok(match prepared.begin(format)? {
            Some(Begun::Over(reply)) => respond(StatusCode::CREATED, reply),
            Some(Begun::GoesOn(rest)) => {
                Response::deferred(move || Ok(respond(StatusCode::CREATED, rest.run()?)))
            }
            None => on_pool(session, request, Some(planned)),
        });
    }
    Ok(Response::deferred(move || Ok(respond(StatusCode::CREATED, prepared.run(format)?))))
}

fn record(recorded: &Recording<3>, session: &Session, query: &QueryRequest) {
    recorded.add([query.text.as_bytes(), &query.bind_variables, session.database_name().as_bytes()]);
}

/// The work on the worker pool: all of it, or what is left after planning.
fn on_pool(session: &Session, request: &Request, planned: Option<PlannedQuery>) -> Response {
    let (session, request) = (session.clone(), request.clone());
    Response::deferred(move || {
        let format = request.accepted();
        let query = QueryRequest::from_body(request.body_value()?.slice())?;
        let reply = match planned {
            Some(planned) => session.prepare_planned(query, planned)?.run(format)?,
            None => session.query(&query, format)?,
        };
        Ok(respond(StatusCode::CREATED, reply))
    })
}

fn fetch(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    fetch_batch(&services.pool, session, request)
}

/// The next batch of a cursor, or one that was sent before. The pool computes the one behind it ahead.
pub(super) fn fetch_batch(pool: &WorkerPool, session: &Session, request: &Request) -> Result<Response> {
    let batch = match request.parameter("batch") {
        "" => None,
        text => {
            Some(text.parse().map_err(|_| Error::bad_parameter("the number of the batch must be a number"))?)
        }
    };
    let mut reply = session.fetch(cursor_id(request)?, batch, request.accepted())?;
    if let Some(read_ahead) = reply.read_ahead.take() {
        // A full queue has better things to do.
        let _ = pool.submit(Box::new(move || read_ahead.run()));
    }
    Ok(respond(StatusCode::OK, reply))
}

pub(super) fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_cursor(cursor_id(request)?)?;
    Response::success(StatusCode::ACCEPTED, |fields| {
        fields.text("id", request.parameter("id"));
    })
}

/// What is no number is no cursor of ours.
fn cursor_id(request: &Request) -> Result<u64> {
    request.parameter("id").parse().map_err(|_| Error::of(ErrorCode::CursorNotFound))
}

pub(super) fn respond(status: StatusCode, reply: Reply) -> Response {
    Response::encoded(status, reply.format, reply.body)
}
