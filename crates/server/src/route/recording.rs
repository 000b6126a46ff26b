//! `/_admin/server/api-calls` and `/_admin/server/aql-queries`: what was asked lately.

use hyper::StatusCode;
use velocypack::Slice;

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::server::ApiAccess;
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::pool(Verb::Get, "/_admin/server/api-calls", calls).for_administrators(),
    Route::pool(Verb::Get, "/_admin/server/aql-queries", queries).for_administrators(),
];

fn allow(session: &Session) -> Result<()> {
    match session.server().options().recording_api {
        ApiAccess::Disabled => {
            Err(ApiError::new(number::HTTP_FORBIDDEN, "the recording API is switched off"))
        }
        access => access.check(session, "/_admin/server"),
    }
}

fn calls(session: &Session, _request: &Request) -> Result<Response> {
    allow(session)?;
    let calls = session.server().recorded_calls().entries();
    respond("calls", |list| {
        for call in &calls {
            let [method, path, database] = &call.parts;
            list.child_element(|fields| {
                fields.text("timeStamp", &time(call.seconds));
                fields.text("requestType", &String::from_utf8_lossy(method));
                fields.text("path", &String::from_utf8_lossy(path));
                fields.text("database", &String::from_utf8_lossy(database));
            });
        }
    })
}

fn queries(session: &Session, _request: &Request) -> Result<Response> {
    allow(session)?;
    let queries = session.server().recorded_queries().entries();
    respond("queries", |list| {
        for query in &queries {
            let [text, variables, database] = &query.parts;
            list.child_element(|fields| {
                fields.text("timeStamp", &time(query.seconds));
                fields.text("query", &String::from_utf8_lossy(text));
                fields.value("bindVars", Slice::new(variables));
                fields.text("database", &String::from_utf8_lossy(database));
            });
        }
    })
}

fn respond(name: &str, fill: impl FnOnce(&mut Fields<'_>)) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.list(name, fill);
        });
    })
}

/// ISO 8601 in UTC, whole seconds.
fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
