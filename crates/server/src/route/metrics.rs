//! `/_admin/metrics` and `/_admin/metrics/v2`: all metrics in Prometheus' text format.
//! `/_admin/usage-metrics`: the requests on each collection.
//!
//! A metric has ArangoDB's name if it measures the same. Names with the prefix `persea_` have no
//! counterpart.

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use metrics::Registry;

use crate::http::Cost::Blocking;
use crate::http::{Request, Response, Route, Verb, content_type};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) is_enabled: bool,
    pub(crate) registry: Registry,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/metrics", Blocking, metrics)
        .for_inspectors()
        .about("Returns the metrics in the format of Prometheus."),
    Route::with(Verb::Get, "/_admin/metrics/v2", Blocking, metrics)
        .for_inspectors()
        .about("Returns the metrics in the format of Prometheus."),
    Route::new(Verb::Get, "/_admin/usage-metrics", Blocking, usage)
        .for_inspectors()
        .about("Returns the counts of requests on collections, in the format of Prometheus."),
];

fn usage(session: &Session, _request: &Request) -> Result<Response> {
    let page = session.instance().usage_page();
    Ok(Response::bytes(StatusCode::OK, content_type::PROMETHEUS, page))
}

fn metrics(services: &Services, _session: &Session, request: &Request) -> Result<Response> {
    if !services.is_enabled {
        return Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{}'", request.path())));
    }
    Ok(Response::bytes(StatusCode::OK, content_type::PROMETHEUS, services.registry.page()))
}
