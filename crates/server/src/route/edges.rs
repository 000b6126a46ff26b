//! `/_api/edges`: the edges of a vertex.

use catalog::DocumentIdentifier;
use database::Format;
use database::Session;
use database::query::request::QueryRequest;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Blocking;
use crate::http::fields::Fields;
use crate::http::following::mark_dirty;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/edges/{collection}", Blocking, of_vertex)
        .reading_replicas()
        .about("Returns the edges of a vertex.")
        .with_query(&["vertex", "direction"]),
    Route::new(Verb::Post, "/_api/edges/{collection}", Blocking, of_vertices)
        .reading_replicas()
        .about("Returns the edges of several vertices.")
        .with_query(&["direction"])
        .with_body(r#"["docs/a"]"#),
];

fn of_vertex(session: &Session, request: &Request) -> Result<Response> {
    let vertex = request.text("vertex")?.filter(|vertex| DocumentIdentifier::parse(vertex).is_some());
    let vertex = vertex.ok_or_else(|| Error::of(ErrorCode::DocumentHandleBad))?;
    let vertices = Fields::array(|fields| {
        fields.text_element(&vertex);
    })?;
    respond(session, request, Slice::new(&vertices))
}

fn of_vertices(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_value()?;
    if !body.slice().is_array() {
        let message = "the request body must be an array of vertex identifiers";
        return Err(Error::new(ErrorCode::HttpBadParameter, message));
    }
    respond(session, request, body.slice())
}

fn respond(session: &Session, request: &Request, vertices: Slice<'_>) -> Result<Response> {
    let name = request.parameter("collection");
    let collection = session.collection(name, catalog::AccessLevel::ReadOnly)?;
    if !collection.is_edge() {
        return Err(Error::of(ErrorCode::CollectionTypeInvalid));
    }
    let text = match request.text("direction")?.as_deref() {
        // arangojs sends the word `undefined` for a missing JavaScript value.
        None | Some("" | "any" | "undefined") => "FOR e IN @@c FILTER e._from IN @v OR e._to IN @v RETURN e",
        Some("in" | "inbound") => "FOR e IN @@c FILTER e._to IN @v RETURN e",
        Some("out" | "outbound") => "FOR e IN @@c FILTER e._from IN @v RETURN e",
        Some(other) => {
            let message = format!("parameter 'direction' must be any, in or out, not '{other}'");
            return Err(Error::new(ErrorCode::HttpBadParameter, message));
        }
    };
    let mut query = QueryRequest::new(text);
    query.batch_size = usize::MAX;
    query.bind_variables = Fields::object(|fields| {
        fields.text("@c", collection.name()).value("v", vertices);
    })?;
    let reply = session.query(&query, Format::VelocyPack)?;
    let may_be_dirty = reply.may_be_dirty;
    let reply = Slice::new(&reply.body);
    let response = Response::success(StatusCode::OK, |fields| {
        fields.value("edges", reply.get("result").unwrap_or(Slice::EMPTY_ARRAY));
        fields.value("stats", reply.get_path(&["extra", "stats"]).unwrap_or(Slice::EMPTY_OBJECT));
    })?;
    Ok(if may_be_dirty { mark_dirty(response) } else { response })
}
