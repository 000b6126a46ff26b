//! `/_api/query-plan-cache`: the plan cache.

use catalog::AccessLevel;
use database::Session;
use database::query::plan_cache::ListedPlan;
use errors::Result;
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Constant;
use crate::http::date::iso_date;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{AllServers, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/query-plan-cache", Constant, list)
        .of_all_servers(AllServers::LIST)
        .about("Lists the cached plans."),
    Route::new(Verb::Get, "/_api/query-plan-cache/entries", Constant, list)
        .of_all_servers(AllServers::LIST)
        .about("Lists the cached plans."),
    Route::new(Verb::Delete, "/_api/query-plan-cache", Constant, clear)
        .of_all_servers(AllServers::Change)
        .for_writers()
        .about("Clears the query plan cache."),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let version = session.catalog().version();
    let readable = |name: &str| session.require_collection(name, AccessLevel::ReadOnly).is_ok();
    let mut plans = session.instance().plan_cache().listed(session.database_name(), version);
    let sees_all = session.sees_all_documents();
    plans.retain(|plan| sees_all && plan.data_sources().all(readable));
    let body = Fields::array(|fields| {
        for plan in &plans {
            fields.child_element(|fields| print(fields, plan));
        }
    })?;
    Ok(Response::value(StatusCode::OK, body))
}

fn print(fields: &mut Fields<'_>, plan: &ListedPlan) {
    fields
        .text("hash", &plan.key)
        .text("query", &plan.text)
        .number("queryHash", plan.text_hash)
        .value("bindVars", Slice::new(&plan.bind_variables))
        .bool("fullCount", plan.full_count)
        .list("dataSources", |fields| {
            for name in plan.data_sources() {
                fields.text_element(name);
            }
        })
        .text("created", &iso_date(plan.created))
        .number("hits", plan.hits())
        .number("memoryUsage", plan.memory_bytes);
}

fn clear(session: &Session, _request: &Request) -> Result<Response> {
    session.instance().plan_cache().clear_listed(session.database_name());
    Response::success(StatusCode::OK, |_| {})
}
