//! `/_admin/options*`: the configuration.

use hyper::StatusCode;
use velocypack::Slice;

use crate::error::Result;
use crate::http::{Request, Response, Route, Verb};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Get, "/_admin/options", options).in_system_database(),
    Route::inline(Verb::Get, "/_admin/options-description", description).in_system_database(),
    Route::inline(Verb::Get, "/_admin/options-public", public),
];

/// What every user may know.
const PUBLIC: [&str; 2] = ["database.extended-names", "server.session-timeout"];

fn options(session: &Session, _request: &Request) -> Result<Response> {
    let options = session.server().options();
    options.options_api.check(session, "/_admin/options")?;
    Ok(Response::value(StatusCode::OK, options.configuration.clone()))
}

fn description(session: &Session, _request: &Request) -> Result<Response> {
    let options = session.server().options();
    options.options_api.check(session, "/_admin/options-description")?;
    Ok(Response::value(StatusCode::OK, options.configuration_description.clone()))
}

fn public(session: &Session, _request: &Request) -> Result<Response> {
    let configuration = Slice::new(&session.server().options().configuration);
    Response::object(StatusCode::OK, |fields| {
        for name in PUBLIC {
            if let Some(value) = configuration.get(name) {
                fields.value(name, value);
            }
        }
    })
}
