//! `/_api/export`: all documents of a collection as of one moment.
//!
//! The replies are those of a cursor. With `Accept: application/x-ndjson` the whole collection comes in one reply, a
//! document a line, and the parameter `from` begins behind a key: the last one that was received.

use database::export::{ExportLines, ExportRequest};
use hyper::StatusCode;

use super::cursor::{fetch, remove, respond};
use crate::error::Result;
use crate::http::format;
use crate::http::request::Request;
use crate::http::response::{Response, content_type};
use crate::http::router::{Route, Verb};
use crate::http::stream::ChunkSource;
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::pool(Verb::Post, "/_api/export", create),
    Route::pool(Verb::Put, "/_api/export/{id}", fetch),
    Route::pool(Verb::Post, "/_api/export/{id}", fetch),
    Route::inline(Verb::Delete, "/_api/export/{id}", remove),
];

fn create(session: &Session, request: &Request) -> Result<Response> {
    let collection = request.query().required("collection")?;
    let mut export = ExportRequest::from_body(request.body_value()?.slice())?;
    export.from = request.text("from")?.filter(|key| !key.is_empty()).map(|key| key.into_owned());
    if format::accepts(request.headers(), "application/x-ndjson") {
        let lines = session.export_lines(&collection, export)?;
        return Ok(Response::stream(StatusCode::OK, content_type::NDJSON, Box::new(Lines(lines))));
    }
    Ok(respond(StatusCode::CREATED, session.export(&collection, export, request.accepted())?))
}

struct Lines(ExportLines);

impl ChunkSource for Lines {
    fn next_chunk(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        Ok(self.0.next_lines(out)?)
    }
}
