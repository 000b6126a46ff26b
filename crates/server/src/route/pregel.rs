//! `/_api/control_pregel`: runs of algorithms over whole graphs, as ArangoDB 3.11 has them.

use database::Session;
use errors::Result;
use hyper::StatusCode;
use velocypack::Builder;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::route::AllServers;
use crate::http::{Request, Response, Route, Verb};

const PATTERN: &str = "/_api/control_pregel";
const ONE: &str = "/_api/control_pregel/{id}";
const HISTORY: &str = "/_api/control_pregel/history";
const PAST: &str = "/_api/control_pregel/history/{id}";

/// A body for the description of the routes.
const RUN: &str =
    r#"{"algorithm": "pagerank", "graphName": "web", "params": {"maxGSS": 100, "resultField": "rank"}}"#;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, PATTERN, Constant, list)
        .of_all_servers(AllServers::LIST)
        .about("Lists the Pregel runs that the servers remember."),
    Route::new(Verb::Post, PATTERN, Blocking, start)
        .audited(Audit::Service)
        .about("Starts an algorithm over a whole graph, and returns the run's number as a string.")
        .with_body(RUN),
    Route::new(Verb::Get, HISTORY, Blocking, history)
        .about("Lists the Pregel runs of which there is a record, those that run included."),
    Route::new(Verb::Delete, HISTORY, Blocking, remove_history)
        .audited(Audit::Service)
        .about("Removes the records of all Pregel runs."),
    Route::new(Verb::Get, PAST, Blocking, past).about("Returns the record of a Pregel run."),
    Route::new(Verb::Delete, PAST, Blocking, remove_past)
        .audited(Audit::Service)
        .about("Removes the record of a Pregel run."),
    Route::new(Verb::Get, ONE, Constant, get)
        .of_local_object("id")
        .about("Returns the status of a Pregel run."),
    Route::new(Verb::Delete, ONE, Constant, cancel)
        .of_local_object("id")
        .audited(Audit::Service)
        .about("Ends a Pregel run, or discards the result of one that has ended."),
];

fn start(session: &Session, request: &Request) -> Result<Response> {
    let id = session.start_pregel(request.body_object()?.slice())?;
    text(&id.to_string())
}

fn list(session: &Session, _request: &Request) -> Result<Response> {
    array(|runs| session.write_pregel_runs(runs))
}

fn get(session: &Session, request: &Request) -> Result<Response> {
    value(|out| session.write_pregel_run(request.parameter("id"), out))
}

fn cancel(session: &Session, request: &Request) -> Result<Response> {
    session.cancel_pregel(request.parameter("id"))?;
    text("")
}

fn history(session: &Session, _request: &Request) -> Result<Response> {
    array(|runs| session.write_pregel_history(runs))
}

fn past(session: &Session, request: &Request) -> Result<Response> {
    value(|out| session.write_pregel_history_of(request.parameter("id"), out))
}

fn remove_history(session: &Session, _request: &Request) -> Result<Response> {
    session.remove_pregel_history(None)?;
    text("")
}

fn remove_past(session: &Session, request: &Request) -> Result<Response> {
    session.remove_pregel_history(Some(request.parameter("id")))?;
    text("")
}

fn text(text: &str) -> Result<Response> {
    value(|out| Ok(out.add_str(text)?))
}

fn array(write: impl FnOnce(&mut Builder) -> Result<()>) -> Result<Response> {
    value(|out| {
        out.open_array()?;
        write(out)?;
        Ok(out.close()?)
    })
}

fn value(write: impl FnOnce(&mut Builder) -> Result<()>) -> Result<Response> {
    let mut value = Builder::with_capacity(1_024);
    write(&mut value)?;
    Ok(Response::value(StatusCode::OK, value.into_vec()))
}
