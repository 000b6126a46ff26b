//! Bulk import: many documents of one request, each accepted or rejected by itself.
//!
//! The body is parsed and stored in chunks, so that memory does not grow with it. With `complete`, all chunks are one
//! transaction; otherwise each chunk is committed by itself: as a load of new documents ([`storage::DocumentLoad`])
//! where all of them are new and nobody else is writing the collection, as a transaction otherwise.
//!
//! [`read`]: the forms of a body. [`store`]: what is done with a chunk. [`prefixes`]: ends of edges.

mod prefixes;
mod read;
mod store;

use std::sync::Arc;

use storage::{Collection, Durability, OverwriteMode, Transaction, WriteOptions};
use velocypack::{Builder, Slice, json};

use crate::session::Session;
use crate::{Error, ErrorCode, Result};
use prefixes::Prefixes;

/// Documents that are stored together.
const CHUNK_DOCUMENTS: usize = 10_000;
/// Bytes of parsed documents after which a chunk is stored.
const CHUNK_BYTES: usize = 4 << 20;
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
            return Err(Error::of(ErrorCode::ShuttingDown));
        }
        let collection = self.writable_collection(collection)?;
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
    /// Appends a document to the chunk, and stores the chunk when it is full.
    fn take(&mut self, document: Slice<'_>, position: u64) -> Result<()> {
        if !document.is_object() {
            let message =
                format!("invalid JSON type (expecting object), offending document: {}", quoted(document));
            return self.reject(position, ErrorCode::DocumentTypeInvalid, &message);
        }
        if self.collection.is_edge() && (document.get("_from").is_none() || document.get("_to").is_none()) {
            let message =
                format!("missing '_from' or '_to' attribute, offending document: {}", quoted(document));
            return self.reject(position, ErrorCode::InvalidEdgeAttribute, &message);
        }
        self.documents.push(self.chunk.len());
        self.chunk.extend_from_slice(document.bytes());
        if self.documents.len() >= CHUNK_DOCUMENTS || self.chunk.len() >= CHUNK_BYTES {
            self.store()?;
        }
        Ok(())
    }

    fn reject(&mut self, position: u64, code: ErrorCode, message: &str) -> Result<()> {
        let message = format!("at position {position}: {message}");
        if self.request.complete {
            return Err(Error::new(code, message));
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
