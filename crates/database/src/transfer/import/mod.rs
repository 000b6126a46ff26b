//! Bulk import: many documents in one request, each accepted or rejected on its own.
//!
//! The body is parsed and stored in chunks, so that memory does not grow with it. With `complete`,
//! all chunks are one transaction. Otherwise each chunk is committed on its own. It is loaded
//! ([`storage::DocumentLoad`]) if all its documents are new and no transaction is writing the
//! collection, and inserted in a transaction otherwise.
//!
//! [`read`]: the forms of a body. [`store`]: storing a chunk. [`prefixes`]: ends of edges.

mod prefixes;
mod read;
mod store;

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use storage::{Collection, Durability, OverwriteMode, WriteOptions};
use velocypack::{Builder, Slice, json};

use crate::session::Session;
use crate::transaction::Writer;
use prefixes::Prefixes;

/// Documents that are stored together.
const CHUNK_DOCUMENTS: usize = 10_000;
/// Bytes of parsed documents after which a chunk is stored.
const CHUNK_BYTES: usize = 4 << 20;
/// Maximum number of messages in a reply with `details`. Further errors are only counted.
const MAX_DETAILS: usize = 10_000;
/// Bytes of a rejected document that a message quotes.
const QUOTED_BYTES: usize = 256;

/// The layout of the documents in a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportForm {
    /// One JSON object per line.
    Lines,
    /// One JSON array of objects.
    List,
    /// `Lines` or `List`, depending on the first character.
    Auto,
    /// One JSON array per line: first the names of the attributes, then the values of each
    /// document.
    Table,
}

/// The treatment of a document whose key is taken.
pub type OnDuplicate = OverwriteMode;

/// The parameters of an import.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The layout of the body. A body in VelocyPack is always an array.
    pub form: ImportForm,
    /// The treatment of a document whose key is taken.
    pub on_duplicate: OnDuplicate,
    /// Roll everything back at the first rejected document.
    pub complete: bool,
    /// Report why documents were rejected.
    pub details: bool,
    /// Empty the collection first.
    pub overwrite: bool,
    /// Tables: accept a line with too few or too many values.
    pub ignore_missing: bool,
    /// Prefix of a `_from` that names no collection.
    pub from_prefix: String,
    /// Prefix of a `_to` that names no collection.
    pub to_prefix: String,
    /// Let the prefixes also replace the name of a collection.
    pub overwrite_prefix: bool,
    /// Skip the collection's schema.
    pub skip_validation: bool,
    /// The durability that each commit waits for.
    pub durability: Durability,
}

/// The outcome of an import, as numbers of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOutcome {
    /// Created documents.
    pub created: u64,
    /// Rejected documents.
    pub errors: u64,
    /// Empty lines.
    pub empty: u64,
    /// Existing documents that were updated or replaced.
    pub updated: u64,
    /// Existing documents that were left unchanged.
    pub ignored: u64,
    /// The reasons of rejections, if requested.
    pub details: Vec<String>,
}

impl Session {
    /// Imports a body.
    ///
    /// Errors: 1203, 11, 400 and 600 for a body that does not have the requested form, and with
    /// `complete` the error of the first rejection.
    pub fn import(
        &self,
        collection: &str,
        body: ImportBody<'_>,
        request: &ImportRequest,
    ) -> Result<ImportOutcome> {
        self.check_running()?;
        let collection = self.writable_collection(collection)?;
        // Rules judge the documents of a transaction. Loads are visible immediately.
        let may_load =
            !request.complete && self.transaction_id().is_none() && self.rules_of(&collection)?.is_none();
        let options = WriteOptions {
            overwrite_mode: request.on_duplicate,
            skip_validation: request.skip_validation,
            ..WriteOptions::default()
        };
        let (options, _work) = self.owned(&collection, &options).into_parts();
        let mut import = Import {
            session: self,
            options,
            prefixes: Prefixes::of(&collection, request),
            collection,
            request,
            may_load,
            writer: None,
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
            ImportBody::Documents(source) => import.documents_of(source)?,
        }
        import.finish()
    }
}

/// A source of documents in another format.
pub trait DocumentSource {
    /// Calls `take` with each document, or with the error of a row that makes none. An error of
    /// `take` ends the import.
    ///
    /// Errors: 400 if the rest of the source cannot be read, and those of `take`.
    fn for_each(&mut self, take: &mut dyn FnMut(Result<Slice<'_>>) -> Result<()>) -> Result<()>;
}

/// The documents as the client sent them.
pub enum ImportBody<'a> {
    /// Text in the request's form.
    Json(&'a [u8]),
    /// A validated array of objects.
    VelocyPack(Slice<'a>),
    /// Documents in another format.
    Documents(&'a mut dyn DocumentSource),
}

struct Import<'a> {
    session: &'a Session,
    collection: Arc<Collection>,
    request: &'a ImportRequest,
    options: WriteOptions,
    prefixes: Option<Prefixes>,
    /// True if chunks may be loaded rather than inserted.
    may_load: bool,
    /// The transaction of all chunks with `complete`.
    writer: Option<Writer>,
    outcome: ImportOutcome,
    /// A buffer for the document that is being read.
    scratch: Builder,
    /// Documents that wait to be stored, one after another.
    chunk: Vec<u8>,
    /// The offset of each document in `chunk`.
    documents: Vec<usize>,
    /// Documents of earlier chunks, which were handed to storage.
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
        if let Some(writer) = self.writer.take() {
            writer.finish(self.request.durability)?;
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
