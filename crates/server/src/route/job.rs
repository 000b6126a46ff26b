//! `/_api/job`: requests that were sent with `x-arango-async: store`.

use std::sync::Arc;

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::route::AllServers;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::service::jobs::{ASYNC_ID, Fetched, Jobs, Owner};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) jobs: Arc<Jobs>,
}

// Every route exists under two paths.
pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_api/job/{id}", Constant, status)
        .of_local_object("id")
        .of_all_servers(AllServers::List { attribute: None, limit: Some("count") })
        .about("Returns the state of a job, or lists jobs that are `done` or `pending`.")
        .with_query(&["count"]),
    Route::with(Verb::Put, "/_api/job/{id}", Constant, fetch)
        .of_local_object("id")
        .about("Returns the reply of a job and deletes it."),
    Route::with(Verb::Put, "/_api/job/{id}/cancel", Constant, cancel)
        .of_local_object("id")
        .about("Cancels a job."),
    Route::with(Verb::Delete, "/_api/job/{id}", Constant, remove)
        .of_local_object("id")
        .of_all_servers(AllServers::Change)
        .about("Deletes the reply of a job, or those of `all` or of `expired` jobs.")
        .with_query(&["stamp"]),
    Route::with(Verb::Get, "/_admin/job/{id}", Constant, status)
        .of_local_object("id")
        .of_all_servers(AllServers::List { attribute: None, limit: Some("count") })
        .about("Returns the state of a job, or lists jobs that are `done` or `pending`.")
        .with_query(&["count"]),
    Route::with(Verb::Put, "/_admin/job/{id}", Constant, fetch)
        .of_local_object("id")
        .about("Returns the reply of a job and deletes it."),
    Route::with(Verb::Put, "/_admin/job/{id}/cancel", Constant, cancel)
        .of_local_object("id")
        .about("Cancels a job."),
    Route::with(Verb::Delete, "/_admin/job/{id}", Constant, remove)
        .of_local_object("id")
        .of_all_servers(AllServers::Change)
        .about("Deletes the reply of a job, or those of `all` or of `expired` jobs.")
        .with_query(&["stamp"]),
];

/// Default number of jobs in a list.
const DEFAULT_COUNT: usize = 100;

fn owner(session: &Session) -> Owner {
    session.user().cloned()
}

/// Returns the number of a job. A text that is not a number names no job.
fn id(request: &Request) -> Result<u64> {
    request.parameter("id").parse().map_err(|_| not_found())
}

fn not_found() -> Error {
    Error::of(ErrorCode::HttpNotFound)
}

fn unknown_list(name: &str) -> Error {
    let message = format!("a job's id is a number, and lists are 'done' and 'pending': '{name}' is neither");
    Error::new(ErrorCode::HttpBadParameter, message)
}

/// Returns 200 if the job is done, and 204 otherwise.
///
/// For `done` and `pending` it lists the numbers of such jobs.
fn status(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let jobs = &services.jobs;
    let done = match request.parameter("id") {
        "done" => true,
        "pending" => false,
        _ => {
            let id = id(request).map_err(|_| unknown_list(request.parameter("id")))?;
            let done = jobs.is_done(&owner(session), id).ok_or_else(not_found)?;
            return Ok(Response::empty(if done { StatusCode::OK } else { StatusCode::NO_CONTENT }));
        }
    };
    let count = request.number("count")?.unwrap_or(DEFAULT_COUNT);
    let ids = jobs.list(&owner(session), done, count);
    let list = Fields::array(|list| {
        ids.iter().for_each(|id| {
            list.text_element(&id.to_string());
        })
    })?;
    Ok(Response::value(StatusCode::OK, list))
}

/// Returns the stored reply of the job once, or 204 if the job is not done.
fn fetch(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let id = id(request)?;
    match services.jobs.fetch(&owner(session), id).ok_or_else(not_found)? {
        Fetched::Pending => Ok(Response::empty(StatusCode::NO_CONTENT)),
        Fetched::Done(reply) => Ok(reply.header(ASYNC_ID, id.into())),
    }
}

fn cancel(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if !services.jobs.cancel(&owner(session), id(request)?) {
        return Err(not_found());
    }
    done()
}

fn remove(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let (jobs, owner) = (&services.jobs, owner(session));
    match request.parameter("id") {
        "all" => jobs.remove_before(&owner, f64::INFINITY),
        "expired" => {
            let stamp = request
                .number("stamp")?
                .ok_or_else(|| Error::bad_parameter("parameter 'stamp' is missing"))?;
            jobs.remove_before(&owner, stamp);
        }
        _ if jobs.remove(&owner, id(request)?) => {}
        _ => return Err(not_found()),
    }
    done()
}

fn done() -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.bool("result", true);
    })
}
