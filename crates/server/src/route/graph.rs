//! `/_api/gharial`: named graphs.
//!
//! Replies, statuses and parameters follow ArangoDB 3.12's documentation, "Named graphs HTTP API
//! (Gharial)".

use catalog::GRAPHS_COLLECTION;
use database::Session;
use database::StoredGraph;
use errors::{Error, Result};
use hyper::StatusCode;
use hyper::header::{ETAG, HeaderValue};
use velocypack::{Builder, Slice};

use super::revision::durability;
use crate::http::Cost::{Blocking, Read};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/gharial", Read, list).about("Lists the named graphs."),
    Route::new(Verb::Post, "/_api/gharial", Blocking, create)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Creates a named graph.")
        .with_query(&["waitForSync"])
        .with_body(r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": ["v"], "to": ["v"]}]}"#),
    Route::new(Verb::Get, "/_api/gharial/{graph}", Read, read).about("Returns the definition of a graph."),
    Route::new(Verb::Delete, "/_api/gharial/{graph}", Blocking, drop_graph)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Drops a graph.")
        .with_query(&["dropCollections"]),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let graphs = session.graphs()?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("graphs", |fields| {
            for graph in &graphs {
                fields.with(|builder| print(builder, graph.slice()));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let graph = session.create_graph(body.slice(), durability(request)?)?;
    respond(changed_status(session, request)?, &graph)
}

fn read(session: &Session, request: &Request) -> Result<Response> {
    let graph = session.graph(request.parameter("graph"))?;
    Response::success(StatusCode::OK, |fields| print_graph(fields, &graph))
}

fn drop_graph(session: &Session, request: &Request) -> Result<Response> {
    let drop_collections = request.flag("dropCollections", false)?;
    session.drop_graph(request.parameter("graph"), drop_collections, durability(request)?)?;
    Response::success(changed_status(session, request)?, |fields| {
        fields.bool("removed", true);
    })
}

/// Returns the reply to a change of a graph: its present definition and revision.
pub(super) fn respond(status: StatusCode, graph: &StoredGraph) -> Result<Response> {
    let revision = graph.document.slice().get("_rev").and_then(Slice::as_str).unwrap_or_default();
    let revision = HeaderValue::from_str(revision).map_err(Error::internal)?;
    let response = Response::success(status, |fields| print_graph(fields, graph))?;
    Ok(response.header(ETAG, revision))
}

/// Returns 201 if the change of a graph is on disk, and 202 otherwise.
///
/// The request's parameter or the property of `_graphs` asks for the sync.
pub(super) fn changed_status(session: &Session, request: &Request) -> Result<StatusCode> {
    let catalog = session.catalog();
    let graphs = session.database_in(&catalog)?.collection(GRAPHS_COLLECTION);
    let synced = graphs.is_some_and(|graphs| graphs.definition().properties.wait_for_sync)
        || request.flag("waitForSync", false)?;
    Ok(if synced { StatusCode::CREATED } else { StatusCode::ACCEPTED })
}

fn print_graph(fields: &mut Fields<'_>, graph: &StoredGraph) {
    fields.with(|builder| {
        builder.key("graph")?;
        print(builder, graph.document.slice())
    });
}

/// Writes a graph's document in the clients' form: with its name in addition to its key.
fn print(builder: &mut Builder, document: Slice<'_>) -> velocypack::Result<()> {
    let name = document.get("_key").and_then(Slice::as_str).unwrap_or_default();
    builder.open_object()?;
    for (attribute, value) in document.entries() {
        builder.key(attribute)?;
        match attribute {
            // It is stored as a marker, which nested values must not have.
            "_id" => builder.add_str(&format!("{GRAPHS_COLLECTION}/{name}"))?,
            _ => builder.add_slice(value)?,
        }
    }
    if document.get("name").is_none() {
        builder.key("name")?;
        builder.add_str(name)?;
    }
    builder.close()
}
