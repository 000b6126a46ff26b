//! `/_admin/statistics*`: ArangoDB's statistics from before it had metrics.

use std::sync::Arc;
use std::time::Instant;

use database::Session;
use errors::Result;
use hyper::StatusCode;
use metrics::Summary;

use super::status::now_seconds;
use crate::http::Cost::{Blocking, Constant};
use crate::http::connections::Connections;
use crate::http::metrics::{BYTES_CUTS, CONNECTION_CUTS, METHODS, Metrics, TIME_CUTS, Totals};
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::placement::pool::WorkerPool;
use crate::service::machine::{self, Process};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) started: Instant,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/statistics", Blocking, statistics)
        .for_inspectors()
        .about("Returns statistics of requests and the process."),
    Route::new(Verb::Get, "/_admin/statistics-description", Constant, description)
        .for_inspectors()
        .about("Describes the statistics of requests and the process."),
];

fn statistics(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    let totals = services.metrics.totals();
    Response::success(StatusCode::OK, |fields| {
        fields.double("time", now_seconds()).bool("enabled", true);
        fields.child("system", print_system);
        let all = [&totals.sent, &totals.received];
        fields.child("client", |fields| print_client(services, &totals, all, fields));
        let of_users = [&totals.sent_to_users, &totals.received_from_users];
        fields.child("clientUser", |fields| print_client(services, &totals, of_users, fields));
        fields.child("http", |fields| print_http(&totals, fields));
        fields.child("server", |fields| print_server(services, session, fields));
    })
}

fn print_system(fields: &mut Fields<'_>) {
    let process = Process::now();
    let physical = machine::physical_memory_bytes().max(1);
    fields
        .number("minorPageFaults", process.minor_page_faults)
        .number("majorPageFaults", process.major_page_faults)
        .double("userTime", process.user_seconds)
        .double("systemTime", process.system_seconds)
        .number("numberOfThreads", process.threads)
        .number("residentSize", process.resident_bytes)
        .double("residentSizePercent", process.resident_bytes as f64 / physical as f64)
        .number("virtualSize", process.virtual_bytes);
}

/// Writes the statistics of clients.
///
/// The total time is that of the request, without the connection's. For users, only the bytes are
/// counted separately.
fn print_client(services: &Services, totals: &Totals, bytes: [&Summary; 2], fields: &mut Fields<'_>) {
    let [sent, received] = bytes;
    let nothing = Summary::empty(&TIME_CUTS);
    fields.number("httpConnections", services.connections.len() as u64);
    print_distribution("connectionTime", &services.metrics.connection_time(), fields);
    print_distribution("totalTime", &totals.time, fields);
    print_distribution("requestTime", &totals.time, fields);
    print_distribution("queueTime", &services.pool.waits(), fields);
    print_distribution("ioTime", &nothing, fields);
    print_distribution("bytesSent", sent, fields);
    print_distribution("bytesReceived", received, fields);
}

fn print_distribution(name: &str, summary: &Summary, fields: &mut Fields<'_>) {
    fields.child(name, |fields| {
        fields.double("sum", summary.sum).number("count", summary.count());
        fields.list("counts", |list| {
            for count in &summary.counts {
                list.number_element(*count);
            }
        });
    });
}

fn print_http(totals: &Totals, fields: &mut Fields<'_>) {
    let requests = totals.requests();
    fields
        .number("requestsTotal", requests)
        .number("requestsSuperuser", totals.superuser)
        .number("requestsUser", requests.saturating_sub(totals.superuser))
        .number("requestsAsync", totals.asynchronous);
    for (method, count) in METHODS.iter().zip(totals.methods) {
        let (first, rest) = method.split_at(1);
        fields.number(&format!("requests{}{rest}", first.to_ascii_uppercase()), count);
    }
}

fn print_server(services: &Services, session: &Session, fields: &mut Fields<'_>) {
    let engine = session.engine_statistics();
    let (threads, busy) = services.pool.threads();
    fields.double("uptime", services.started.elapsed().as_secs_f64());
    fields.number("physicalMemory", machine::physical_memory_bytes());
    fields.child("transactions", |fields| {
        fields
            .number("started", engine.commits + engine.conflicts)
            .number("aborted", engine.conflicts)
            .number("committed", engine.commits)
            .number("intermediateCommits", session.instance().store().intermediate_commits())
            .number("readOnly", session.instance().transactions().counts().read_only.get())
            .number("dirtyReadOnly", session.instance().transactions().counts().dirty_read_only.get());
    });
    fields.child("threads", |fields| {
        fields
            .number("scheduler-threads", threads as u64)
            .number("in-progress", busy as u64)
            .number("queued", services.pool.queue_length() as u64);
    });
}

/// A group of statistics.
struct Group {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    figures: &'static [Figure],
}

/// One statistic.
struct Figure {
    id: &'static str,
    name: &'static str,
    kind: Kind,
    units: &'static str,
}

#[derive(Clone, Copy)]
enum Kind {
    /// The present value.
    Current,
    /// The total since the start.
    Accumulated,
    /// A histogram with these bucket bounds.
    Distribution(&'static [f64]),
}

const fn figure(id: &'static str, name: &'static str, kind: Kind, units: &'static str) -> Figure {
    Figure { id, name, kind, units }
}

use Kind::{Accumulated, Current, Distribution};

const SYSTEM: &[Figure] = &[
    figure("userTime", "User Time", Accumulated, "seconds"),
    figure("systemTime", "System Time", Accumulated, "seconds"),
    figure("numberOfThreads", "Number of Threads", Current, "number"),
    figure("residentSize", "Resident Set Size", Current, "bytes"),
    figure("residentSizePercent", "Resident Set Size, share of the machine's memory", Current, "percent"),
    figure("virtualSize", "Virtual Memory Size", Current, "bytes"),
    figure("minorPageFaults", "Minor Page Faults", Accumulated, "number"),
    figure("majorPageFaults", "Major Page Faults", Accumulated, "number"),
];

const CLIENT: &[Figure] = &[
    figure("httpConnections", "Client Connections", Current, "number"),
    figure("totalTime", "Total Time", Distribution(&TIME_CUTS), "seconds"),
    figure("requestTime", "Request Time", Distribution(&TIME_CUTS), "seconds"),
    figure("queueTime", "Queue Time", Distribution(&TIME_CUTS), "seconds"),
    figure("bytesSent", "Bytes Sent", Distribution(&BYTES_CUTS), "bytes"),
    figure("bytesReceived", "Bytes Received", Distribution(&BYTES_CUTS), "bytes"),
    figure("connectionTime", "Connection Time", Distribution(&CONNECTION_CUTS), "seconds"),
];

const HTTP: &[Figure] = &[
    figure("requestsTotal", "Total requests", Accumulated, "number"),
    figure("requestsSuperuser", "Total superuser requests", Accumulated, "number"),
    figure("requestsUser", "Total user requests", Accumulated, "number"),
    figure("requestsAsync", "Async requests", Accumulated, "number"),
    figure("requestsGet", "HTTP GET requests", Accumulated, "number"),
    figure("requestsHead", "HTTP HEAD requests", Accumulated, "number"),
    figure("requestsPost", "HTTP POST requests", Accumulated, "number"),
    figure("requestsPut", "HTTP PUT requests", Accumulated, "number"),
    figure("requestsPatch", "HTTP PATCH requests", Accumulated, "number"),
    figure("requestsDelete", "HTTP DELETE requests", Accumulated, "number"),
    figure("requestsOptions", "HTTP OPTIONS requests", Accumulated, "number"),
    figure("requestsOther", "other HTTP requests", Accumulated, "number"),
];

const SERVER: &[Figure] = &[
    figure("uptime", "Server Uptime", Current, "seconds"),
    figure("physicalMemory", "Physical Memory", Current, "bytes"),
];

const GROUPS: &[Group] = &[
    Group {
        id: "system",
        name: "Process Statistics",
        description: "Statistics about the process",
        figures: SYSTEM,
    },
    Group {
        id: "client",
        name: "Client Connection Statistics",
        description: "Statistics about the connections",
        figures: CLIENT,
    },
    Group {
        id: "clientUser",
        name: "Client User Connection Statistics",
        description: "Statistics about the connections of users",
        figures: CLIENT,
    },
    Group {
        id: "http",
        name: "HTTP Request Statistics",
        description: "Statistics about HTTP requests",
        figures: HTTP,
    },
    Group {
        id: "server",
        name: "Server Statistics",
        description: "Statistics about the server",
        figures: SERVER,
    },
];

fn description(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.list("groups", |list| {
            for group in GROUPS {
                list.child_element(|fields| {
                    fields
                        .text("group", group.id)
                        .text("name", group.name)
                        .text("description", group.description);
                });
            }
        });
        fields.list("figures", |list| {
            for (group, figure) in
                GROUPS.iter().flat_map(|group| group.figures.iter().map(move |f| (group, f)))
            {
                list.child_element(|fields| print_figure(group, figure, fields));
            }
        });
    })
}

fn print_figure(group: &Group, figure: &Figure, fields: &mut Fields<'_>) {
    fields.text("group", group.id).text("identifier", figure.id).text("name", figure.name);
    fields.text("description", figure.name);
    match figure.kind {
        Current => fields.text("type", "current"),
        Accumulated => fields.text("type", "accumulated"),
        Distribution(cuts) => fields.text("type", "distribution").list("cuts", |list| {
            for cut in cuts {
                list.double_element(*cut);
            }
        }),
    };
    fields.text("units", figure.units);
}
