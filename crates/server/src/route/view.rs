//! `/_api/view`: views and their properties.

use std::sync::Arc;

use catalog::ViewDefinition;
use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/view", Constant, list).about("Lists the views."),
    Route::new(Verb::Post, "/_api/view", Blocking, create)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Creates a view.")
        .with_body(
            r#"{"name": "found", "type": "arangosearch", "links": {"docs": {"includeAllFields": true}}}"#,
        ),
    Route::new(Verb::Get, "/_api/view/{name}", Constant, describe)
        .about("Returns the type and ID of a view."),
    Route::new(Verb::Delete, "/_api/view/{name}", Blocking, remove)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Drops a view."),
    Route::new(Verb::Get, "/_api/view/{name}/properties", Constant, properties)
        .about("Returns the properties of a view."),
    Route::new(Verb::Put, "/_api/view/{name}/properties", Blocking, replace)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Replaces the properties of a view.")
        .with_body(r#"{"links": {"docs": {"includeAllFields": true}}}"#),
    Route::new(Verb::Patch, "/_api/view/{name}/properties", Blocking, update)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Changes properties of a view.")
        .with_body(r#"{"links": {"docs": {"includeAllFields": true}}}"#),
    Route::new(Verb::Put, "/_api/view/{name}/rename", Blocking, rename)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Renames a view.")
        .with_body(r#"{"name": "found_again"}"#),
    Route::new(Verb::Patch, "/_api/view/{name}/rename", Blocking, rename)
        .audited(Audit::View)
        .not_in_scripts()
        .about("Renames a view.")
        .with_body(r#"{"name": "found_again"}"#),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let views = session.views()?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for view in &views {
                fields.child_element(|fields| print_short(view, fields));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let view = session.create_view(request.body_object()?.slice())?;
    full(session, &view, StatusCode::CREATED)
}

fn describe(session: &Session, request: &Request) -> Result<Response> {
    let view = session.view(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| print_short(&view, fields))
}

fn properties(session: &Session, request: &Request) -> Result<Response> {
    let view = session.view(request.parameter("name"))?;
    let printed = printed(session, &view)?;
    Response::success(StatusCode::OK, |fields| {
        for (name, value) in printed.as_slice().entries() {
            fields.value(name, value);
        }
    })
}

fn replace(session: &Session, request: &Request) -> Result<Response> {
    change(session, request, false)
}

fn update(session: &Session, request: &Request) -> Result<Response> {
    change(session, request, true)
}

fn change(session: &Session, request: &Request, partial: bool) -> Result<Response> {
    let body = request.body_object()?;
    let view = session.change_view(request.parameter("name"), body.slice(), partial)?;
    full(session, &view, StatusCode::OK)
}

fn rename(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let name = body.slice().get("name").and_then(Slice::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::bad_parameter("a view's new 'name' is missing"))?;
    let view = session.rename_view(request.parameter("name"), name)?;
    full(session, &view, StatusCode::OK)
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.drop_view(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.bool("result", true);
    })
}

fn print_short(view: &ViewDefinition, fields: &mut Fields<'_>) {
    fields
        .text("globallyUniqueId", &view.globally_unique_id)
        .text("id", &view.id.to_string())
        .text("name", &view.name)
        .text("type", view.kind().name());
}

/// Returns a reply with the view as it is, without `error` and `code`, as ArangoDB has it.
fn full(session: &Session, view: &Arc<ViewDefinition>, status: StatusCode) -> Result<Response> {
    Ok(Response::value(status, printed(session, view)?.into_vec()))
}

fn printed(session: &Session, view: &ViewDefinition) -> Result<Builder> {
    let mut out = Builder::new();
    out.open_object()?;
    session.print_view(view, &mut out)?;
    out.close()?;
    Ok(out)
}
