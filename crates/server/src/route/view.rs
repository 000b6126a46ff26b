//! `/_api/view`: the definitions of views from restored dumps. Views cannot be created or searched
//! here.

use errors::Result;
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Blocking;
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use database::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/view", Blocking, list),
    Route::new(Verb::Get, "/_api/view/{name}", Blocking, describe),
    Route::new(Verb::Get, "/_api/view/{name}/properties", Blocking, properties),
    Route::new(Verb::Delete, "/_api/view/{name}", Blocking, remove).audited(Audit::View).not_in_scripts(),
];

/// The attributes of a view's description without its properties.
const DESCRIPTION: [&str; 4] = ["globallyUniqueId", "id", "name", "type"];

fn add_description(view: Slice<'_>, fields: &mut Fields<'_>) {
    for name in DESCRIPTION {
        if let Some(value) = view.get(name) {
            fields.value(name, value);
        }
    }
}

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let views = session.views()?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for view in Slice::new(&views).elements() {
                fields.child_element(|fields| add_description(view, fields));
            }
        });
    })
}

fn describe(session: &Session, request: &Request) -> Result<Response> {
    let view = session.view(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| add_description(Slice::new(&view), fields))
}

fn properties(session: &Session, request: &Request) -> Result<Response> {
    let view = session.view(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| {
        let own = |name: &str| ["error", "code"].contains(&name);
        for (name, value) in Slice::new(&view).entries().filter(|(name, _)| !own(name)) {
            fields.value(name, value);
        }
    })
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_view(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.bool("result", true);
    })
}
