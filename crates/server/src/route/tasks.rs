//! `/_api/tasks`: periodic JavaScript tasks. This server does not run JavaScript yet, so there are
//! none.

use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};
use database::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/tasks", Constant, list),
    Route::new(Verb::Get, "/_api/tasks/{id}", Constant, not_found),
    Route::new(Verb::Delete, "/_api/tasks/{id}", Constant, not_found),
    Route::new(Verb::Post, "/_api/tasks", Constant, create),
    Route::new(Verb::Post, "/_api/tasks/{id}", Constant, create),
    Route::new(Verb::Put, "/_api/tasks/{id}", Constant, create),
];

fn list(_session: &Session, _request: &Request) -> Result<Response> {
    Ok(Response::value(StatusCode::OK, Slice::EMPTY_ARRAY.bytes().to_vec()))
}

fn not_found(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::TaskNotFound))
}

fn create(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::new(ErrorCode::NotImplemented, "tasks are JavaScript, which this server does not run"))
}
