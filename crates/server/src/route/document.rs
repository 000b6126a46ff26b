//! `/_api/document`: reads and writes of documents, one by one or many together.
//!
//! Small requests run on the connection's task. A request moves to the worker pool if it is large,
//! or if it would wait for a sync or another transaction.

use bytes::Bytes;
use database::{Session, WriteMode, WriteOperation};
use errors::{Error, ErrorCode, Result};
use hyper::header::{ETAG, HeaderValue, LOCATION};
use hyper::{Method, StatusCode};
use storage::{
    Collection, DOCUMENT_WAIT, OverwriteMode, StoredDocument, WaitPolicy, WriteKind, WriteOptions,
    WriteOutcome,
};
use velocypack::{Builder, Slice, json, to_wire};

use super::members::Members;
use super::parameter;
use super::revision::{REVISIONS_DIFFER, check_revision, durability, etag, waits_for_sync_in};
use crate::http::Cost::{Blocking, Constant, Read, Unknown};
use crate::http::following::{allows_dirty_read, mark_dirty};
use crate::http::format::Format;
use crate::http::percent::encode_segment;
use crate::http::request::{BodyValue, Request};
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

/// The parameters of routes whose path may lack the collection.
const INSERT: &[&str] = &[
    "collection",
    "waitForSync",
    "returnNew",
    "returnOld",
    "silent",
    "overwriteMode",
    "overwrite",
    "keepNull",
    "mergeObjects",
    "skipDocumentValidation",
];
const UPDATE: &[&str] = &[
    "collection",
    "waitForSync",
    "returnNew",
    "returnOld",
    "silent",
    "ignoreRevs",
    "keepNull",
    "mergeObjects",
    "skipDocumentValidation",
];
const REPLACE_MANY: &[&str] = &[
    "collection",
    "waitForSync",
    "returnNew",
    "returnOld",
    "silent",
    "ignoreRevs",
    "onlyget",
    "skipDocumentValidation",
];

/// Returns the parameters of a route whose path names the collection.
const fn in_path(parameters: &'static [&'static str]) -> &'static [&'static str] {
    parameters.split_at(1).1
}

/// Bodies for the description of routes.
const DOCUMENT: &str = r#"{"name": "Ann"}"#;
const DOCUMENTS: &str = r#"[{"_key": "a", "name": "Ann"}]"#;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/document/{collection}/{key}", Read, read)
        .reading_replicas()
        .about("Returns a document."),
    Route::new(Verb::Get, "/_api/document/{collection}", Constant, incomplete)
        .about("Returns an error: the path must name a collection and a key."),
    Route::new(Verb::Get, "/_api/document", Constant, incomplete)
        .about("Returns an error: the path must name a collection and a key."),
    Route::new(Verb::Post, "/_api/document/{collection}", Unknown, insert)
        .about("Creates a document, or each of a list.")
        .with_query(in_path(INSERT))
        .with_body(DOCUMENT),
    Route::new(Verb::Post, "/_api/document", Unknown, insert)
        .about("Creates a document, or each of a list.")
        .with_query(INSERT)
        .with_body(DOCUMENT),
    Route::new(Verb::Put, "/_api/document/{collection}/{key}", Unknown, replace)
        .about("Replaces a document.")
        .with_query(&[
            "waitForSync",
            "returnNew",
            "returnOld",
            "silent",
            "ignoreRevs",
            "skipDocumentValidation",
        ])
        .with_body(DOCUMENT),
    Route::new(Verb::Patch, "/_api/document/{collection}/{key}", Unknown, update)
        .about("Changes a document.")
        .with_query(in_path(UPDATE))
        .with_body(DOCUMENT),
    Route::new(Verb::Delete, "/_api/document/{collection}/{key}", Unknown, remove)
        .about("Removes a document.")
        .with_query(&["waitForSync", "returnOld", "silent"]),
    Route::new(Verb::Put, "/_api/document/{collection}", Blocking, replace_many)
        .about("Replaces the documents of a list, or returns them with `onlyget`.")
        .with_query(in_path(REPLACE_MANY))
        .with_body(DOCUMENTS),
    Route::new(Verb::Patch, "/_api/document/{collection}", Blocking, update_many)
        .about("Changes the documents of a list.")
        .with_query(in_path(UPDATE))
        .with_body(DOCUMENTS),
    Route::new(Verb::Delete, "/_api/document/{collection}", Blocking, remove_many)
        .about("Removes the documents of a list.")
        .with_query(&["waitForSync", "returnOld", "silent", "ignoreRevs"])
        .with_body(r#"["a", "b"]"#),
    Route::new(Verb::Put, "/_api/document", Blocking, replace_many)
        .about("Replaces the documents of a list, or returns them with `onlyget`.")
        .with_query(REPLACE_MANY)
        .with_body(DOCUMENTS),
    Route::new(Verb::Patch, "/_api/document", Blocking, update_many)
        .about("Changes the documents of a list.")
        .with_query(UPDATE)
        .with_body(DOCUMENTS),
    // Paths that are too long for a document.
    Route::new(Verb::Get, "/_api/document/{collection}/{key}/{rest}", Constant, superfluous)
        .about("Returns an error: a key has no slash."),
    Route::new(Verb::Post, "/_api/document/{collection}/{key}", Constant, superfluous)
        .about("Returns an error: the path of a new document has no key."),
    Route::new(Verb::Put, "/_api/document/{collection}/{key}/{rest}", Constant, too_long)
        .about("Returns an error: a key has no slash."),
    Route::new(Verb::Patch, "/_api/document/{collection}/{key}/{rest}", Constant, too_long)
        .about("Returns an error: a key has no slash."),
    Route::new(Verb::Delete, "/_api/document/{collection}/{key}/{rest}", Constant, too_long)
        .about("Returns an error: a key has no slash."),
];

fn read(session: &Session, request: &Request) -> Result<Response> {
    let key = request.parameter("key");
    let (collection, documents) = session.read_documents(request.parameter("collection"), &[key])?;
    let Some(document) = documents.get(0) else { return Err(Error::of(ErrorCode::DocumentNotFound)) };
    let revision = document.get("_rev").and_then(Slice::as_str).unwrap_or_default();
    check_revision(request.if_match(), collection.name(), key, revision)?;
    let response = if request.if_none_match() == Some(revision) {
        Response::empty(StatusCode::NOT_MODIFIED)
    } else {
        let body = encode(document, collection.name(), request.accepted())?;
        Response::encoded(StatusCode::OK, request.accepted(), body)
    };
    marked(session, response.header(ETAG, etag(revision)?))
}

/// Marks the reply to a read that may be old.
fn marked(session: &Session, response: Response) -> Result<Response> {
    Ok(if session.may_read_dirty()? { mark_dirty(response) } else { response })
}

/// Refuses a path that names no document.
fn incomplete(_session: &Session, _request: &Request) -> Result<Response> {
    let message = "expecting GET /_api/document/<collection>/<key>";
    Err(Error::new(ErrorCode::DataSourceNotFound, message))
}

/// Refuses a path that is too long.
///
/// ArangoDB has an error of its own for this, except for writes to one document.
fn superfluous(_session: &Session, request: &Request) -> Result<Response> {
    let expected = if request.method == Method::POST { "<collection>" } else { "<collection>/<key>" };
    let message = format!("superfluous suffix, expecting {} /_api/document/{expected}", request.method);
    Err(Error::new(ErrorCode::HttpSuperfluousSuffices, message))
}

fn too_long(_session: &Session, request: &Request) -> Result<Response> {
    let message = format!("expecting {} /_api/document/<collection>/<key>", request.method);
    Err(Error::new(ErrorCode::HttpBadParameter, message))
}

fn insert(session: &Session, request: &Request) -> Result<Response> {
    if request.body().trim_ascii_start().starts_with(b"[") || request.body_format() == Format::VelocyPack {
        return on_pool(session, request, insert_any);
    }
    write(session, request, WriteOperation::Insert)
}

/// Inserts a document or an array of documents.
fn insert_any(session: &Session, request: &Request) -> Result<Response> {
    if request.body_value()?.slice().is_array() {
        return write_many(session, request, WriteOperation::Insert);
    }
    write(session, request, WriteOperation::Insert)
}

fn replace(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, WriteOperation::Replace)
}

fn update(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, WriteOperation::Update)
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    write(session, request, WriteOperation::Remove)
}

fn replace_many(session: &Session, request: &Request) -> Result<Response> {
    if request.flag("onlyget", false)? {
        let session = session.clone();
        let session = if allows_dirty_read(request.headers()) { session.reading_replicas() } else { session };
        return marked(&session, read_many(&session, request)?);
    }
    write_many(session, request, WriteOperation::Replace)
}

fn update_many(session: &Session, request: &Request) -> Result<Response> {
    write_many(session, request, WriteOperation::Update)
}

fn remove_many(session: &Session, request: &Request) -> Result<Response> {
    write_many(session, request, WriteOperation::Remove)
}

/// Writes one document on the present thread, or on the worker pool if the write would wait.
fn write(session: &Session, request: &Request, operation: WriteOperation) -> Result<Response> {
    if request.budget().is_unlimited() {
        let response = write_one(session, request, operation, DOCUMENT_WAIT)?;
        return response.ok_or_else(|| Error::internal("a write that may wait did not"));
    }
    if !waits_for_sync(session, request)?
        && let Some(response) = write_within_budget(session, request, operation)?
    {
        return Ok(response);
    }
    on_pool(session, request, move |session, request| write(session, request, operation))
}

/// Writes one document if that neither waits nor takes longer than the request's budget.
///
/// `None` means that the write has no effect.
fn write_within_budget(
    session: &Session,
    request: &Request,
    operation: WriteOperation,
) -> Result<Option<Response>> {
    if !computes(session, request)? {
        return write_one(session, request, operation, WaitPolicy::NoWait);
    }
    let interrupt = session.part_interrupt();
    let session = session.clone().ended_by(interrupt.clone());
    let write = || write_one(&session, request, operation, WaitPolicy::NoWait);
    Ok(request.budget().run(&interrupt, write)?.flatten())
}

/// Runs work that may wait: here without a budget, otherwise deferred to the worker pool.
fn on_pool(
    session: &Session,
    request: &Request,
    work: impl FnOnce(&Session, &Request) -> Result<Response> + Send + 'static,
) -> Result<Response> {
    if request.budget().is_unlimited() {
        return work(session, request);
    }
    let interrupt = session.part_interrupt();
    let (session, request) = (session.clone().ended_by(interrupt.clone()), request.without_budget());
    Ok(Response::interruptible(interrupt, move || work(&session, &request)))
}

/// Writes one document.
///
/// With [`WaitPolicy::NoWait`], `None` means that the write met a conflict and has no effect.
fn write_one(
    session: &Session,
    request: &Request,
    operation: WriteOperation,
    wait: WaitPolicy,
) -> Result<Option<Response>> {
    let mut options = write_options(request, operation)?;
    if operation != WriteOperation::Insert {
        options.if_match = request.if_match().map(str::to_owned);
    }
    let body = match operation {
        // The path alone names the removed document.
        WriteOperation::Remove => None,
        _ => Some(request.body_value()?),
    };
    let body = body.as_ref().map_or(Slice::EMPTY_OBJECT, BodyValue::slice);
    let name = collection_name(request)?;
    let mode = WriteMode { durability: durability(request)?, wait };
    let written = session.write_document(&name, operation, request.parameter("key"), body, &options, mode);
    let (collection, outcome) = match written {
        Err(error) if wait == WaitPolicy::NoWait && error.is_retryable() => return Ok(None),
        written => written?,
    };
    let outcome = as_reported(outcome, &options);
    let mut builder = Builder::with_capacity(256);
    if request.flag("silent", false)? {
        builder.open_object()?;
        builder.close()?;
    } else {
        print_outcome(&mut builder, &collection, &outcome)?;
    }
    let status = status(operation, waits_for_sync_in(&collection, request)?);
    let response = Response::value(status, builder.into_vec());
    let response = response.header(ETAG, etag(&outcome.revision.to_string())?);
    Ok(Some(response.header(LOCATION, location(session, &collection, &outcome.key)?)))
}

/// Reduces the outcome of an ignored insert: ArangoDB reports only the existing document's
/// identity.
fn as_reported(outcome: WriteOutcome, options: &WriteOptions) -> WriteOutcome {
    if options.overwrite_mode == OverwriteMode::Ignore && outcome.kind == WriteKind::Unchanged {
        return WriteOutcome { old_revision: None, old: None, new: None, ..outcome };
    }
    outcome
}

fn location(session: &Session, collection: &Collection, key: &str) -> Result<HeaderValue> {
    let location = format!(
        "/_db/{}/_api/document/{}/{}",
        encode_segment(session.database_name()),
        encode_segment(collection.name()),
        encode_segment(key)
    );
    HeaderValue::from_str(&location).map_err(Error::internal)
}

fn write_many(session: &Session, request: &Request, operation: WriteOperation) -> Result<Response> {
    let body = request.body_value()?;
    if !body.slice().is_array() {
        return Err(Error::of(ErrorCode::DocumentTypeInvalid));
    }
    let options = write_options(request, operation)?;
    let mode = WriteMode { durability: durability(request)?, wait: DOCUMENT_WAIT };
    let silent = request.flag("silent", false)?;
    let name = collection_name(request)?;
    let (collection, outcomes) =
        session.write_documents(&name, operation, body.slice(), &options, mode, silent)?;
    // ArangoDB reports a sync whenever the request asks for it. If the collection asks for it,
    // ArangoDB reports a sync only if something was written.
    let wrote = outcomes.written > 0 || body.slice().is_empty();
    let synced =
        request.flag("waitForSync", false)? || wrote && collection.definition().properties.wait_for_sync;
    let mut members = Members::open(request.accepted(), session.request_memory())?;
    for outcome in outcomes.outcomes {
        match outcome.map(|outcome| as_reported(outcome, &options)) {
            Ok(outcome) => members.push(|builder| print_outcome(builder, &collection, &outcome))?,
            Err(error) => members.push_error(&error)?,
        }
    }
    let status = status(operation, synced);
    // In silence only failures are listed. Without any, the reply is an empty object.
    if silent && members.has_no_errors() {
        return Response::object(status, |_| {});
    }
    members.into_response(status)
}

fn read_many(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_value()?;
    if !body.slice().is_array() {
        return Err(Error::of(ErrorCode::DocumentTypeInvalid));
    }
    let name = collection_name(request)?;
    let check_revision = !request.flag("ignoreRevs", true)?;
    let mut reader = session.read_many_documents(&name)?;
    let mut members = Members::open(request.accepted(), session.request_memory())?;
    let mut selectors = body.slice().elements();
    let mut step: Vec<Slice<'_>> = Vec::new();
    loop {
        session.check_interrupt()?;
        step.extend(selectors.by_ref().take(reader.step().saturating_sub(step.len())));
        if step.is_empty() {
            return members.into_response(StatusCode::OK);
        }
        let keys: Vec<Result<&str>> =
            step.iter().map(|selector| storage::document_key(*selector, &name)).collect();
        // An invalid selector reads a key that no document has.
        let texts: Vec<&str> = keys.iter().map(|key| *key.as_ref().unwrap_or(&"")).collect();
        let documents = reader.get(&texts)?;
        let read = step.drain(..documents.len().min(keys.len()));
        for (position, (key, selector)) in keys.into_iter().zip(read).enumerate() {
            let document = key
                .and_then(|_| documents.get(position).ok_or_else(|| Error::of(ErrorCode::DocumentNotFound)));
            let collection = reader.collection();
            match document.and_then(|document| as_selected(document, selector, check_revision)) {
                Ok(document) => {
                    members.push(|builder| Ok(builder.add_resolved(document, Some(collection.name()))?))?;
                }
                Err(error) => members.push_error(&error)?,
            }
        }
    }
}

/// Returns the document if it has the revision that its selector names. Errors: 1200.
fn as_selected<'a>(document: Slice<'a>, selector: Slice<'_>, check_revision: bool) -> Result<Slice<'a>> {
    let wanted = selector.get("_rev").and_then(Slice::as_str).filter(|_| check_revision);
    let stored = document.get("_rev").and_then(Slice::as_str);
    if wanted.is_none() || wanted == stored {
        return Ok(document);
    }
    Err(Error::new(ErrorCode::Conflict, REVISIONS_DIFFER))
}

fn print_outcome(builder: &mut Builder, collection: &Collection, outcome: &WriteOutcome) -> Result<()> {
    builder.open_object()?;
    builder.key("_id")?;
    builder.add_str(&format!("{}/{}", collection.name(), outcome.key))?;
    builder.key("_key")?;
    builder.add_str(&outcome.key)?;
    builder.key("_rev")?;
    builder.add_str(&outcome.revision.to_string())?;
    if let Some(old) = outcome.old_revision.filter(|_| outcome.kind != WriteKind::Removed) {
        builder.key("_oldRev")?;
        builder.add_str(&old.to_string())?;
    }
    for (name, document) in [("old", &outcome.old), ("new", &outcome.new)] {
        if let Some(document) = document {
            print_document(builder, name, document, collection)?;
        }
    }
    builder.close()?;
    Ok(())
}

fn print_document(
    builder: &mut Builder,
    name: &str,
    document: &StoredDocument,
    collection: &Collection,
) -> Result<()> {
    builder.key(name)?;
    Ok(builder.add_resolved(document.slice(), Some(collection.name()))?)
}

/// Returns the collection of the path, or of the query parameter that older clients use.
fn collection_name(request: &Request) -> Result<String> {
    match request.parameter("collection") {
        "" => parameter::collection(request),
        name => Ok(name.to_owned()),
    }
}

fn write_options(request: &Request, operation: WriteOperation) -> Result<WriteOptions> {
    let mut options = WriteOptions {
        overwrite_mode: match operation {
            WriteOperation::Insert => overwrite_mode(request)?,
            _ => OverwriteMode::Conflict,
        },
        return_old: request.flag("returnOld", false)?,
        return_new: request.flag("returnNew", false)?,
        is_restore: request.flag("isRestore", false)?,
        skip_validation: request.flag("skipDocumentValidation", false)?,
        ..WriteOptions::default()
    };
    options.keep_null = request.flag("keepNull", options.keep_null)?;
    options.merge_objects = request.flag("mergeObjects", options.merge_objects)?;
    options.ignore_revs = request.flag("ignoreRevs", options.ignore_revs)?;
    options.version_attribute =
        request.text("versionAttribute")?.filter(|name| !name.is_empty()).map(|name| name.into_owned());
    Ok(options)
}

fn overwrite_mode(request: &Request) -> Result<OverwriteMode> {
    match request.text("overwriteMode")?.as_deref() {
        Some("conflict") => Ok(OverwriteMode::Conflict),
        Some("ignore") => Ok(OverwriteMode::Ignore),
        Some("replace") => Ok(OverwriteMode::Replace),
        Some("update") => Ok(OverwriteMode::Update),
        None if request.flag("overwrite", false)? => Ok(OverwriteMode::Replace),
        None => Ok(OverwriteMode::Conflict),
        Some(other) => Err(Error::bad_parameter(format!(
            "parameter 'overwriteMode' must be conflict, ignore, replace or update, not '{other}'"
        ))),
    }
}

fn waits_for_sync(session: &Session, request: &Request) -> Result<bool> {
    let waits = |collection: &Collection| collection.definition().properties.wait_for_sync;
    Ok(request.flag("waitForSync", false)? || is_so(session, request, waits)?)
}

/// Returns true if the collection has computed values or a schema.
fn computes(session: &Session, request: &Request) -> Result<bool> {
    is_so(session, request, Collection::computes_on_write)
}

/// Returns true if something is so of the request's collection.
fn is_so(session: &Session, request: &Request, of: impl Fn(&Collection) -> bool) -> Result<bool> {
    let catalog = session.catalog();
    let collection = session.database_in(&catalog)?.collection(&collection_name(request)?);
    Ok(collection.is_some_and(|collection| of(collection)))
}

fn status(operation: WriteOperation, synced: bool) -> StatusCode {
    match (operation, synced) {
        (_, false) => StatusCode::ACCEPTED,
        (WriteOperation::Remove, true) => StatusCode::OK,
        (_, true) => StatusCode::CREATED,
    }
}

fn encode(document: Slice<'_>, collection: &str, format: Format) -> Result<Bytes> {
    let mut out = Vec::with_capacity(document.byte_len() * 2);
    match format {
        Format::Json => json::write(document, Some(collection), &mut out),
        Format::VelocyPack => to_wire(document, Some(collection), &mut out)?,
    }
    Ok(out.into())
}
