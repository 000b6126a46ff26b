//! Exports: all documents of a collection as of one moment, from the storage blocks to the reply.
//!
//! A snapshot takes constant time, so the first batch comes equally fast from a collection of any
//! size. There are two forms: ArangoDB's, batch by batch through a cursor, and a stream of lines
//! (NDJSON) in one reply. The stream can be resumed after any key.

use std::sync::Arc;
use std::time::Duration;

use aql_exec::BatchLimits;
use aql_value::{Charge, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use storage::{BlockLimits, DocumentScan, DocumentScanSpec, Documents, KeyBound};
use velocypack::{Builder, Slice, json, resolve_id};

use crate::query_request::{DEFAULT_BATCH_SIZE, DEFAULT_TTL_SECONDS, batch_size, ttl};
use crate::session::Session;
use crate::state::cursor::encoder::{Format, RowEncoder};
use crate::state::cursor::whole::WholeResult;
use crate::state::cursor::{CursorSpec, Reply, RowSource};

/// Number of documents in one read from storage: enough to spread the cost, few enough for a fast
/// first batch.
const BLOCK: BatchLimits = BatchLimits::FULL;
/// Maximum number of attributes in `restrict.fields`.
const MAX_FIELDS: usize = 10_000;

/// The options of `POST /_api/export`.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// Documents of one batch; at least 1.
    pub batch_size: usize,
    /// Report the number of all documents.
    pub count: bool,
    /// Maximum number of documents to export; `None` exports all.
    pub limit: Option<u64>,
    /// The idle time after which the cursor expires.
    pub ttl: Duration,
    /// The exported attributes.
    pub restrict: Restriction,
    /// The `_key` after which the export begins, to resume a broken export.
    pub from: Option<String>,
}

/// The exported attributes of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Restriction {
    /// All.
    #[default]
    None,
    /// Only these, by name, sorted.
    Include(Vec<String>),
    /// All but these, by name, sorted.
    Exclude(Vec<String>),
}

impl Default for ExportRequest {
    fn default() -> Self {
        ExportRequest {
            batch_size: DEFAULT_BATCH_SIZE,
            count: false,
            limit: None,
            ttl: Duration::from_secs_f64(DEFAULT_TTL_SECONDS),
            restrict: Restriction::None,
            from: None,
        }
    }
}

impl ExportRequest {
    /// Reads a request body; null and an empty object stand for the defaults.
    ///
    /// `flush` and `flushWait` are validated and have no effect: every committed document is
    /// exported. Errors: 17, 10.
    pub fn from_body(body: Slice<'_>) -> Result<Self> {
        let mut request = ExportRequest::default();
        if body.is_null() || body.is_none() {
            return Ok(request);
        }
        if !body.is_object() {
            return Err(type_error("an object as the body"));
        }
        for (name, value) in body.entries().filter(|(_, value)| !value.is_null()) {
            let number = || value.as_f64().ok_or_else(|| type_error(&format!("a number for '{name}'")));
            let flag = || value.as_bool().ok_or_else(|| type_error(&format!("a bool for '{name}'")));
            match name {
                "batchSize" => request.batch_size = batch_size(number()?)?,
                "count" => request.count = flag()?,
                "flush" => drop(flag()?),
                "flushWait" => drop(number()?),
                "limit" => request.limit = limit(number()?)?,
                "ttl" => request.ttl = ttl(number()?)?.unwrap_or(request.ttl),
                "restrict" => request.restrict = Restriction::from_slice(value)?,
                // Unknown attributes are ignored, as in ArangoDB.
                _ => {}
            }
        }
        Ok(request)
    }
}

impl ExportRequest {
    fn cursor_spec(&self, format: Format) -> CursorSpec {
        CursorSpec {
            format,
            batch_size: self.batch_size,
            stream: true,
            count: self.count,
            ttl: self.ttl,
            allow_retry: false,
            cached: None,
            plan_cache_key: None,
            may_be_dirty: false,
        }
    }
}

fn limit(limit: f64) -> Result<Option<u64>> {
    if limit < 0.0 {
        return Err(Error::bad_parameter("'limit' must not be negative"));
    }
    // 0 means no limit, as in ArangoDB.
    Ok((limit >= 1.0).then_some(limit as u64))
}

impl Restriction {
    fn from_slice(restrict: Slice<'_>) -> Result<Self> {
        let wanted =
            "'restrict' as an object with 'type' ('include' or 'exclude') and 'fields' (an array of strings)";
        let fields =
            restrict.get("fields").filter(|fields| fields.is_array()).ok_or_else(|| type_error(wanted))?;
        if fields.len() > MAX_FIELDS {
            return Err(Error::bad_parameter(format!("at most {MAX_FIELDS} 'restrict.fields' are accepted")));
        }
        let names: Option<Vec<String>> =
            fields.elements().map(|field| field.as_str().map(str::to_owned)).collect();
        let mut names = names.ok_or_else(|| type_error(wanted))?;
        names.sort_unstable();
        match restrict.get("type").and_then(Slice::as_str) {
            Some("include") => Ok(Restriction::Include(names)),
            Some("exclude") => Ok(Restriction::Exclude(names)),
            _ => Err(type_error(wanted)),
        }
    }

    fn keeps(&self, name: &str) -> bool {
        let listed = |names: &[String]| names.binary_search_by(|listed| listed.as_str().cmp(name)).is_ok();
        match self {
            Restriction::None => true,
            Restriction::Include(names) => listed(names),
            Restriction::Exclude(names) => !listed(names),
        }
    }
}

fn type_error(expected: &str) -> Error {
    Error::new(ErrorCode::TypeError, format!("expecting {expected}"))
}

impl Session {
    /// Starts an export and returns its first batch. Errors: 1203, 11.
    pub fn export(&self, collection: &str, request: ExportRequest, format: Format) -> Result<Reply> {
        let spec = request.cursor_spec(format);
        let source = Export::start(self, collection, request)?;
        self.open_cursor(Box::new(source), spec)
    }

    /// Starts an export that one reply delivers as a whole. Errors: 1203, 11.
    pub fn export_whole(&self, collection: &str, request: ExportRequest) -> Result<WholeResult> {
        let spec = request.cursor_spec(Format::VelocyPack);
        let source = Export::start(self, collection, request)?;
        self.open_whole(Box::new(source), &spec, &mut |_| ())
    }

    /// Starts an export as lines of JSON. Errors: 1203, 11.
    pub fn export_lines(&self, collection: &str, request: ExportRequest) -> Result<ExportLines> {
        Ok(ExportLines { export: Export::start(self, collection, request)? })
    }
}

/// An export in progress: the scan's position, and the documents that were read and not yet
/// delivered.
struct Export {
    scan: DocumentScan,
    name: Arc<str>,
    ready: Option<(Documents, usize)>,
    account: Arc<MemoryAccount>,
    /// The memory of the documents that were read last.
    memory: Charge,
    /// Documents that may still be delivered.
    left: u64,
    count: u64,
    restrict: Restriction,
    scratch: Vec<u8>,
}

impl Export {
    fn start(session: &Session, collection: &str, request: ExportRequest) -> Result<Self> {
        let (collection, snapshot) = session.readable(collection)?;
        let left = request.limit.unwrap_or(u64::MAX);
        let count = snapshot.count_shown(&collection, &|| session.check_interrupt())?.min(left);
        let spec = DocumentScanSpec {
            from_key: request.from.map(|key| KeyBound { key, inclusive: false }),
            sequential: true,
            ..DocumentScanSpec::default()
        };
        let scan = snapshot.scan(&collection, &spec)?;
        let name = Arc::clone(collection.shared_name());
        let account = session.request_memory();
        Ok(Export {
            scan,
            name,
            ready: None,
            memory: Charge::new(Arc::clone(&account)),
            account,
            left,
            count,
            restrict: request.restrict,
            scratch: Vec::new(),
        })
    }

    /// Calls `take` with up to `max_rows` documents, as long as it returns true.
    ///
    /// Returns true if more follow.
    fn take(
        &mut self,
        max_rows: usize,
        mut take: impl FnMut(Slice<'_>, Option<&str>) -> Result<bool>,
    ) -> Result<bool> {
        let mut wanted = u64::min(max_rows as u64, self.left);
        while let Some((documents, mut next)) = self.ready_documents()? {
            while wanted > 0 && next < documents.len() {
                if let Some(document) = documents.get(next) {
                    let takes_more = if self.restrict == Restriction::None {
                        take(document, Some(&self.name))?
                    } else {
                        let reduced = self.reduced(document)?;
                        let takes_more = take(Slice::new(&reduced), None)?;
                        self.scratch = reduced;
                        takes_more
                    };
                    (wanted, self.left) = (wanted - 1, self.left - 1);
                    if !takes_more {
                        wanted = 0;
                    }
                }
                next += 1;
            }
            let rest = next < documents.len();
            self.ready = rest.then_some((documents, next));
            if wanted == 0 {
                // Reads ahead, so that the last batch reports that it is the last.
                return Ok(self.left > 0 && (rest || self.refill()?));
            }
        }
        Ok(false)
    }

    fn ready_documents(&mut self) -> Result<Option<(Documents, usize)>> {
        if self.ready.is_none() && (self.left == 0 || !self.refill()?) {
            return Ok(None);
        }
        Ok(self.ready.take())
    }

    fn refill(&mut self) -> Result<bool> {
        self.memory.clear();
        let BatchLimits { rows, bytes, .. } = BLOCK.within_room(&self.account);
        let documents = self.scan.next_block(BlockLimits { rows, bytes })?;
        let documents = documents.filter(|documents| !documents.is_empty());
        if let Some(documents) = &documents {
            self.memory.grow(documents.block.bytes.capacity() as u64)?;
        }
        self.ready = documents.map(|documents| (documents, 0));
        Ok(self.ready.is_some())
    }

    /// Returns the document with only the requested attributes.
    fn reduced(&mut self, document: Slice<'_>) -> Result<Vec<u8>> {
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        let mut builder = Builder::from_vec(out);
        builder.open_object()?;
        for (name, value) in document.entries().filter(|(name, _)| self.restrict.keeps(name)) {
            builder.key(name)?;
            if value.is_id_marker() {
                let mut id = String::new();
                resolve_id(document, &self.name, &mut id);
                builder.add_str(&id)?;
            } else {
                builder.add_slice(value)?;
            }
        }
        builder.close()?;
        Ok(builder.into_vec())
    }
}

/// The bytes of lines after which a chunk of them ends.
const LINES_BYTES: usize = 256 << 10;

impl RowSource for Export {
    fn fill(&mut self, reply: &mut RowEncoder, max_rows: usize) -> Result<bool> {
        self.take(max_rows, |document, collection| {
            reply.push(document, collection)?;
            Ok(reply.has_room())
        })
    }

    fn release(&mut self) {
        self.scan.release();
    }

    fn can_read_ahead(&self) -> bool {
        true
    }

    fn count(&self) -> Option<u64> {
        Some(self.count)
    }

    fn finish(&mut self, _format: Format) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

/// An export as lines of JSON.
pub struct ExportLines {
    export: Export,
}

impl ExportLines {
    /// Appends up to `max_rows` documents, one per line. Returns true if more follow.
    pub fn next_lines(&mut self, max_rows: usize, out: &mut Vec<u8>) -> Result<bool> {
        self.export.take(max_rows, |document, collection| {
            json::write(document, collection, out);
            out.push(b'\n');
            Ok(out.len() < LINES_BYTES)
        })
    }

    /// Releases the memory that it pins in the storage engine, until the next
    /// [`ExportLines::next_lines`].
    pub fn release(&mut self) {
        self.export.scan.release();
    }
}
