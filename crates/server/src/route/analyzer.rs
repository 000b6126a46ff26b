//! `/_api/analyzer`: analyzers.
//!
//! Replies and statuses follow ArangoDB 3.12's documentation, "HTTP interface for Analyzers".

use database::Session;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/analyzer", Constant, list).about("Lists the Analyzers."),
    Route::new(Verb::Post, "/_api/analyzer", Blocking, create)
        .audited(Audit::Database)
        .not_in_scripts()
        .about("Creates an Analyzer.")
        .with_body(
            r#"{"name": "by_comma", "type": "delimiter", "properties": {"delimiter": ","}, "features": []}"#,
        ),
    Route::new(Verb::Get, "/_api/analyzer/{name}", Constant, read).about("Returns an Analyzer."),
    Route::new(Verb::Delete, "/_api/analyzer/{name}", Blocking, remove)
        .audited(Audit::Database)
        .not_in_scripts()
        .about("Removes an Analyzer.")
        .with_query(&["force"]),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let analyzers = session.analyzers()?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for analyzer in &analyzers {
                fields.child_element(|fields| {
                    fields.with(|builder| analyzer.print(builder));
                });
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let (analyzer, is_new) = session.create_analyzer(body.slice())?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Response::object(status, |fields| {
        fields.with(|builder| analyzer.print(builder));
    })
}

fn read(session: &Session, request: &Request) -> Result<Response> {
    let analyzer = session.analyzer(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.with(|builder| analyzer.print(builder));
    })
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    let name = session.remove_analyzer(request.parameter("name"), request.flag("force", false)?)?;
    Response::success(StatusCode::OK, |fields| {
        fields.text("name", &name);
    })
}
