//! Bulk import: many documents of one request, each accepted or rejected by itself.
//!
//! The body is parsed and stored in chunks, so that memory does not grow with it. With `complete`, all chunks are one
//! transaction; otherwise each chunk is committed by itself: as a load of new documents ([`storage::DocumentLoad`]) where
//! all of them are new and nobody else is writing the collection, as a transaction otherwise.

use storage::{
    Collection, Durability, LoadOutcome, LoadPatience, OverwriteMode, Transaction, TransactionOptions,
    WriteKind, WriteOptions, WriteOutcome,
};
use velocypack::{Builder, Limits, Slice, json};

use catalog::AccessLevel;
use std::sync::Arc;

use crate::error::{Error, Result, number};
use crate::session::Session;

/// Documents that are stored together.
const CHUNK_DOCUMENTS: usize = 10_000;
/// Bytes of parsed documents after which a chunk is stored.
const CHUNK_BYTES: usize = 4 << 20;
/// What a stored document has beyond what was sent: its key twice, its revision.
const LOAD_ROOM_BYTES: usize = 48;
/// Most messages in a reply with `details`; more are counted only.
const MAX_DETAILS: usize = 10_000;
/// Bytes of an offending document that a message quotes.
const QUOTED_BYTES: usize = 256;

/// How a request's body holds its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportForm {
    /// A JSON object a line.
    Lines,
    /// One JSON array of objects.
    List,
    /// One of the two, by the first character.
    Auto,
    /// A JSON array a line: first the attributes' names, then the values of each document.
    Table,
}

/// What happens to a document whose key is taken.
pub type OnDuplicate = OverwriteMode;

/// The parameters of an import.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// How the body is laid out. A body in VelocyPack is always an array.
    pub form: ImportForm,
    /// What happens to a document whose key is taken.
    pub on_duplicate: OnDuplicate,
    /// The first rejected document takes everything back.
    pub complete: bool,
    /// Say why documents were rejected.
    pub details: bool,
    /// Empty the collection first.
    pub overwrite: bool,
    /// Tables: a line with too few or too many values is no error.
    pub ignore_missing: bool,
    /// Written before `_from` where it names no collection.
    pub from_prefix: String,
    /// Written before `_to` where it names no collection.
    pub to_prefix: String,
    /// The prefixes also replace a collection that is named.
    pub overwrite_prefix: bool,
    /// The collection's schema does not apply.
    pub skip_validation: bool,
    /// What each commit waits for.
    pub durability: Durability,
}

/// What became of the documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOutcome {
    /// New ones.
    pub created: u64,
    /// Rejected ones.
    pub errors: u64,
    /// Empty lines.
    pub empty: u64,
    /// Stored ones that were updated or replaced.
    pub updated: u64,
    /// Stored ones that were left as they are.
    pub ignored: u64,
    /// Why documents were rejected, if asked for.
    pub details: Vec<String>,
}

impl Session {
    /// Imports a body. Errors: 1203, 11, 400 and 600 for a body that is not what the request says, and with `complete`
    /// the first rejection's.
    pub fn import(
        &self,
        collection: &str,
        body: ImportBody<'_>,
        request: &ImportRequest,
    ) -> Result<ImportOutcome> {
        if self.instance().is_stopping() {
            return Err(Error::new(number::SHUTTING_DOWN, "shutdown in progress"));
        }
        let collection = self.collection(collection, AccessLevel::ReadWrite)?;
        let mut import = Import {
            session: self,
            options: WriteOptions {
                overwrite_mode: request.on_duplicate,
                skip_validation: request.skip_validation,
                ..WriteOptions::default()
            },
            prefixes: Prefixes::of(&collection, request),
            collection,
            request,
            may_load: !request.complete,
            transaction: None,
            outcome: ImportOutcome::default(),
            scratch: Builder::new(),
            chunk: Vec::new(),
            documents: Vec::new(),
            stored: 0,
        };
        if request.overwrite {
            import.empty_collection()?;
        }
        match body {
            ImportBody::VelocyPack(list) => import.list(list)?,
            ImportBody::Json(text) => import.json(text)?,
        }
        import.finish()
    }
}

/// The documents, as the client sent them.
#[derive(Clone, Copy)]
pub enum ImportBody<'a> {
    /// Text in the form that the request says.
    Json(&'a [u8]),
    /// An array of objects, validated.
    VelocyPack(Slice<'a>),
}

struct Import<'a> {
    session: &'a Session,
    collection: Arc<Collection>,
    request: &'a ImportRequest,
    options: WriteOptions,
    prefixes: Option<Prefixes>,
    /// Whether chunks may be loaded rather than inserted.
    may_load: bool,
    /// Open across chunks with `complete`.
    transaction: Option<Transaction>,
    outcome: ImportOutcome,
    /// The document that is being read.
    scratch: Builder,
    /// Documents that wait to be stored, one behind the other.
    chunk: Vec<u8>,
    /// Where each begins in `chunk`.
    documents: Vec<usize>,
    /// Documents that were handed to storage in the chunks before.
    stored: u64,
}

impl Import<'_> {
    /// With `complete`, as a part of the transaction: if it fails the old documents stay.
    fn empty_collection(&mut self) -> Result<()> {
        if !self.request.complete {
            return Ok(self.session.instance().store().truncate(&self.collection)?);
        }
        let mut transaction = self.begin()?;
        transaction.truncate(&self.collection)?;
        self.transaction = Some(transaction);
        Ok(())
    }

    fn begin(&self) -> Result<Transaction> {
        let options = TransactionOptions::single_operation(&self.collection);
        Ok(self.session.instance().store().begin(&options)?)
    }

    fn json(&mut self, text: &[u8]) -> Result<()> {
        let form = match (self.request.form, text.trim_ascii_start().first()) {
            (ImportForm::Auto, Some(b'[')) => ImportForm::List,
            (ImportForm::Auto, _) => ImportForm::Lines,
            (form, _) => form,
        };
        match form {
            ImportForm::Lines | ImportForm::Auto => self.lines(text),
            ImportForm::Table => self.table(text),
            ImportForm::List => {
                let mut builder = Builder::new();
                json::parse_strict(text, &Limits::default(), &mut builder)
                    .map_err(|error| Error::new(number::CORRUPTED_JSON, error.to_string()))?;
                let bytes = builder.into_vec();
                self.list(Slice::new(&bytes))
            }
        }
    }

    fn list(&mut self, list: Slice<'_>) -> Result<()> {
        if !list.is_array() {
            return Err(Error::new(number::MALFORMED_REQUEST, "expecting a JSON array in the request"));
        }
        for (position, document) in (1..).zip(list.elements()) {
            self.take(document, position)?;
        }
        Ok(())
    }

    fn lines(&mut self, text: &[u8]) -> Result<()> {
        for (position, line) in (1..).zip(lines(text)) {
            if line.is_empty() {
                self.outcome.empty += 1;
                continue;
            }
            self.scratch.clear();
            match json::parse_strict(line, &Limits::default(), &mut self.scratch) {
                Ok(()) => self.take_scratch(position)?,
                Err(error) => self.reject_line(position, &error.to_string(), line)?,
            }
        }
        Ok(())
    }

    fn reject_line(&mut self, position: u64, error: &str, line: &[u8]) -> Result<()> {
        let line = shortened(String::from_utf8_lossy(line).into_owned());
        self.reject(
            position,
            number::CORRUPTED_JSON,
            &format!("invalid JSON: {error}, offending line: {line}"),
        )
    }

    fn table(&mut self, text: &[u8]) -> Result<()> {
        let mut lines = lines(text).inspect(|line| self.outcome.empty += u64::from(line.is_empty()));
        let Some(header) = lines.find(|line| !line.is_empty()) else { return Ok(()) };
        let rows: Vec<&[u8]> = lines.collect();
        let header = parse(header).map_err(|_| no_header())?;
        let names = attribute_names(Slice::new(&header))?;
        for (position, line) in (1..).zip(rows).filter(|(_, line)| !line.is_empty()) {
            match parse(line) {
                Err(error) => self.reject_line(position, &error, line)?,
                Ok(values) => self.row(&names, Slice::new(&values), position)?,
            }
        }
        Ok(())
    }

    fn row(&mut self, names: &[&str], values: Slice<'_>, position: u64) -> Result<()> {
        if !values.is_array() {
            let message = format!("invalid JSON type (expecting array), offending line: {}", quoted(values));
            return self.reject(position, number::BAD_PARAMETER, &message);
        }
        if values.len() != names.len() && !self.request.ignore_missing {
            let message = format!(
                "wrong number of JSON values (got {}, expected {}), offending line: {}",
                values.len(),
                names.len(),
                quoted(values)
            );
            return self.reject(position, number::BAD_PARAMETER, &message);
        }
        let row = &mut self.scratch;
        row.clear();
        row.open_object()?;
        for (name, value) in names.iter().zip(values.elements()).filter(|(_, value)| !value.is_null()) {
            row.key(name)?;
            row.add_slice(value)?;
        }
        row.close_keeping_last()?;
        self.take_scratch(position)
    }

    fn take_scratch(&mut self, position: u64) -> Result<()> {
        let scratch = std::mem::take(&mut self.scratch);
        let taken = self.take(Slice::new(scratch.as_bytes()), position);
        self.scratch = scratch;
        taken
    }

    /// Appends a document to the chunk, and stores the chunk when it is full.
    fn take(&mut self, document: Slice<'_>, position: u64) -> Result<()> {
        if !document.is_object() {
            let message =
                format!("invalid JSON type (expecting object), offending document: {}", quoted(document));
            return self.reject(position, number::DOCUMENT_TYPE_INVALID, &message);
        }
        if self.collection.is_edge() && (document.get("_from").is_none() || document.get("_to").is_none()) {
            let message =
                format!("missing '_from' or '_to' attribute, offending document: {}", quoted(document));
            return self.reject(position, number::INVALID_EDGE_ATTRIBUTE, &message);
        }
        self.documents.push(self.chunk.len());
        self.chunk.extend_from_slice(document.bytes());
        if self.documents.len() >= CHUNK_DOCUMENTS || self.chunk.len() >= CHUNK_BYTES {
            self.store()?;
        }
        Ok(())
    }

    fn store(&mut self) -> Result<()> {
        let bytes = std::mem::take(&mut self.chunk);
        let documents = std::mem::take(&mut self.documents);
        let prefixed: Vec<Option<Vec<u8>>> = match &self.prefixes {
            None => vec![None; documents.len()],
            Some(prefixes) => documents
                .iter()
                .map(|start| prefixes.apply(slice_at(&bytes, *start)))
                .collect::<Result<_>>()?,
        };
        let bodies: Vec<Slice<'_>> = documents
            .iter()
            .zip(&prefixed)
            .map(|(start, prefixed)| prefixed.as_deref().map_or_else(|| slice_at(&bytes, *start), Slice::new))
            .collect();
        if !self.load(&bodies)? {
            self.insert(&bodies)?;
        }
        self.stored += documents.len() as u64;
        // The memory serves the next chunk.
        self.chunk = bytes;
        self.chunk.clear();
        Ok(())
    }

    /// Loads a chunk. `false` if that cannot be, and nothing was stored: a document is wrong or has a key that is taken,
    /// or somebody else is writing the collection.
    fn load(&mut self, bodies: &[Slice<'_>]) -> Result<bool> {
        if !self.may_load {
            return Ok(false);
        }
        let store = self.session.instance().store();
        let load = store.load_documents(&self.collection, &self.options, LoadPatience::None)?;
        let Some(mut load) = load else {
            self.may_load = false;
            return Ok(false);
        };
        load.reserve(bodies.iter().map(|body| body.byte_len() + LOAD_ROOM_BYTES).sum());
        if bodies.iter().any(|body| load.add(*body).is_err()) || load.finish()? != LoadOutcome::Loaded {
            return Ok(false);
        }
        if self.request.durability == Durability::Synced {
            store.sync()?;
        }
        self.outcome.created += bodies.len() as u64;
        Ok(true)
    }

    fn insert(&mut self, bodies: &[Slice<'_>]) -> Result<()> {
        let mut transaction = match self.transaction.take() {
            Some(transaction) => transaction,
            None => self.begin()?,
        };
        let outcomes = transaction.insert_many(&self.collection, bodies, &self.options)?;
        self.count(outcomes, bodies)?;
        if self.request.complete {
            self.transaction = Some(transaction);
            return Ok(());
        }
        Ok(transaction.commit(self.request.durability)?)
    }

    fn count(&mut self, outcomes: Vec<storage::Result<WriteOutcome>>, bodies: &[Slice<'_>]) -> Result<()> {
        // Documents that were well-formed are counted from 0, as in ArangoDB's messages; all others from 1.
        for (position, (outcome, body)) in (self.stored..).zip(outcomes.into_iter().zip(bodies)) {
            match outcome {
                Ok(outcome) => match outcome.kind {
                    WriteKind::Inserted => self.outcome.created += 1,
                    WriteKind::Updated | WriteKind::Replaced => self.outcome.updated += 1,
                    WriteKind::Removed | WriteKind::Unchanged => self.outcome.ignored += 1,
                },
                Err(error) => {
                    let (what, document) = (error.message(), quoted(*body));
                    let message = format!(
                        "creating document failed with error '{what}', offending document: {document}"
                    );
                    self.reject(position, error.number(), &message)?;
                }
            }
        }
        Ok(())
    }

    fn reject(&mut self, position: u64, number: u32, message: &str) -> Result<()> {
        let message = format!("at position {position}: {message}");
        if self.request.complete {
            return Err(Error::new(number, message));
        }
        self.outcome.errors += 1;
        if self.request.details && self.outcome.details.len() < MAX_DETAILS {
            self.outcome.details.push(message);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ImportOutcome> {
        if !self.documents.is_empty() {
            self.store()?;
        }
        if let Some(transaction) = self.transaction.take() {
            transaction.commit(self.request.durability)?;
        }
        Ok(self.outcome)
    }
}

/// Prefixes of an edge's ends.
struct Prefixes {
    from: String,
    to: String,
    overwrite: bool,
}

impl Prefixes {
    fn of(collection: &Collection, request: &ImportRequest) -> Option<Self> {
        let with_slash = |prefix: &str| match prefix {
            "" => String::new(),
            prefix => format!("{}/", prefix.trim_end_matches('/')),
        };
        let (from, to) = (with_slash(&request.from_prefix), with_slash(&request.to_prefix));
        let wanted = collection.is_edge() && !(from.is_empty() && to.is_empty());
        wanted.then_some(Prefixes { from, to, overwrite: request.overwrite_prefix })
    }

    /// The edge with its prefixes; `None` where nothing changes.
    fn apply(&self, edge: Slice<'_>) -> Result<Option<Vec<u8>>> {
        if !edge.is_object() {
            return Ok(None);
        }
        let ends = [self.end(edge.get("_from"), &self.from), self.end(edge.get("_to"), &self.to)];
        if ends.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut builder = Builder::with_capacity(edge.byte_len() + 64);
        builder.open_object()?;
        for (name, value) in edge.entries() {
            builder.key(name)?;
            match (name, &ends) {
                ("_from", [Some(from), _]) => builder.add_str(from)?,
                ("_to", [_, Some(to)]) => builder.add_str(to)?,
                _ => builder.add_slice(value)?,
            }
        }
        builder.close()?;
        Ok(Some(builder.into_vec()))
    }

    fn end(&self, value: Option<Slice<'_>>, prefix: &str) -> Option<String> {
        let value = value?;
        // A key that a CSV reader took for a number is still a key.
        let text = match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.as_i64()?.to_string(),
        };
        match text.split_once('/') {
            _ if prefix.is_empty() => value.as_str().is_none().then_some(text),
            None => Some(format!("{prefix}{text}")),
            Some((_, key)) if self.overwrite => Some(format!("{prefix}{key}")),
            Some(_) => None,
        }
    }
}

fn slice_at(bytes: &[u8], start: usize) -> Slice<'_> {
    bytes.get(start..).map_or(Slice::NULL, Slice::new)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    // An empty body has no lines, not one empty line.
    let lines = (!text.is_empty()).then(|| text.split(|byte| *byte == b'\n'));
    lines.into_iter().flatten().map(<[u8]>::trim_ascii)
}

fn parse(line: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut builder = Builder::new();
    json::parse_strict(line, &Limits::default(), &mut builder).map_err(|error| error.to_string())?;
    Ok(builder.into_vec())
}

fn attribute_names(header: Slice<'_>) -> Result<Vec<&str>> {
    if !header.is_array() {
        return Err(no_header());
    }
    let names: Option<Vec<&str>> = header.elements().map(|name| name.as_str()).collect();
    names.ok_or_else(no_header)
}

fn no_header() -> Error {
    Error::new(number::MALFORMED_REQUEST, "no JSON array of attribute names found in first line")
}

fn quoted(document: Slice<'_>) -> String {
    shortened(json::to_json_string(document, None))
}

fn shortened(mut text: String) -> String {
    if text.len() > QUOTED_BYTES {
        text.truncate(text.floor_char_boundary(QUOTED_BYTES));
        text.push_str("...");
    }
    text
}
