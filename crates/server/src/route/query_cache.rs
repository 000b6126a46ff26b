//! `/_api/query-cache`: the results cache.

use database::Session;
use database::query::results_cache::{CacheMode, CacheProperties, Entry};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::{Constant, Read};
use crate::http::date::iso_date;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{AllServers, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Delete, "/_api/query-cache", Constant, clear)
        .of_all_servers(AllServers::Change)
        .for_writers()
        .about("Clears the query results cache."),
    Route::new(Verb::Get, "/_api/query-cache/entries", Read, entries)
        .of_all_servers(AllServers::LIST)
        .about("Lists the cached results."),
    Route::new(Verb::Get, "/_api/query-cache/properties", Constant, properties)
        .about("Returns the properties of the query results cache."),
    Route::new(Verb::Put, "/_api/query-cache/properties", Constant, change_properties)
        .of_all_servers(AllServers::Change)
        .for_writers()
        .about("Changes properties of the query results cache.")
        .with_body(r#"{"mode": "demand"}"#),
];

fn clear(session: &Session, _request: &Request) -> Result<Response> {
    session.instance().results_cache().clear(session.database_name());
    Response::success(StatusCode::OK, |_| {})
}

fn entries(session: &Session, _request: &Request) -> Result<Response> {
    let with_bind_variables =
        session.instance().queries().properties(session.database_name()).track_bind_vars;
    let entries = session.cached_results()?;
    let body = Fields::array(|fields| {
        for entry in &entries {
            fields.child_element(|fields| print(fields, entry, with_bind_variables));
        }
    })?;
    Ok(Response::value(StatusCode::OK, body))
}

fn print(fields: &mut Fields<'_>, entry: &Entry, with_bind_variables: bool) {
    fields.text("hash", &entry.hash().to_string()).text("query", entry.text());
    if with_bind_variables {
        fields.value("bindVars", Slice::new(entry.bind_variables()));
    }
    fields
        .number("size", entry.size_bytes())
        .number("results", entry.row_count() as u64)
        .number("hits", entry.hits())
        .double("runTime", entry.run_time().as_secs_f64())
        .text("started", &iso_date(entry.added()))
        .list("dataSources", |fields| {
            for name in entry.data_sources() {
                fields.text_element(name);
            }
        });
}

fn properties(session: &Session, _request: &Request) -> Result<Response> {
    print_properties(&session.instance().results_cache().properties())
}

fn change_properties(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let cache = session.instance().results_cache();
    let properties = changed(cache.properties(), body.slice())?;
    cache.set_properties(properties.clone());
    print_properties(&properties)
}

/// Returns the properties with the changes in the body. Errors: 10 for a wrong type or value.
fn changed(mut properties: CacheProperties, body: Slice<'_>) -> Result<CacheProperties> {
    let wrong = |name: &str, expected: &str| Error::bad_parameter(format!("'{name}' must be {expected}"));
    let given = |name: &str| body.get(name).filter(|value| !value.is_null());
    if let Some(mode) = given("mode") {
        let mode = mode.as_str().ok_or_else(|| wrong("mode", "off, on or demand"))?;
        properties.mode = CacheMode::from_name(mode)?;
    }
    if let Some(count) = given("maxResults") {
        let count = count.as_u64().ok_or_else(|| wrong("maxResults", "a non-negative number"))?;
        properties.max_results = usize::try_from(count).unwrap_or(usize::MAX);
    }
    for (name, bytes) in [
        ("maxResultsSize", &mut properties.max_results_bytes),
        ("maxEntrySize", &mut properties.max_entry_bytes),
    ] {
        if let Some(value) = given(name) {
            *bytes = value.as_u64().ok_or_else(|| wrong(name, "a number of bytes"))?;
        }
    }
    if let Some(include) = given("includeSystem") {
        properties.include_system = include.as_bool().ok_or_else(|| wrong("includeSystem", "a bool"))?;
    }
    Ok(properties)
}

fn print_properties(properties: &CacheProperties) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields
            .text("mode", properties.mode.name())
            .number("maxResults", properties.max_results as u64)
            .number("maxResultsSize", properties.max_results_bytes)
            .number("maxEntrySize", properties.max_entry_bytes)
            .bool("includeSystem", properties.include_system);
    })
}
