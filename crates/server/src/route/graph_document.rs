//! `/_api/gharial/{graph}/vertex/{collection}` and `/edge/{collection}`: the documents of a graph.

use std::sync::Arc;

use database::Session;
use database::{GraphWrite, WriteOperation};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{ETAG, HeaderValue};
use storage::{Collection, Documents, StoredDocument, WriteKind, WriteOptions, WriteOutcome};
use velocypack::{Builder, Slice};

use super::revision::{check_revision, durability, waits_for_sync_in};
use crate::http::Cost::{Blocking, Read};
use crate::http::request::{BodyValue, Request};
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Post, "/_api/gharial/{graph}/vertex/{collection}", Blocking, insert_vertex)
        .about("Creates a vertex.")
        .with_query(&["waitForSync", "returnNew"])
        .with_body(r#"{"name": "Ann"}"#),
    Route::new(Verb::Get, "/_api/gharial/{graph}/vertex/{collection}/{key}", Read, read_vertex)
        .about("Returns a vertex.")
        .with_query(&["rev"]),
    Route::new(Verb::Put, "/_api/gharial/{graph}/vertex/{collection}/{key}", Blocking, replace_vertex)
        .about("Replaces a vertex.")
        .with_query(&["waitForSync", "keepNull", "returnOld", "returnNew"])
        .with_body(r#"{"name": "Ann"}"#),
    Route::new(Verb::Patch, "/_api/gharial/{graph}/vertex/{collection}/{key}", Blocking, update_vertex)
        .about("Changes a vertex.")
        .with_query(&["waitForSync", "keepNull", "returnOld", "returnNew"])
        .with_body(r#"{"name": "Ann"}"#),
    Route::new(Verb::Delete, "/_api/gharial/{graph}/vertex/{collection}/{key}", Blocking, remove_vertex)
        .about("Removes a vertex and its edges.")
        .with_query(&["waitForSync", "returnOld"]),
    Route::new(Verb::Post, "/_api/gharial/{graph}/edge/{collection}", Blocking, insert_edge)
        .about("Creates an edge.")
        .with_query(&["waitForSync", "returnNew"])
        .with_body(r#"{"_from": "persons/a", "_to": "persons/b"}"#),
    Route::new(Verb::Get, "/_api/gharial/{graph}/edge/{collection}/{key}", Read, read_edge)
        .about("Returns an edge.")
        .with_query(&["rev"]),
    Route::new(Verb::Put, "/_api/gharial/{graph}/edge/{collection}/{key}", Blocking, replace_edge)
        .about("Replaces an edge.")
        .with_query(&["waitForSync", "keepNull", "returnOld", "returnNew"])
        .with_body(r#"{"_from": "persons/a", "_to": "persons/b"}"#),
    Route::new(Verb::Patch, "/_api/gharial/{graph}/edge/{collection}/{key}", Blocking, update_edge)
        .about("Changes an edge.")
        .with_query(&["waitForSync", "keepNull", "returnOld", "returnNew"])
        .with_body(r#"{"name": "Ann"}"#),
    Route::new(Verb::Delete, "/_api/gharial/{graph}/edge/{collection}/{key}", Blocking, remove_edge)
        .about("Removes an edge.")
        .with_query(&["waitForSync", "returnOld"]),
];

/// The role of a document in its graph.
#[derive(Clone, Copy, PartialEq)]
enum Element {
    Vertex,
    Edge,
}

impl Element {
    /// Returns the attribute that holds the document in replies.
    fn name(self) -> &'static str {
        match self {
            Element::Vertex => "vertex",
            Element::Edge => "edge",
        }
    }
}

fn read_vertex(session: &Session, request: &Request) -> Result<Response> {
    let (graph, collection) = (request.parameter("graph"), request.parameter("collection"));
    read(request, Element::Vertex, session.read_vertex(graph, collection, request.parameter("key"))?)
}

fn read_edge(session: &Session, request: &Request) -> Result<Response> {
    let (graph, collection) = (request.parameter("graph"), request.parameter("collection"));
    read(request, Element::Edge, session.read_edge(graph, collection, request.parameter("key"))?)
}

fn insert_vertex(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Vertex, WriteOperation::Insert)
}

fn replace_vertex(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Vertex, WriteOperation::Replace)
}

fn update_vertex(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Vertex, WriteOperation::Update)
}

fn remove_vertex(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Vertex, WriteOperation::Remove)
}

fn insert_edge(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Edge, WriteOperation::Insert)
}

fn replace_edge(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Edge, WriteOperation::Replace)
}

fn update_edge(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Edge, WriteOperation::Update)
}

fn remove_edge(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, Element::Edge, WriteOperation::Remove)
}

fn read(
    request: &Request,
    element: Element,
    (collection, documents): (Arc<Collection>, Documents),
) -> Result<Response> {
    let document = documents.get(0).ok_or_else(|| Error::of(ErrorCode::DocumentNotFound))?;
    let revision = document.get("_rev").and_then(Slice::as_str).unwrap_or_default();
    check_revision(
        wanted_revision(request)?.as_deref(),
        collection.name(),
        request.parameter("key"),
        revision,
    )?;
    let response = if request.if_none_match() == Some(revision) {
        Response::empty(StatusCode::NOT_MODIFIED)
    } else {
        Response::success(StatusCode::OK, |fields| {
            fields.with(|builder| {
                builder.key(element.name())?;
                builder.add_resolved(document, Some(collection.name()))
            });
        })?
    };
    Ok(response.header(ETAG, revision_header(revision)?))
}

fn write(
    session: &Session,
    request: &Request,
    element: Element,
    operation: WriteOperation,
) -> Result<Response> {
    let options = write_options(request, operation)?;
    let body = match operation {
        // The path alone names the removed document.
        WriteOperation::Remove => None,
        _ => Some(request.body_value()?),
    };
    let body = body.as_ref().map_or(Slice::EMPTY_OBJECT, BodyValue::slice);
    if !body.is_object() {
        return Err(Error::of(ErrorCode::DocumentTypeInvalid));
    }
    let write = GraphWrite {
        graph: request.parameter("graph"),
        collection: request.parameter("collection"),
        operation,
        key: request.parameter("key"),
        body,
        options: &options,
        durability: durability(request)?,
    };
    let (collection, outcome) = match element {
        Element::Vertex => session.write_vertex(&write)?,
        Element::Edge => session.write_edge(&write)?,
    };
    let status = status(element, operation, waits_for_sync_in(&collection, request)?);
    let response = Response::success(status, |fields| {
        fields.with(|builder| print(builder, element, &collection, &outcome));
    })?;
    match operation {
        WriteOperation::Remove => Ok(response),
        _ => Ok(response.header(ETAG, revision_header(&outcome.revision.to_string())?)),
    }
}

fn print(
    builder: &mut Builder,
    element: Element,
    collection: &Collection,
    outcome: &WriteOutcome,
) -> velocypack::Result<()> {
    if outcome.kind == WriteKind::Removed {
        builder.key("removed")?;
        builder.add_bool(true)?;
    } else {
        builder.key(element.name())?;
        builder.open_object()?;
        builder.key("_id")?;
        builder.add_str(&format!("{}/{}", collection.name(), outcome.key))?;
        builder.key("_key")?;
        builder.add_str(&outcome.key)?;
        builder.key("_rev")?;
        builder.add_str(&outcome.revision.to_string())?;
        if let Some(old) = outcome.old_revision {
            builder.key("_oldRev")?;
            builder.add_str(&old.to_string())?;
        }
        builder.close()?;
    }
    for (name, document) in [("old", &outcome.old), ("new", &outcome.new)] {
        if let Some(document) = document.as_ref().map(StoredDocument::slice) {
            builder.key(name)?;
            builder.add_resolved(document, Some(collection.name()))?;
        }
    }
    Ok(())
}

fn write_options(request: &Request, operation: WriteOperation) -> Result<WriteOptions> {
    let mut options = WriteOptions {
        return_new: request.flag("returnNew", false)?,
        return_old: request.flag("returnOld", false)?,
        ..WriteOptions::default()
    };
    options.keep_null = request.flag("keepNull", options.keep_null)?;
    if operation != WriteOperation::Insert {
        options.if_match = wanted_revision(request)?;
    }
    Ok(options)
}

/// Returns the revision in `If-Match`, or in the parameter `rev` of older clients.
fn wanted_revision(request: &Request) -> Result<Option<String>> {
    match request.if_match() {
        Some(revision) => Ok(Some(revision.to_owned())),
        None => Ok(request.text("rev")?.filter(|revision| !revision.is_empty()).map(Into::into)),
    }
}

fn status(element: Element, operation: WriteOperation, synced: bool) -> StatusCode {
    match (element, operation) {
        _ if !synced => StatusCode::ACCEPTED,
        (_, WriteOperation::Insert) | (Element::Edge, WriteOperation::Replace) => StatusCode::CREATED,
        _ => StatusCode::OK,
    }
}

/// Returns a revision as the graph routes send it in `ETag`: without quotes.
fn revision_header(revision: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(revision).map_err(Error::internal)
}
