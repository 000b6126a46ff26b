//! `/_api/analytics`: the algorithms over whole graphs, and the graphs that stay in memory for
//! them. AQL's `GRAPH_ALGORITHM()` runs them.

use std::time::UNIX_EPOCH;

use database::Session;
use database::analytics::{ALGORITHMS, Algorithm, Kind, Parameter, ProjectionInfo};
use errors::Result;
use hyper::StatusCode;
use velocypack::{Builder, Limits};

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

const ALGORITHMS_PATTERN: &str = "/_api/analytics/algorithms";
const PATTERN: &str = "/_api/analytics/projections";
const ONE: &str = "/_api/analytics/projections/{name}";

/// A body for the description of the routes.
const PROJECTION: &str = r#"{"name": "roads", "vertexCollections": ["places"], "edgeCollections": ["roads"], "weightAttribute": "km"}"#;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, ALGORITHMS_PATTERN, Constant, algorithms)
        .about("Lists the algorithms over whole graphs with their parameters."),
    Route::new(Verb::Get, PATTERN, Constant, list).about("Lists the projections that the user may use."),
    Route::new(Verb::Post, PATTERN, Blocking, create)
        .audited(Audit::Service)
        .with_query(&["estimate"])
        .about("Loads a graph into memory, or estimates the memory that it would take.")
        .with_body(PROJECTION),
    Route::new(Verb::Get, ONE, Constant, get).of_local_object("name").about("Returns a projection."),
    Route::new(Verb::Delete, ONE, Blocking, remove)
        .of_local_object("name")
        .audited(Audit::Service)
        .about("Removes a projection from memory."),
];

fn algorithms(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.list("algorithms", |fields| {
            for algorithm in ALGORITHMS {
                fields.child_element(|fields| print_algorithm(algorithm, fields));
            }
        });
    })
}

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let projections = session.projections();
    Response::object(StatusCode::OK, |fields| {
        fields.list("projections", |fields| {
            for projection in &projections {
                fields.child_element(|fields| print(projection, fields));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    if request.flag("estimate", false)? {
        let (vertices, edges, bytes) = session.estimate_projection(body.slice())?;
        return Response::object(StatusCode::OK, |fields| {
            fields.number("vertices", vertices).number("edges", edges).number("bytes", bytes);
        });
    }
    let projection = session.create_projection(body.slice())?;
    Response::object(StatusCode::CREATED, |fields| print(&projection, fields))
}

fn get(session: &Session, request: &Request) -> Result<Response> {
    let projection = session.projection(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| print(&projection, fields))
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    let projection = session.remove_projection(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| print(&projection, fields))
}

fn print(projection: &ProjectionInfo, fields: &mut Fields<'_>) {
    let created = projection.created.duration_since(UNIX_EPOCH).unwrap_or_default();
    fields
        .text("id", &projection.id.to_string())
        .text("name", &projection.name)
        .text("user", &projection.user)
        .number("vertices", projection.vertices)
        .number("edges", projection.edges)
        .number("danglingEdges", projection.dangling_edges)
        .bool("weighted", projection.is_weighted)
        .list("attributes", |fields| {
            for name in &projection.attributes {
                fields.text_element(name);
            }
        })
        .number("bytes", projection.bytes)
        .double("created", created.as_secs_f64())
        .double("loadSeconds", projection.load_time.as_secs_f64())
        .double("ttl", projection.time_to_live.as_secs_f64());
    let mut source = Builder::new();
    // The description was made from a value, so it is JSON.
    if velocypack::json::parse(projection.source.as_bytes(), &Limits::default(), &mut source).is_ok() {
        fields.value("source", source.as_slice());
    }
}

fn print_algorithm(algorithm: &Algorithm, fields: &mut Fields<'_>) {
    fields
        .text("name", algorithm.name)
        .text("about", algorithm.about)
        .text("definition", algorithm.definition)
        .list("parameters", |fields| {
            for parameter in algorithm.parameters {
                fields.child_element(|fields| print_parameter(parameter, fields));
            }
        })
        .list("columns", |fields| {
            for column in algorithm.columns {
                fields.text_element(column);
            }
        })
        .bool("byVertex", algorithm.is_by_vertex);
}

fn print_parameter(parameter: &Parameter, fields: &mut Fields<'_>) {
    fields.text("name", parameter.name).text("about", parameter.about);
    fields.text("values", &parameter.kind.to_string());
    match parameter.kind {
        Kind::Number { default, min, max } => {
            fields.text("type", "number").double("default", default).double("min", min).double("max", max)
        }
        Kind::Count { default, min, max } => {
            fields.text("type", "integer").number("default", default).number("min", min).number("max", max)
        }
        Kind::Flag { default } => fields.text("type", "bool").bool("default", default),
        Kind::Choice(words) => {
            fields.text("type", "choice").text("default", words.first().copied().unwrap_or_default());
            fields.list("words", |fields| {
                for word in words {
                    fields.text_element(word);
                }
            });
            fields
        }
        Kind::Vertex => fields.text("type", "vertex"),
        Kind::Vertices { max } => fields.text("type", "vertices").number("max", max as u64),
        Kind::Attribute => fields.text("type", "attribute"),
    };
}
