//! `/_api/replication/restore-*`: the requests of ArangoDB's restore tool.

use database::Session;
use database::restore::RestoreBody;
use errors::Result;
use hyper::StatusCode;

use super::parameter;
use crate::http::Cost::Blocking;
use crate::http::audit::Audit;
use crate::http::format::Format;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Put, "/_api/replication/restore-collection", Blocking, collection)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Creates a collection from a dump.")
        .with_query(&["overwrite", "force"]),
    Route::new(Verb::Put, "/_api/replication/restore-indexes", Blocking, indexes)
        .audited(Audit::Collection)
        .not_in_scripts()
        .about("Creates indexes from a dump."),
    Route::new(Verb::Put, "/_api/replication/restore-data", Blocking, data)
        .not_in_scripts()
        .about("Writes documents from a dump.")
        .with_query(&["collection"]),
    Route::new(Verb::Put, "/_api/replication/restore-view", Blocking, view)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Creates a view from a dump.")
        .with_query(&["overwrite", "force"]),
];

/// Restores a collection.
///
/// `force` and `ignoreDistributeShardsLikeErrors` concern the sharding of clusters.
/// `deferEdgeIndex` is our own: it promises that `restore-indexes` follows the documents.
fn collection(session: &Session, request: &Request) -> Result<Response> {
    request.flag("force", false)?;
    request.flag("ignoreDistributeShardsLikeErrors", false)?;
    let overwrite = request.flag("overwrite", false)?;
    let defer_edge_index = request.flag("deferEdgeIndex", false)?;
    session.restore_collection(request.body_object()?.slice(), overwrite, defer_edge_index)?;
    done()
}

fn indexes(session: &Session, request: &Request) -> Result<Response> {
    session.restore_indexes(request.body_object()?.slice(), request.flag("force", false)?)?;
    done()
}

fn data(session: &Session, request: &Request) -> Result<Response> {
    let collection = parameter::collection(request)?;
    let body = match request.body_format() {
        Format::Json => RestoreBody::Lines(request.body()),
        Format::VelocyPack => RestoreBody::VelocyPack(request.body()),
    };
    session.restore_data(&collection, body)?;
    done()
}

fn view(session: &Session, request: &Request) -> Result<Response> {
    session.restore_view(request.body_object()?.slice(), request.flag("overwrite", false)?)?;
    done()
}

fn done() -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.bool("result", true);
    })
}
