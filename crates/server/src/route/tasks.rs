//! `/_api/tasks`: JavaScript that runs now and then. There is no JavaScript on this server yet, so there are no tasks.

use hyper::StatusCode;
use velocypack::Slice;

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Request, Response, Route, Verb};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Get, "/_api/tasks", list),
    Route::inline(Verb::Get, "/_api/tasks/{id}", not_found),
    Route::inline(Verb::Delete, "/_api/tasks/{id}", not_found),
    Route::inline(Verb::Post, "/_api/tasks", create),
    Route::inline(Verb::Post, "/_api/tasks/{id}", create),
    Route::inline(Verb::Put, "/_api/tasks/{id}", create),
];

fn list(_session: &Session, _request: &Request) -> Result<Response> {
    Ok(Response::value(StatusCode::OK, Slice::EMPTY_ARRAY.bytes().to_vec()))
}

fn not_found(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::of(number::TASK_NOT_FOUND))
}

fn create(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::new(number::NOT_IMPLEMENTED, "tasks are JavaScript, which this server does not run"))
}
