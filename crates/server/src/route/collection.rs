//! `/_api/collection`: collections and their properties.

use std::sync::Arc;

use catalog::AccessLevel;
use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{HeaderValue, LOCATION};
use storage::{Collection, CollectionStatistics, Revision};
use velocypack::{Builder, Slice};

use crate::http::Cost::{Blocking, Constant, Read};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::percent::encode_segment;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/collection", Constant, list)
        .about("Lists the collections.")
        .with_query(&["excludeSystem"]),
    Route::new(Verb::Post, "/_api/collection", Blocking, create)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Creates a collection.")
        .with_body(r#"{"name": "docs", "type": 2}"#),
    // The documentation of batches uses this address. The body holds the name.
    Route::new(Verb::Post, "/_api/collection/{collection}", Blocking, create)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Creates a collection with the name in the path."),
    Route::new(Verb::Get, "/_api/collection/{collection}", Constant, short)
        .about("Returns the main properties of a collection."),
    Route::new(Verb::Delete, "/_api/collection/{collection}", Blocking, drop_collection)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Drops a collection.")
        .with_query(&["isSystem"]),
    Route::new(Verb::Get, "/_api/collection/{collection}/properties", Constant, full)
        .about("Returns the properties of a collection."),
    Route::new(Verb::Get, "/_api/collection/{collection}/count", Read, count)
        .about("Returns the number of documents of a collection."),
    Route::new(Verb::Get, "/_api/collection/{collection}/figures", Blocking, figures)
        .about("Returns statistics of a collection.")
        .with_query(&["details"]),
    Route::new(Verb::Get, "/_api/collection/{collection}/revision", Read, revision)
        .about("Returns a revision that changes with the documents of a collection."),
    Route::new(Verb::Get, "/_api/collection/{collection}/checksum", Blocking, checksum)
        .about("Returns a checksum of a collection.")
        .with_query(&["withRevisions", "withData"]),
    Route::new(Verb::Get, "/_api/collection/{collection}/shards", Constant, only_on_clusters)
        .about("Returns the answer of a single server."),
    Route::new(Verb::Put, "/_api/collection/{collection}/responsibleShard", Constant, only_on_clusters)
        .not_in_scripts()
        .about("Returns the answer of a single server."),
    Route::new(Verb::Put, "/_api/collection/{collection}/properties", Blocking, change)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Changes properties of a collection.")
        .with_body(r#"{"waitForSync": true}"#),
    Route::new(Verb::Put, "/_api/collection/{collection}/rename", Blocking, rename)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Renames a collection.")
        .with_body(r#"{"name": "documents"}"#),
    Route::new(Verb::Put, "/_api/collection/{collection}/truncate", Blocking, truncate)
        .audited(Audit::Collection)
        .about("Removes all documents of a collection.")
        .with_query(&["waitForSync", "compact"]),
    Route::new(Verb::Put, "/_api/collection/{collection}/compact", Blocking, compact)
        .not_in_scripts()
        .about("Compacts the data of a collection."),
    Route::new(Verb::Put, "/_api/collection/{collection}/recalculateCount", Blocking, recalculate_count)
        .not_in_scripts()
        .about("Counts the documents of a collection."),
    Route::new(Verb::Put, "/_api/collection/{collection}/load", Constant, load)
        .not_in_scripts()
        .about("Returns the main properties of a collection; collections are always loaded.")
        .with_query(&["count"]),
    Route::new(Verb::Put, "/_api/collection/{collection}/unload", Constant, short)
        .not_in_scripts()
        .about("Returns the main properties of a collection; collections are never unloaded."),
    Route::new(Verb::Put, "/_api/collection/{collection}/loadIndexesIntoMemory", Blocking, load_indexes)
        .not_in_scripts()
        .about("Loads the indexes of a collection into memory."),
    Route::new(Verb::Get, "/_api/key-generators", Constant, key_generators)
        .about("Lists the key generators."),
];

/// The set of attributes in a reply.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Short,
    Full,
}

fn list(session: &Session, request: &Request) -> Result<Response> {
    let exclude_system = request.flag("excludeSystem", false)?;
    let catalog = session.catalog();
    let collections = session.database_in(&catalog)?.collections().filter(|collection| {
        !(exclude_system && collection.definition().properties.is_system)
            && session.require_collection(collection.name(), AccessLevel::ReadOnly).is_ok()
    });
    let collections: Vec<_> = collections.collect();
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for collection in collections {
                fields.child_element(|fields| print(fields, collection, Form::Short));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_value()?;
    let collection = session.create_collection(body.slice())?;
    respond(session, request, &collection, Form::Full, |_| {})
}

fn short(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    respond(session, request, &collection, Form::Short, |_| {})
}

fn full(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    respond(session, request, &collection, Form::Full, |_| {})
}

fn count(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    let count = session.count(&collection)?;
    respond(session, request, &collection, Form::Full, |fields| {
        fields.number("count", count);
    })
}

fn load(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    let count = session.count(&collection)?;
    let with_count = request.body_value()?.slice().get("count").and_then(Slice::as_bool).unwrap_or(true);
    respond(session, request, &collection, Form::Short, |fields| {
        if with_count {
            fields.number("count", count);
        }
    })
}

fn figures(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    let details = request.flag("details", false)?;
    let figures = session.figures(&collection, details)?;
    respond(session, request, &collection, Form::Full, |fields| {
        fields
            .number("count", figures.documents)
            .child("figures", |fields| print_figures(fields, &figures, details));
    })
}

fn print_figures(fields: &mut Fields<'_>, figures: &CollectionStatistics, details: bool) {
    fields
        .child("indexes", |fields| {
            fields.number("count", figures.indexes.len() as u64).number("size", figures.indexes_bytes());
        })
        .number("documentsSize", figures.documents_bytes)
        .bool("cacheInUse", false)
        .number("cacheSize", 0u64)
        .number("cacheUsage", 0u64);
    if details {
        fields.child("engine", |fields| {
            fields.number("documents", figures.documents).list("indexes", |fields| {
                for index in &figures.indexes {
                    fields.child_element(|fields| {
                        fields
                            .text("type", index.index_type.name())
                            .number("id", index.id.0)
                            .number("count", index.entries.unwrap_or(0));
                    });
                }
            });
        });
    }
}

fn revision(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    respond(session, request, &collection, Form::Full, |fields| {
        fields.text("revision", &revision_of(&collection));
    })
}

fn checksum(session: &Session, request: &Request) -> Result<Response> {
    let collection = readable(session, request)?;
    let (revisions, data) = (request.flag("withRevisions", false)?, request.flag("withData", false)?);
    let checksum = session.checksum(&collection, revisions, data)?;
    respond(session, request, &collection, Form::Short, |fields| {
        fields.text("revision", &revision_of(&collection)).text("checksum", &checksum.to_string());
    })
}

/// Returns the revision as text.
///
/// ArangoDB reports a zero for a collection that was never written.
fn revision_of(collection: &Collection) -> String {
    match collection.revision_now() {
        Revision(0) => "0".to_owned(),
        revision => revision.to_string(),
    }
}

fn only_on_clusters(session: &Session, request: &Request) -> Result<Response> {
    readable(session, request)?;
    let number = ErrorCode::NotImplemented;
    Err(Error::new(number, "not implemented: a single server has no shards"))
}

fn change(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let collection = session.change_collection(request.parameter("collection"), body.slice())?;
    respond(session, request, &collection, Form::Full, |_| {})
}

fn rename(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let name = body.slice().get("name").and_then(Slice::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::new(ErrorCode::IllegalName, "name is empty"))?;
    let collection = session.rename_collection(request.parameter("collection"), name)?;
    respond(session, request, &collection, Form::Short, |_| {})
}

fn truncate(session: &Session, request: &Request) -> Result<Response> {
    let collection = session.truncate_collection(request.parameter("collection"))?;
    if request.flag("waitForSync", false)? {
        session.sync()?;
    }
    respond(session, request, &collection, Form::Short, |_| {})
}

fn drop_collection(session: &Session, request: &Request) -> Result<Response> {
    let collection =
        session.drop_collection(request.parameter("collection"), request.flag("isSystem", false)?)?;
    Response::success(StatusCode::OK, |fields| {
        fields.text("id", &collection.id().to_string());
    })
}

fn compact(session: &Session, request: &Request) -> Result<Response> {
    let collection = session.collection(request.parameter("collection"), AccessLevel::ReadWrite)?;
    session.compact(&collection)?;
    respond(session, request, &collection, Form::Short, |_| {})
}

fn recalculate_count(session: &Session, request: &Request) -> Result<Response> {
    let collection = session.collection(request.parameter("collection"), AccessLevel::ReadWrite)?;
    let count = session.recalculate_count(&collection)?;
    success(session, request, |fields| {
        fields.bool("result", true).number("count", count);
    })
}

/// Reports success without effect, as ArangoDB does: the one cache fills by itself.
fn load_indexes(session: &Session, request: &Request) -> Result<Response> {
    readable(session, request)?;
    success(session, request, |fields| {
        fields.bool("result", true);
    })
}

fn key_generators(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.list("keyGenerators", |fields| {
            for name in ["autoincrement", "padded", "traditional", "uuid"] {
                fields.text_element(name);
            }
        });
    })
}

fn readable(session: &Session, request: &Request) -> Result<Arc<Collection>> {
    session.collection(request.parameter("collection"), AccessLevel::ReadOnly)
}

fn respond(
    session: &Session,
    request: &Request,
    collection: &Collection,
    form: Form,
    more: impl FnOnce(&mut Fields<'_>),
) -> Result<Response> {
    let shows_rules =
        form == Form::Full && collection.has_access_rules() && session.require_administrator().is_ok();
    success(session, request, |fields| {
        print(fields, collection, form);
        if shows_rules {
            fields.with(|builder| {
                let printed = collection.definition().print_access_rules(builder);
                printed.map_err(|_| velocypack::Error::Malformed)
            });
        }
        more(fields);
    })
}

/// Returns a reply. If its path is below a collection, a header names that path.
fn success(session: &Session, request: &Request, fill: impl FnOnce(&mut Fields<'_>)) -> Result<Response> {
    /// Parts of `/_api/collection/{collection}`.
    const COLLECTION_PARTS: usize = 3;
    let response = Response::success(StatusCode::OK, fill)?;
    if request.path().len() <= COLLECTION_PARTS {
        return Ok(response);
    }
    let mut location = format!("/_db/{}", encode_segment(session.database_name()));
    for part in request.path().segments() {
        location.push('/');
        location.push_str(&encode_segment(part));
    }
    Ok(response.header(LOCATION, HeaderValue::from_str(&location).map_err(Error::internal)?))
}

fn print(fields: &mut Fields<'_>, collection: &Collection, form: Form) {
    let definition = collection.definition();
    fields.with(|builder: &mut Builder| {
        let printed = match form {
            Form::Short => definition.print_short(builder),
            Form::Full => definition.print_full(builder, collection.last_key_value()),
        };
        printed.map_err(|_| velocypack::Error::Malformed)
    });
}
