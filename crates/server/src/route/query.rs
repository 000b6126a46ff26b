//! `/_api/explain` and `/_api/query`: plans, syntax trees, and running and slow queries.

use std::ops::RangeInclusive;
use std::sync::Arc;

use catalog::AccessLevel;
use database::Session;
use database::query::registry::{QueryState, RegisteredQuery, Scope, TrackingProperties};
use database::query::request::QueryRequest;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::{Blocking, Constant};
use crate::http::date::iso_date;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{AllServers, Route, Verb};

/// The maximum number of slow queries that a database remembers.
const MAX_SLOW_QUERIES: usize = 4_096;

/// The lengths in bytes to which a query's text in lists may be cut. ArangoDB has the same minimum.
const QUERY_STRING_LENGTHS: RangeInclusive<usize> = 64..=64 << 10;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Post, "/_api/explain", Blocking, explain)
        .about("Returns the plan of a query.")
        .with_body(r#"{"query": "FOR d IN docs RETURN d"}"#),
    Route::new(Verb::Post, "/_api/query", Blocking, parse)
        .about("Parses a query: its collections, parameters and syntax tree.")
        .with_body(r#"{"query": "FOR d IN docs RETURN d"}"#),
    Route::new(Verb::Get, "/_api/query/current", Constant, current)
        .of_all_servers(AllServers::LIST)
        .about("Lists the running queries.")
        .with_query(&["all"]),
    Route::new(Verb::Get, "/_api/query/slow", Constant, slow)
        .of_all_servers(AllServers::LIST)
        .about("Lists the slow queries.")
        .with_query(&["all"]),
    Route::new(Verb::Delete, "/_api/query/slow", Constant, clear_slow)
        .of_all_servers(AllServers::Change)
        .about("Clears the list of slow queries.")
        .with_query(&["all"]),
    Route::new(Verb::Get, "/_api/query/properties", Constant, properties)
        .about("Returns the settings of query tracking."),
    Route::new(Verb::Put, "/_api/query/properties", Constant, change_properties)
        .of_all_servers(AllServers::Change)
        .for_writers()
        .about("Changes the settings of query tracking.")
        .with_body(r#"{"slowQueryThreshold": 5}"#),
    Route::new(Verb::Get, "/_api/query/rules", Constant, rules).about("Lists the optimizer rules."),
    Route::new(Verb::Delete, "/_api/query/{id}", Constant, kill)
        .of_local_object("id")
        .about("Kills a query.")
        .with_query(&["all"]),
];

fn explain(session: &Session, request: &Request) -> Result<Response> {
    let query = QueryRequest::from_body(request.body_value()?.slice())?;
    let explained = session.explain(&query)?;
    let plan_cache_key = session.cached_plan_key(&query);
    Response::success(StatusCode::OK, |fields| {
        print_entries(&explained, fields);
        if let Some(key) = &plan_cache_key {
            fields.text("planCacheKey", key);
        }
    })
}

fn parse(session: &Session, request: &Request) -> Result<Response> {
    let query = QueryRequest::from_body(request.body_value()?.slice())?;
    let parsed = session.parse_query(&query.text)?;
    Response::success(StatusCode::OK, |fields| print_entries(&parsed, fields))
}

fn print_entries(object: &[u8], fields: &mut Fields<'_>) {
    for (name, value) in Slice::new(object).entries() {
        fields.value(name, value);
    }
}

fn current(session: &Session, request: &Request) -> Result<Response> {
    list(&session.instance().queries().running(scope(session, request)?))
}

fn slow(session: &Session, request: &Request) -> Result<Response> {
    list(&session.instance().queries().slow(scope(session, request)?))
}

fn clear_slow(session: &Session, request: &Request) -> Result<Response> {
    session.instance().queries().clear_slow(scope(session, request)?);
    Response::success(StatusCode::OK, |_| {})
}

/// Returns the scope of the queries that the user may see and end.
///
/// The scope holds the user's own queries, and all queries of the database for its administrator,
/// unless rules of its collections restrict the administrator.
/// With `all=true`, an administrator in `_system` gets the queries of all databases.
fn scope<'a>(session: &'a Session, request: &Request) -> Result<Scope<'a>> {
    if !request.flag("all", false)? {
        let is_administrator =
            session.require_database(AccessLevel::ReadWrite).is_ok() && session.sees_all_documents();
        let user = session.user().filter(|_| !is_administrator);
        return Ok(Scope { database: Some(session.database_name()), user: user.map(|user| &**user) });
    }
    if !session.is_system_database() {
        return Err(Error::of(ErrorCode::UseSystemDatabase));
    }
    session.require_administrator()?;
    Ok(Scope::default())
}

fn list(queries: &[Arc<RegisteredQuery>]) -> Result<Response> {
    let body = Fields::array(|fields| {
        for query in queries {
            fields.child_element(|fields| print(fields, query));
        }
    })?;
    Ok(Response::value(StatusCode::OK, body))
}

fn print(fields: &mut Fields<'_>, query: &RegisteredQuery) {
    let bind_variables = match query.bind_variables.as_slice() {
        [] => Slice::EMPTY_OBJECT,
        bytes => Slice::new(bytes),
    };
    fields
        .text("id", &query.id.to_string())
        .text("database", &query.database)
        .text("user", &query.user)
        .text("query", &query.text)
        .value("bindVars", bind_variables)
        .text("started", &iso_date(query.started))
        .double("runTime", query.run_time().as_secs_f64())
        .number("peakMemoryUsage", query.memory.peak())
        .text("state", query.state().name())
        .bool("stream", query.stream)
        .bool("modificationQuery", query.is_modification())
        .number("warnings", query.warnings() as u64);
    // A query that runs has no exit code yet.
    if matches!(query.state(), QueryState::Finished | QueryState::Killed) {
        fields.number("exitCode", query.exit_code());
    }
}

fn kill(session: &Session, request: &Request) -> Result<Response> {
    let id = request.parameter("id");
    let id = id
        .parse()
        .map_err(|_| Error::new(ErrorCode::QueryNotFound, format!("a query's id is a number, not '{id}'")))?;
    session.instance().queries().kill(id, scope(session, request)?)?;
    Response::success(StatusCode::OK, |_| {})
}

fn properties(session: &Session, _request: &Request) -> Result<Response> {
    print_properties(&session.instance().queries().properties(session.database_name()))
}

fn print_properties(properties: &TrackingProperties) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields
            .bool("enabled", properties.enabled)
            .bool("trackSlowQueries", properties.track_slow_queries)
            .bool("trackBindVars", properties.track_bind_vars)
            .number("maxSlowQueries", properties.max_slow_queries as u64)
            .double("slowQueryThreshold", properties.slow_query_threshold)
            .double("slowStreamingQueryThreshold", properties.slow_streaming_query_threshold)
            .number("maxQueryStringLength", properties.max_query_string_length as u64);
    })
}

/// Returns a member that should change. Null means to leave it as it is.
fn given<'a>(body: Slice<'a>, name: &str) -> Option<Slice<'a>> {
    body.get(name).filter(|value| !value.is_null())
}

fn change_properties(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let body = body.slice();
    let mut properties = session.instance().queries().properties(session.database_name());
    let wrong = |name: &str, kind: &str| Error::bad_parameter(format!("'{name}' must be a {kind}"));
    for (name, flag) in [
        ("enabled", &mut properties.enabled),
        ("trackSlowQueries", &mut properties.track_slow_queries),
        ("trackBindVars", &mut properties.track_bind_vars),
    ] {
        if let Some(value) = given(body, name) {
            *flag = value.as_bool().ok_or_else(|| wrong(name, "bool"))?;
        }
    }
    for (name, number, range) in [
        ("maxSlowQueries", &mut properties.max_slow_queries, 0..=MAX_SLOW_QUERIES),
        ("maxQueryStringLength", &mut properties.max_query_string_length, QUERY_STRING_LENGTHS),
    ] {
        if let Some(value) = given(body, name) {
            let value = value.as_u64().ok_or_else(|| wrong(name, "non-negative number"))?;
            let value = usize::try_from(value).unwrap_or(usize::MAX);
            *number = value.clamp(*range.start(), *range.end());
        }
    }
    for (name, seconds) in [
        ("slowQueryThreshold", &mut properties.slow_query_threshold),
        ("slowStreamingQueryThreshold", &mut properties.slow_streaming_query_threshold),
    ] {
        if let Some(value) = given(body, name) {
            *seconds = value
                .as_f64()
                .filter(|value| *value >= 0.0)
                .ok_or_else(|| wrong(name, "number of seconds"))?;
        }
    }
    session.instance().queries().set_properties(session.database_name(), properties.clone());
    print_properties(&properties)
}

fn rules(_session: &Session, _request: &Request) -> Result<Response> {
    let body = Fields::array(|fields| {
        for rule in aql_optimize::rules() {
            fields.child_element(|fields| {
                fields.text("name", rule.name).text("description", rule.description).child(
                    "flags",
                    |fields| {
                        fields
                            .bool("hidden", rule.hidden)
                            .bool("clusterOnly", false)
                            .bool("canBeDisabled", rule.can_be_disabled)
                            .bool("canCreateAdditionalPlans", rule.can_create_additional_plans)
                            .bool("disabledByDefault", rule.disabled_by_default)
                            .bool("enterpriseOnly", false);
                    },
                );
            });
        }
    })?;
    Ok(Response::value(StatusCode::OK, body))
}
