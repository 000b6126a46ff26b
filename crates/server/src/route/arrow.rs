//! Replies in Arrow's IPC stream format: a whole result as record batches.
//!
//! The columns are inferred from all rows, if they were computed before the reply. Otherwise they
//! are inferred from the first [`SAMPLE_ROWS`], and a later row that does not fit breaks the reply
//! off. The parameter `schema` names columns, and `json` those that become JSON text.

use std::collections::VecDeque;

use arrow_format::{Inference, RowSchema, StreamEncoder};
use database::cursor::encoder::EncodedRows;
use database::cursor::whole::WholeResult;
use database::{Charge, Session};
use errors::{Error, Result};
use velocypack::Slice;

use crate::http::content_type;
use crate::http::format::{self, ARROW_STREAM};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::stream::ChunkSource;

/// The parameters that [`Columns::of`] reads.
pub(super) const PARAMETERS: &[&str] = &["schema", "json"];

/// Rows from which the schema of a streamed result is inferred, at least if there are as many.
const SAMPLE_ROWS: usize = 1_000;
/// Bytes of rows in VelocyPack from which the schema is inferred, even if they are fewer rows.
const SAMPLE_BYTES: usize = 4 << 20;
/// Maximum length of a chunk in bytes.
const CHUNK_BYTES: usize = 256 << 10;

/// Returns true if the client wants a reply in Arrow.
pub(super) fn is_accepted(request: &Request) -> bool {
    format::accepts(request.headers(), ARROW_STREAM)
}

/// The columns that the client named.
pub(super) struct Columns {
    schema: Option<RowSchema>,
    json: Vec<String>,
}

impl Columns {
    /// Reads the parameters `schema` and `json`. Errors: 10.
    pub(super) fn of(request: &Request) -> Result<Self> {
        let text = |name| Ok::<_, Error>(request.text(name)?.filter(|text| !text.is_empty()));
        let schema = text("schema")?.map(|text| RowSchema::parse(&text)).transpose()?;
        let json = text("json")?.unwrap_or_default();
        if schema.is_some() && !json.is_empty() {
            return Err(Error::bad_parameter(
                "the parameters 'schema' and 'json' exclude each other; name a column of JSON text as \
                 `name:json` in 'schema'",
            ));
        }
        let json = json.split(',').map(str::trim).filter(|name| !name.is_empty());
        Ok(Columns { schema, json: json.map(str::to_owned).collect() })
    }

    /// Returns an inference for the columns that the client did not name.
    pub(super) fn inference(&self) -> Inference {
        Inference::new(self.json.iter().cloned())
    }
}

/// Returns the reply with a whole result.
///
/// `inference` has observed all rows of a result that is complete, and none of another. Errors:
/// those of the query, and 10 for a row of the first record batch that does not fit the schema.
pub(super) fn respond(
    request: &Request,
    session: &Session,
    columns: Columns,
    mut inference: Inference,
    mut result: WholeResult,
) -> Result<Response> {
    let mut waiting = VecDeque::new();
    let schema = match columns.schema {
        Some(schema) => schema,
        None if result.is_complete() => inference.finish()?,
        None => {
            let (mut rows, mut bytes) = (0, 0);
            while rows < SAMPLE_ROWS
                && bytes < SAMPLE_BYTES
                && let Some(batch) = result.next_rows()?
            {
                rows += batch.rows;
                bytes += batch.bytes.len();
                Slice::new(&batch.bytes).elements().for_each(|row| inference.observe(row));
                waiting.push_back(batch);
            }
            inference.finish()?
        }
    };
    let mut stream = ArrowStream {
        result,
        waiting,
        next: 0,
        encoder: StreamEncoder::new(schema)?,
        memory: Charge::new(session.request_memory()),
        ready: Vec::new(),
        sent: 0,
        is_done: false,
        database: std::sync::Arc::clone(session.database_name()),
    };
    // Before the reply begins: the client gets this error as a reply.
    stream.refill()?;
    Response::compressed_stream(request, content_type::ARROW, Box::new(stream))
}

/// The chunks of a reply.
struct ArrowStream {
    result: WholeResult,
    /// Rows that were read from the result already.
    waiting: VecDeque<EncodedRows>,
    /// The place of the next row in the first of them.
    next: usize,
    encoder: StreamEncoder,
    /// The memory of `ready`, and of the record batch that is being made.
    memory: Charge,
    /// Bytes of the stream, of which `sent` were sent.
    ready: Vec<u8>,
    sent: usize,
    /// True if the stream has its end.
    is_done: bool,
    /// The database, for messages.
    database: std::sync::Arc<str>,
}

impl ArrowStream {
    /// Makes the next record batch or the end of the stream. All bytes must have been sent.
    fn refill(&mut self) -> Result<()> {
        (self.ready, self.sent) = (Vec::new(), 0);
        self.memory.clear();
        if self.waiting.is_empty() {
            self.waiting.extend(self.result.next_rows()?);
        }
        match self.waiting.front() {
            Some(batch) if batch.rows == 0 => drop(self.waiting.pop_front()),
            Some(batch) => {
                let rows = Slice::new(&batch.bytes);
                self.memory.grow(self.encoder.batch_memory_bytes(rows) as u64)?;
                self.next = self.encoder.write(rows, self.next)?;
                if self.next >= batch.rows {
                    self.waiting.pop_front();
                    self.next = 0;
                }
                self.memory.clear();
            }
            None => {
                self.encoder.finish()?;
                self.is_done = true;
            }
        }
        self.ready = self.encoder.take();
        self.memory.grow(self.ready.capacity() as u64)
    }
}

impl ChunkSource for ArrowStream {
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        while self.sent >= self.ready.len() {
            if self.is_done {
                return Ok(None);
            }
            self.refill().inspect_err(|error| {
                // The client sees only that the reply is not complete.
                let database = &self.database;
                tracing::warn!(target: "queries", %database, "a reply in Arrow was broken off: {error}");
            })?;
        }
        let rest = self.ready.get(self.sent..).unwrap_or_default();
        let chunk = rest.get(..CHUNK_BYTES).unwrap_or(rest).to_vec();
        self.sent += chunk.len();
        Ok(Some(chunk))
    }

    fn release(&mut self) {
        self.result.release();
    }
}
