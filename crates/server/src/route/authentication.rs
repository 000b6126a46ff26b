//! `/_open/auth`: tokens for a name and a password.

use std::sync::Arc;

use database::Instance;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::Unknown;
use crate::http::{Request, Response, Route, Verb};
use crate::service::authentication::{Authentication, Credential, access_token, password};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) authentication: Arc<Authentication>,
    pub(crate) instance: Arc<Instance>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::open(Verb::Post, "/_open/auth", Unknown, log_in)
        .about("Returns a token for a name and a password; requires no authentication.")
        .with_body(r#"{"username": "root", "password": ""}"#),
    Route::open(Verb::Post, "/_open/auth/renew", Unknown, renew)
        .about("Returns a new token for one that is valid."),
];

/// Checks that authentication is on; otherwise there is nothing to log in to.
fn require_enabled(services: &Services, request: &Request) -> Result<()> {
    if services.authentication.is_enabled() {
        return Ok(());
    }
    Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{}'", request.path())))
}

fn log_in(services: &Services, request: &Request) -> Result<Response> {
    require_enabled(services, request)?;
    let body = request.body_object()?;
    let text = |name: &str| {
        let value = body.slice().get(name).and_then(|value| value.as_str());
        value.ok_or_else(|| {
            Error::new(ErrorCode::HttpBadParameter, format!("expecting a string for '{name}'"))
        })
    };
    let password = text("password")?;
    // An access token names its owner.
    let name = match body.slice().get("username") {
        None if access_token::is_one(password) => "",
        _ => text("username")?,
    };
    let catalog = services.instance.catalog();
    let address = request.client().map(|client| client.ip());
    if let Some((user, credential)) = services.authentication.log_in_by_token(&catalog, name, password) {
        return respond(&services.authentication.sign(&user, credential, address)?);
    }
    let authentication = Arc::clone(&services.authentication);
    let (user, password) = (name.to_owned(), password.to_owned());
    Ok(Response::deferred_login(name, move || match password::log_in(&catalog, &user, &password) {
        Some(user) => respond(&authentication.sign(&user, Credential::Password, address)?),
        None => Err(Error::new(ErrorCode::HttpUnauthorized, "Wrong credentials")),
    }))
}

/// Returns a new token to a user whose old one is still valid.
fn renew(services: &Services, request: &Request) -> Result<Response> {
    require_enabled(services, request)?;
    let catalog = services.instance.catalog();
    let address = request.client().map(|client| client.ip());
    let path = request.uri().path();
    respond(&services.authentication.renew(&catalog, request.headers(), path, address)?)
}

fn respond(token: &str) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.text("jwt", token);
    })
}
