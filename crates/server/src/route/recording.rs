//! `/_admin/server/api-calls` and `/_admin/server/aql-queries`: recent requests and queries.

use std::sync::Arc;

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Blocking;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::options::ApiAccess;
use crate::service::recording::{Recorded, Recording};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) access: ApiAccess,
    /// Method, path and database of requests.
    pub(crate) calls: Arc<Recording<3>>,
    /// Text, bind variables (VelocyPack) and database of queries.
    pub(crate) queries: Arc<Recording<3>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/server/api-calls", Blocking, calls)
        .for_administrators()
        .about("Lists recent requests."),
    Route::with(Verb::Get, "/_admin/server/aql-queries", Blocking, queries)
        .for_administrators()
        .about("Lists recent queries."),
];

fn allow(services: &Services, session: &Session) -> Result<()> {
    match services.access {
        ApiAccess::Disabled => Err(Error::new(ErrorCode::HttpForbidden, "the recording API is disabled")),
        access => access.check(session, "/_admin/server"),
    }
}

fn calls(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    allow(services, session)?;
    let calls = services.calls.entries();
    respond("calls", |list| print_calls(list, &calls))
}

/// Writes requests as elements of a list.
pub(super) fn print_calls(list: &mut Fields<'_>, calls: &[Recorded<3>]) {
    for call in calls {
        let [method, path, database] = &call.parts;
        list.child_element(|fields| {
            fields.text("timeStamp", &time(call.seconds));
            fields.text("requestType", &String::from_utf8_lossy(method));
            fields.text("path", &String::from_utf8_lossy(path));
            fields.text("database", &String::from_utf8_lossy(database));
        });
    }
}

fn queries(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    allow(services, session)?;
    let queries = services.queries.entries();
    respond("queries", |list| print_queries(list, &queries))
}

/// Writes queries as elements of a list.
pub(super) fn print_queries(list: &mut Fields<'_>, queries: &[Recorded<3>]) {
    for query in queries {
        let [text, variables, database] = &query.parts;
        list.child_element(|fields| {
            fields.text("timeStamp", &time(query.seconds));
            fields.text("query", &String::from_utf8_lossy(text));
            fields.value("bindVars", Slice::new(variables));
            fields.text("database", &String::from_utf8_lossy(database));
        });
    }
}

fn respond(name: &str, fill: impl FnOnce(&mut Fields<'_>)) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.list(name, fill);
        });
    })
}

/// Returns a time in ISO 8601, UTC, in whole seconds.
fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
