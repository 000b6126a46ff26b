//! `/_admin/metrics` and `/_admin/metrics/v2`: all metrics in Prometheus' text format.
//!
//! A metric has ArangoDB's name if it measures the same. Names with the prefix `persea_` have no
//! counterpart.

mod cluster;
mod documents;
mod engine;
mod process;
mod queries;
mod scheduler;
mod search;
mod transactions;

use std::fmt::{Display, Write};
use std::sync::Arc;
use std::time::Instant;

use database::Session;
use database::histogram::Summary;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use traces::Tracer;

use crate::http::Cost::Blocking;
use crate::http::connections::Connections;
use crate::http::metrics::{BYTES_CUTS, CONNECTION_CUTS, METHODS, Metrics, TIME_CUTS, Totals};
use crate::http::{Request, Response, Route, Verb, content_type};
use crate::placement::pool::WorkerPool;
use crate::service::jobs::Jobs;
use crate::service::log::Log;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) is_enabled: bool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) log: Arc<Log>,
    pub(crate) started: Instant,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) tracer: Option<Arc<Tracer>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/metrics", Blocking, metrics)
        .for_inspectors()
        .about("Returns the metrics in the format of Prometheus."),
    Route::with(Verb::Get, "/_admin/metrics/v2", Blocking, metrics)
        .for_inspectors()
        .about("Returns the metrics in the format of Prometheus."),
];

fn metrics(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if !services.is_enabled {
        return Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{}'", request.path())));
    }
    let mut page = Page::default();
    print_requests(services, &mut page);
    print_connections(services, &mut page);
    scheduler::print(services, &mut page);
    process::print(services, &mut page);
    queries::print(session, &mut page);
    print_catalog(session, &mut page);
    engine::print(session, &mut page);
    cluster::print(session, &mut page);
    transactions::print(session, &mut page);
    search::print(session, &mut page);
    documents::print(session, &mut page);
    print_traces(services, &mut page);
    Ok(Response::bytes(StatusCode::OK, content_type::PROMETHEUS, page.text))
}

/// The page of metrics, while it is written.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "counter", help);
        let _ = writeln!(self.text, "{name} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "gauge", help);
        let _ = writeln!(self.text, "{name} {value}");
    }

    /// Writes values, each with a label.
    fn labelled<L: Display, V: Display>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl Iterator<Item = (L, V)>,
    ) {
        self.head(name, "counter", help);
        for (text, value) in values {
            let _ = writeln!(self.text, "{name}{{{label}=\"{text}\"}} {value}");
        }
    }

    /// Writes a value with labels, in the form `name="value",...`. Its head stands already.
    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.text, "{name}{{{labels}}} {value}");
    }

    /// Writes a histogram. Prometheus counts cumulatively: each bucket includes the ones below it.
    fn histogram(&mut self, name: &str, help: &str, cuts: &[f64], summary: &Summary) {
        self.head(name, "histogram", help);
        for (cut, below) in cumulated(cuts, summary) {
            let _ = writeln!(self.text, "{name}_bucket{{le=\"{cut}\"}} {below}");
        }
        let _ = writeln!(self.text, "{name}_sum {}\n{name}_count {}", summary.sum, summary.count());
    }

    /// Writes a histogram with labels. Its head stands already.
    fn histogram_values(&mut self, name: &str, labels: &str, cuts: &[f64], summary: &Summary) {
        for (cut, below) in cumulated(cuts, summary) {
            self.value(&format!("{name}_bucket"), &format!("{labels},le=\"{cut}\""), below);
        }
        self.value(&format!("{name}_sum"), labels, summary.sum);
        self.value(&format!("{name}_count"), labels, summary.count());
    }
}

/// Returns the upper end of each bucket, and the count of the values up to it.
fn cumulated(cuts: &[f64], summary: &Summary) -> impl Iterator<Item = (String, u64)> {
    let cuts = cuts.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
    cuts.zip(&summary.counts).scan(0, |below, (cut, count)| {
        *below += count;
        Some((cut, *below))
    })
}

/// Writes the counts of spans, if requests are traced.
fn print_traces(services: &Services, page: &mut Page) {
    let Some(tracer) = &services.tracer else { return };
    let figures = tracer.figures();
    page.counter(
        "persea_traces_exported_spans_total",
        "Spans that the collector has accepted.",
        figures.exported,
    );
    page.counter(
        "persea_traces_dropped_spans_total",
        "Spans that were lost, mostly by a full queue.",
        figures.dropped,
    );
    page.counter(
        "persea_traces_failed_exports_total",
        "Requests to the collector that have failed.",
        figures.failures,
    );
}

fn print_requests(services: &Services, page: &mut Page) {
    let totals: Totals = services.metrics.totals();
    let name = |what: &str| format!("arangodb_http_request_statistics_{what}_requests_total");
    page.counter(&name("total"), "HTTP requests.", totals.requests());
    page.counter(&name("superuser"), "Requests without a user.", totals.superuser);
    let users = totals.requests().saturating_sub(totals.superuser);
    page.counter(&name("user"), "Requests of users.", users);
    page.counter(&name("async"), "Requests that were put aside.", totals.asynchronous);
    for (method, count) in METHODS.iter().zip(totals.methods) {
        let what = if *method == "other" { "other_http".to_owned() } else { format!("http_{method}") };
        page.counter(&name(&what), &format!("HTTP requests with the method {method}."), count);
    }
    let statuses =
        totals.statuses.iter().enumerate().skip(1).map(|(digit, count)| (format!("{digit}xx"), *count));
    page.labelled(
        "arangodb_http_response_code_total",
        "Replies by the class of their status.",
        "code",
        statuses,
    );
    let name = |what: &str| format!("arangodb_client_connection_statistics_{what}");
    page.histogram(&name("total_time"), "Seconds from a request to its reply.", &TIME_CUTS, &totals.time);
    page.histogram(&name("request_time"), "Seconds from a request to its reply.", &TIME_CUTS, &totals.time);
    page.histogram(&name("bytes_sent"), "Bytes of the bodies of replies.", &BYTES_CUTS, &totals.sent);
    page.histogram(
        &name("bytes_received"),
        "Bytes of the bodies of requests.",
        &BYTES_CUTS,
        &totals.received,
    );
    for (version, sizes) in [("http1", &totals.received_http1), ("http2", &totals.received_http2)] {
        let name = format!("arangodb_request_body_size_{version}");
        page.histogram(&name, "Bytes of the bodies of requests by protocol.", &BYTES_CUTS, sizes);
    }
    let name = |what: &str| format!("arangodb_client_user_connection_statistics_{what}");
    page.histogram(
        &name("bytes_sent"),
        "Bytes of the bodies of replies to users.",
        &BYTES_CUTS,
        &totals.sent_to_users,
    );
    page.histogram(
        &name("bytes_received"),
        "Bytes of the bodies of requests of users.",
        &BYTES_CUTS,
        &totals.received_from_users,
    );
}

fn print_connections(services: &Services, page: &mut Page) {
    let Services { connections, metrics, .. } = services;
    page.gauge(
        "arangodb_client_connection_statistics_client_connections",
        "Open connections.",
        connections.len(),
    );
    page.histogram(
        "arangodb_client_connection_statistics_connection_time",
        "Seconds from the begin of a connection to its end.",
        &CONNECTION_CUTS,
        &metrics.connection_time(),
    );
    let http2 = connections.http2();
    page.counter(
        "arangodb_http1_connections_total",
        "HTTP/1.1 connections.",
        connections.accepted().saturating_sub(http2),
    );
    page.counter("arangodb_http2_connections_total", "HTTP/2 connections.", http2);
    let (received, sent) = metrics.traffic();
    page.counter("persea_connection_bytes_received_total", "Bytes received on all connections.", received);
    page.counter("persea_connection_bytes_sent_total", "Bytes sent on all connections.", sent);
}

fn print_catalog(session: &Session, page: &mut Page) {
    let catalog = session.catalog();
    let collections: usize = catalog.databases().map(|database| database.collections().count()).sum();
    page.gauge("arangodb_metadata_number_of_databases", "Databases.", catalog.databases().count());
    page.gauge(
        "arangodb_metadata_number_of_collections",
        "Collections of all databases, system collections among them.",
        collections,
    );
}
