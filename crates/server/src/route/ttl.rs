//! `/_api/ttl`: the job that removes expired documents.

use database::Session;
use database::ttl::TtlProperties;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::{Fields, Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/ttl/properties", Constant, properties)
        .about("Returns the settings for the removal of expired documents."),
    Route::new(Verb::Put, "/_api/ttl/properties", Constant, change)
        .about("Changes the settings for the removal of expired documents.")
        .with_body(r#"{"active": true, "frequency": 30000}"#),
    Route::new(Verb::Get, "/_api/ttl/statistics", Constant, statistics)
        .about("Returns the number of expired documents that were removed."),
];

fn properties(session: &Session, _request: &Request) -> Result<Response> {
    respond(session.instance().ttl().properties())
}

/// Changes the properties in the body, for all databases and until the server ends.
fn change(session: &Session, request: &Request) -> Result<Response> {
    session.require_administrator()?;
    let body = request.body_value()?;
    respond(session.instance().ttl().change(body.slice())?)
}

fn respond(properties: TtlProperties) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields: &mut Fields<'_>| {
            fields
                .bool("active", properties.active)
                .number("frequency", properties.frequency_ms)
                .number("maxTotalRemoves", properties.max_total_removes)
                .number("maxCollectionRemoves", properties.max_collection_removes)
                .bool("onlyLoadedCollections", properties.only_loaded_collections);
        });
    })
}

fn statistics(session: &Session, _request: &Request) -> Result<Response> {
    let statistics = session.instance().ttl().statistics();
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields
                .number("runs", statistics.runs)
                .number("documentsRemoved", statistics.documents_removed)
                .number("limitReached", statistics.limit_reached);
        });
    })
}
