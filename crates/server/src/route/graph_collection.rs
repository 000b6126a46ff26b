//! `/_api/gharial/{graph}/vertex` and `/edge`: the collections of a graph.

use catalog::EdgeDefinition;
use catalog::graph::check_satellites;
use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::graph::{changed_status, respond};
use super::revision::durability;
use crate::http::Cost::{Blocking, Read};
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/gharial/{graph}/vertex", Read, list_vertex_collections)
        .about("Lists the vertex collections of a graph."),
    Route::new(Verb::Post, "/_api/gharial/{graph}/vertex", Blocking, add_vertex_collection)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Adds a vertex collection to a graph.")
        .with_body(r#"{"collection": "persons"}"#),
    Route::new(Verb::Delete, "/_api/gharial/{graph}/vertex/{collection}", Blocking, remove_vertex_collection)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Removes a vertex collection from a graph.")
        .with_query(&["dropCollection"]),
    Route::new(Verb::Get, "/_api/gharial/{graph}/edge", Read, list_edge_collections)
        .about("Lists the edge collections of a graph."),
    Route::new(Verb::Post, "/_api/gharial/{graph}/edge", Blocking, add_edge_definition)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Adds an edge definition to a graph.")
        .with_body(r#"{"collection": "knows", "from": ["persons"], "to": ["persons"]}"#),
    Route::new(Verb::Put, "/_api/gharial/{graph}/edge/{collection}", Blocking, replace_edge_definition)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Replaces an edge definition.")
        .with_query(&["dropCollections"])
        .with_body(r#"{"collection": "knows", "from": ["persons"], "to": ["persons"]}"#),
    Route::new(Verb::Delete, "/_api/gharial/{graph}/edge/{collection}", Blocking, remove_edge_definition)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Removes an edge definition from a graph.")
        .with_query(&["dropCollections"]),
];

fn list_vertex_collections(session: &Session, request: &Request) -> Result<Response> {
    let graph = session.graph(request.parameter("graph"))?.definition;
    respond_names(graph.vertex_collections())
}

fn list_edge_collections(session: &Session, request: &Request) -> Result<Response> {
    let graph = session.graph(request.parameter("graph"))?.definition;
    respond_names(graph.edge_collections())
}

fn respond_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.list("collections", |fields| {
            for name in names {
                fields.text_element(name);
            }
        });
    })
}

fn add_vertex_collection(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    check_options(body.slice())?;
    let collection = body.slice().get("collection").and_then(Slice::as_str).filter(|name| !name.is_empty());
    let collection =
        collection.ok_or_else(|| Error::bad_parameter("'collection' must be the name of a collection"))?;
    let graph = request.parameter("graph");
    let changed = session.add_vertex_collection(graph, collection, durability(request)?)?;
    respond(changed_status(session, request)?, &changed)
}

fn remove_vertex_collection(session: &Session, request: &Request) -> Result<Response> {
    let (graph, collection) = (request.parameter("graph"), request.parameter("collection"));
    let is_dropped = is_dropped(request)?;
    let changed = session.remove_vertex_collection(graph, collection, is_dropped, durability(request)?)?;
    let status = match changed_status(session, request)? {
        StatusCode::CREATED => StatusCode::OK,
        other => other,
    };
    respond(status, &changed)
}

fn add_edge_definition(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    check_options(body.slice())?;
    let definition = EdgeDefinition::parse(body.slice())?;
    let graph = request.parameter("graph");
    let changed = session.add_edge_definition(graph, &definition, durability(request)?)?;
    respond(changed_status(session, request)?, &changed)
}

/// Replaces an edge definition.
///
/// The parameter `dropCollections` is accepted and drops nothing, as in ArangoDB. The edge
/// collection stays in the graph, and vertex collections become orphans.
fn replace_edge_definition(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    check_options(body.slice())?;
    let definition = EdgeDefinition::parse(body.slice())?;
    let (graph, collection) = (request.parameter("graph"), request.parameter("collection"));
    if definition.collection != collection {
        let message = format!(
            "malformed edge definition: 'collection' is '{}', the path names '{collection}'",
            definition.collection
        );
        return Err(Error::new(ErrorCode::GraphCreateMalformedEdgeDefinition, message));
    }
    let changed = session.replace_edge_definition(graph, &definition, durability(request)?)?;
    respond(changed_status(session, request)?, &changed)
}

fn remove_edge_definition(session: &Session, request: &Request) -> Result<Response> {
    let (graph, collection) = (request.parameter("graph"), request.parameter("collection"));
    let is_dropped = is_dropped(request)?;
    let changed = session.remove_edge_definition(graph, collection, is_dropped, durability(request)?)?;
    respond(changed_status(session, request)?, &changed)
}

/// Returns true with `dropCollection` or `dropCollections`: the versions of ArangoDB differ.
fn is_dropped(request: &Request) -> Result<bool> {
    Ok(request.flag("dropCollection", false)? || request.flag("dropCollections", false)?)
}

/// Checks the options. Satellites have no effect on a single server, but a malformed list is an
/// error.
fn check_options(body: Slice<'_>) -> Result<()> {
    let options = body.get("options").filter(|options| !options.is_null());
    check_satellites(options.unwrap_or(Slice::EMPTY_OBJECT), false)
}
