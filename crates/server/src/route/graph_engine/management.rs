//! Engines are started and stopped: by the interface of ArangoDB's cloud, and by that of its
//! platform, which had two other paths before.
//!
//! All engines are this server, so an engine is there at once. Its size says nothing.

use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;

use super::body::Body;
use super::print::{SERVICE, TYPE, print_engine, print_service};
use crate::http::Cost::Constant;
use crate::http::audit::Audit;
use crate::http::route::AllServers;
use crate::http::{Request, Response, Route, Verb};

/// The version of the cloud's interface.
const VERSION: (u64, u64, u64) = (1, 0, 0);
/// The size of an engine that its client does not name.
const SIZE: &str = "server";
/// Maximum length of the name of a size.
const SIZE_MAX_BYTES: usize = 64;

const ENGINES: &str = "/graph-analytics/api/graphanalytics/v1/engines";
const ENGINE: &str = "/graph-analytics/api/graphanalytics/v1/engines/{engine}";

/// A body for the description of the routes.
const NEW: &str = r#"{"type_id": "gral", "size_id": "e4"}"#;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/graph-analytics/api/graphanalytics/v1/api-version", Constant, version)
        .for_everybody()
        .about("Returns the version of the interface that manages engines."),
    Route::new(Verb::Get, "/graph-analytics/api/graphanalytics/v1/enginetypes", Constant, types)
        .for_everybody()
        .about("Lists the types of graph analytics engines."),
    Route::new(Verb::Get, "/graph-analytics/api/graphanalytics/v1/enginesizes", Constant, sizes)
        .for_everybody()
        .about("Lists the sizes of graph analytics engines."),
    Route::new(Verb::Get, ENGINES, Constant, list)
        .for_everybody()
        .of_all_servers(AllServers::List { attribute: Some("items"), limit: None })
        .about("Lists the graph analytics engines of the user."),
    Route::new(Verb::Post, ENGINES, Constant, create)
        .for_everybody()
        .audited(Audit::Service)
        .about("Starts a graph analytics engine, which is this server.")
        .with_body(NEW),
    Route::new(Verb::Get, ENGINE, Constant, get)
        .for_everybody()
        .of_local_object("engine")
        .about("Returns a graph analytics engine."),
    Route::new(Verb::Delete, ENGINE, Constant, remove)
        .for_everybody()
        .of_local_object("engine")
        .audited(Audit::Service)
        .about("Removes a graph analytics engine with its graphs and jobs."),
    start("/_platform/acp/v1/graphanalytics"),
    start("/gen-ai/v1/graphanalytics"),
    start("/ai/v1/graphanalytics"),
    services("/_platform/acp/v1/list_services"),
    services("/gen-ai/v1/list_services"),
    services("/ai/v1/list_services"),
    stop("/_platform/acp/v1/service/{service}"),
    stop("/gen-ai/v1/service/{service}"),
    stop("/ai/v1/service/{service}"),
];

const fn start(pattern: &'static str) -> Route {
    Route::new(Verb::Post, pattern, Constant, start_service)
        .for_everybody()
        .audited(Audit::Service)
        .about("Starts a graph analytics engine as a service.")
        .with_body("{}")
}

const fn services(pattern: &'static str) -> Route {
    Route::new(Verb::Post, pattern, Constant, list_services)
        .for_everybody()
        .about("Lists the services: the graph analytics engines of the user.")
}

const fn stop(pattern: &'static str) -> Route {
    Route::new(Verb::Delete, pattern, Constant, stop_service)
        .for_everybody()
        .audited(Audit::Service)
        .about("Stops a service: removes a graph analytics engine with its graphs and jobs.")
}

fn version(_session: &Session, _request: &Request) -> Result<Response> {
    let (major, minor, patch) = VERSION;
    Response::object(StatusCode::OK, |fields| {
        fields.number("major", major).number("minor", minor).number("patch", patch);
    })
}

fn types(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.list("items", |items| {
            items.child_element(|item| {
                item.text("id", TYPE);
            });
        });
    })
}

fn sizes(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.list("items", |items| {
            items.child_element(|item| {
                item.text("id", SIZE);
            });
        });
    })
}

fn list(session: &Session, request: &Request) -> Result<Response> {
    let engines = session.engines();
    Response::object(StatusCode::OK, |fields| {
        fields.list("items", |items| {
            for engine in &engines {
                items.child_element(|item| print_engine(engine, request, item));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let body = Body::of(body.slice(), &["type_id", "size_id"])?;
    if let Some(other) = body.text("type_id")?.filter(|its| *its != TYPE) {
        return Err(Error::bad_parameter(format!("'type_id' is '{other}'; it must be '{TYPE}'")));
    }
    let size = body.text("size_id")?.unwrap_or(SIZE);
    if size.len() > SIZE_MAX_BYTES {
        return Err(Error::bad_parameter(format!("'size_id' must have at most {SIZE_MAX_BYTES} bytes")));
    }
    let engine = session.start_engine(size)?;
    Response::object(StatusCode::OK, |fields| print_engine(&engine, request, fields))
}

fn get(session: &Session, request: &Request) -> Result<Response> {
    let engine = session.engine(request.parameter("engine"))?;
    Response::object(StatusCode::OK, |fields| print_engine(&engine, request, fields))
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    let engine = session.remove_engine(request.parameter("engine"))?;
    Response::object(StatusCode::OK, |fields| print_engine(&engine, request, fields))
}

fn start_service(session: &Session, _request: &Request) -> Result<Response> {
    let engine = session.start_engine(SIZE)?;
    Response::object(StatusCode::OK, |fields| {
        fields.child("serviceInfo", |info| {
            print_service(&engine, ("DEPLOYED", "Install complete"), info);
        });
    })
}

fn list_services(session: &Session, _request: &Request) -> Result<Response> {
    let engines = session.engines();
    Response::object(StatusCode::OK, |fields| {
        fields.list("services", |services| {
            for engine in &engines {
                services.child_element(|service| {
                    print_service(engine, ("DEPLOYED", "Install complete"), service);
                });
            }
        });
    })
}

fn stop_service(session: &Session, request: &Request) -> Result<Response> {
    let service = request.parameter("service");
    let engine = session.remove_engine(service.strip_prefix(SERVICE).unwrap_or(service))?;
    Response::object(StatusCode::OK, |fields| {
        fields.child("serviceInfo", |info| {
            print_service(&engine, ("UNINSTALLED", "Uninstall complete"), info);
        });
    })
}
