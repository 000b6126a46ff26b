//! `/_api/index`: the indexes of a collection.

use std::sync::Arc;

use catalog::AccessLevel;
use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use storage::{Collection, Index, TrainingState};
use velocypack::Builder;

use super::parameter;
use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/index", Blocking, list)
        .about("Lists the indexes of a collection.")
        .with_query(&["collection", "withStats", "withHidden"]),
    Route::new(Verb::Post, "/_api/index", Blocking, create)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Creates an index.")
        .with_query(&["collection"])
        .with_body(r#"{"type": "persistent", "fields": ["name"]}"#),
    Route::new(Verb::Get, "/_api/index/{collection}/{index}", Constant, show).about("Returns an index."),
    Route::new(Verb::Delete, "/_api/index/{collection}/{index}", Blocking, drop_index)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Drops an index."),
    Route::new(Verb::Post, "/_api/index/sync-caches", Blocking, sync_caches)
        .not_in_scripts()
        .about("Waits until the caches of indexes are up to date."),
];

fn list(session: &Session, request: &Request) -> Result<Response> {
    let collection = session.collection(&parameter::collection(request)?, AccessLevel::ReadOnly)?;
    let figures =
        if request.flag("withStats", false)? { Some(session.figures(&collection, false)?) } else { None };
    let with_hidden = request.flag("withHidden", false)?;
    let shows_estimates = shows_estimates(session, &collection);
    let memory_of = |index: &Index| -> Option<u64> {
        let figures = figures.as_ref()?;
        Some(figures.indexes.iter().find(|known| known.id == index.id()).map_or(0, |known| known.bytes))
    };
    let indexes = || {
        let indexes = collection.indexes().iter();
        indexes.filter(|index| with_hidden || !index.definition().properties.is_hidden())
    };
    Response::success(StatusCode::OK, |fields| {
        fields.list("indexes", |fields| {
            for index in indexes() {
                fields.child_element(|fields| {
                    print(fields, &collection, index, memory_of(index), shows_estimates);
                    print_parts(fields, &collection, index, with_hidden);
                });
            }
        });
        fields.child("identifiers", |fields| {
            for index in indexes() {
                let id = format!("{}/{}", collection.name(), index.id());
                fields.child(&id, |fields| {
                    print(fields, &collection, index, memory_of(index), shows_estimates);
                    print_parts(fields, &collection, index, with_hidden);
                });
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let name = parameter::collection(request)?;
    let body = request.body_value()?;
    let (collection, index, is_new) = session.create_index(&name, body.slice())?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Response::success(status, |fields| {
        print(fields, &collection, &index, None, true);
        fields.bool("isNewlyCreated", is_new);
    })
}

fn show(session: &Session, request: &Request) -> Result<Response> {
    let (collection, index) = find(session, request)?;
    let shows_estimate = shows_estimates(session, &collection);
    Response::success(StatusCode::OK, |fields| print(fields, &collection, &index, None, shows_estimate))
}

fn drop_index(session: &Session, request: &Request) -> Result<Response> {
    let (collection, index) = find(session, request)?;
    session.drop_index(&collection, &index)?;
    Response::success(StatusCode::OK, |fields| {
        fields.text("id", &format!("{}/{}", collection.name(), index.id()));
    })
}

/// Reports success without effect: one cache serves everything, and no index has a cache of its
/// own.
fn sync_caches(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |_| {})
}

fn find(session: &Session, request: &Request) -> Result<(Arc<Collection>, Arc<Index>)> {
    let collection = session.collection(request.parameter("collection"), AccessLevel::ReadOnly)?;
    let index = collection.find_index(request.parameter("index")).cloned();
    let index = index.filter(|index| !index.definition().properties.is_hidden());
    let index = index.ok_or_else(|| Error::of(ErrorCode::IndexNotFound))?;
    Ok((collection, index))
}

/// Returns true if the user may know how selective indexes are, which depends on all documents.
fn shows_estimates(session: &Session, collection: &Collection) -> bool {
    session.require_unrestricted(collection, "an estimate").is_ok()
}

/// Writes the definition of an index. With `withStats`, `memory_bytes` is the index's size.
fn print(
    fields: &mut Fields<'_>,
    collection: &Collection,
    index: &Index,
    memory_bytes: Option<u64>,
    shows_estimate: bool,
) {
    let estimate = index.selectivity_estimate().filter(|_| shows_estimate);
    fields.with(|builder: &mut Builder| {
        let printed = index.definition().print(builder, collection.name(), estimate);
        printed.map_err(|_| velocypack::Error::Malformed)
    });
    if let Some(state) = index.training_state() {
        fields.text("trainingState", name_of(&state));
        if let Some(error) = state.error {
            fields.text("errorMessage", error);
        }
    }
    let Some(bytes) = memory_bytes else { return };
    fields.child("figures", |fields| match index.text_statistics() {
        Some(text) => {
            fields
                .number("numDocs", text.documents)
                .number("numLiveDocs", text.living_documents)
                .number("numSegments", text.segments)
                .number("numFiles", text.files)
                .number("indexSize", text.bytes);
        }
        None => {
            fields
                .number("memory", bytes)
                .bool("cacheInUse", false)
                .number("cacheSize", 0u64)
                .number("cacheUsage", 0u64);
        }
    });
}

/// Writes the progress of an index that is being built, and the training for each shard. As in
/// ArangoDB, the only shard of a single server has the collection's name.
fn print_parts(fields: &mut Fields<'_>, collection: &Collection, index: &Index, with_hidden: bool) {
    let progress = index.text_statistics().and_then(|text| text.progress_percent);
    if let Some(progress) = progress.filter(|_| with_hidden) {
        fields.bool("isBuilding", true).number("progress", progress);
    }
    let Some(state) = index.training_state().filter(|_| with_hidden) else { return };
    fields.child("shards", |fields| {
        fields.child(collection.name(), |fields| {
            fields.text("trainingState", name_of(&state)).text("error", state.error.unwrap_or_default());
            if let Some(lists) = state.lists {
                fields.number("resolvedNLists", lists);
            }
        });
    });
}

fn name_of(state: &TrainingState) -> &'static str {
    if state.lists.is_some() { "ready" } else { "unusable" }
}
