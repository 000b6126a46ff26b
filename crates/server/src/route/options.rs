//! `/_admin/options*`: the configuration.

use database::Session;
use errors::Result;
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};
use crate::options::ApiAccess;

/// The services of this family: VelocyPack objects without secrets, and the access to them.
pub(crate) struct Services {
    pub(crate) access: ApiAccess,
    pub(crate) configuration: Vec<u8>,
    pub(crate) description: Vec<u8>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/options", Constant, options)
        .in_system_database()
        .about("Returns the options of the server."),
    Route::with(Verb::Get, "/_admin/options-description", Constant, description)
        .in_system_database()
        .about("Describes the options of the server."),
    Route::with(Verb::Get, "/_admin/options-public", Constant, public).about("Returns the public options."),
];

/// The options that every user may read.
const PUBLIC: [&str; 2] = ["database.extended-names", "server.session-timeout"];

fn options(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    services.access.check(session, "/_admin/options")?;
    Ok(Response::value(StatusCode::OK, services.configuration.clone()))
}

fn description(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    services.access.check(session, "/_admin/options-description")?;
    Ok(Response::value(StatusCode::OK, services.description.clone()))
}

fn public(services: &Services, _session: &Session, _request: &Request) -> Result<Response> {
    let configuration = Slice::new(&services.configuration);
    Response::object(StatusCode::OK, |fields| {
        for name in PUBLIC {
            if let Some(value) = configuration.get(name) {
                fields.value(name, value);
            }
        }
    })
}
