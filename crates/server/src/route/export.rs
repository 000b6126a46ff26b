//! `/_api/export`: all documents of a collection as of one moment.
//!
//! The replies are those of a cursor. With `Accept: application/x-ndjson` the whole collection
//! comes in one reply, one document per line, and with `Accept:
//! application/vnd.apache.arrow.stream` as record batches. The parameter `from` begins after a key:
//! the last one that the client received.

use std::sync::Arc;

use database::Session;
use database::export::{ExportLines, ExportRequest};
use errors::Result;
use hyper::StatusCode;

use super::arrow::{self, Columns};
use super::cursor::{fetch_batch, remove, respond};
use super::parameter;
use crate::http::Cost::Blocking;
use crate::http::content_type;
use crate::http::format;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::http::stream::ChunkSource;
use crate::placement::pool::WorkerPool;

/// Bytes of lines from which a chunk is sent.
const CHUNK_BYTES: usize = 256 << 10;
/// Documents between two checks of a chunk's size.
const CHUNK_STEP: usize = 100;
/// Bytes that these documents of usual size may take beyond the limit.
const CHUNK_ROOM: usize = 32 << 10;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) pool: Arc<WorkerPool>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::new(Verb::Post, "/_api/export", Blocking, create)
        .about("Begins an export of a collection.")
        .with_query(&["collection", "from", "schema", "json"])
        .with_body(r#"{"batchSize": 1000}"#),
    Route::with(Verb::Put, "/_api/export/{id}", Blocking, fetch)
        .of_local_object("id")
        .about("Returns the next documents of an export."),
    Route::with(Verb::Post, "/_api/export/{id}", Blocking, fetch)
        .of_local_object("id")
        .about("Returns the next documents of an export."),
    Route::new(Verb::Delete, "/_api/export/{id}", Blocking, remove)
        .of_local_object("id")
        .about("Ends an export."),
];

fn create(session: &Session, request: &Request) -> Result<Response> {
    let collection = parameter::collection(request)?;
    let mut export = ExportRequest::from_body(request.body_value()?.slice())?;
    export.from = request.text("from")?.filter(|key| !key.is_empty()).map(|key| key.into_owned());
    if arrow::is_accepted(request) {
        let columns = Columns::of(request)?;
        let inference = columns.inference();
        let result = session.export_whole(&collection, export)?;
        return arrow::respond(request, session, columns, inference, result);
    }
    if format::accepts(request.headers(), "application/x-ndjson") {
        let lines = Lines { lines: session.export_lines(&collection, export)?, is_done: false };
        return Response::compressed_stream(request, content_type::NDJSON, Box::new(lines));
    }
    Ok(respond(StatusCode::CREATED, session.export(&collection, export, request.accepted())?))
}

fn fetch(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    fetch_batch(&services.pool, session, request)
}

struct Lines {
    lines: ExportLines,
    is_done: bool,
}

impl ChunkSource for Lines {
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if self.is_done {
            return Ok(None);
        }
        let mut chunk = Vec::with_capacity(CHUNK_BYTES + CHUNK_ROOM);
        while !self.is_done && chunk.len() < CHUNK_BYTES {
            self.is_done = !self.lines.next_lines(CHUNK_STEP, &mut chunk)?;
        }
        Ok(Some(chunk))
    }

    fn release(&mut self) {
        self.lines.release();
    }
}
