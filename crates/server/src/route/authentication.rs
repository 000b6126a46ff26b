//! `/_open/auth`: tokens for a name and a password.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::Blocking;
use crate::http::{Request, Response, Route, Verb};
use crate::service::authentication::{Authentication, Look, access_token, not_authorized};
use database::{Identity, Instance};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) authentication: Arc<Authentication>,
    pub(crate) instance: Arc<Instance>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::open(Verb::Post, "/_open/auth", Blocking, log_in),
    Route::open(Verb::Post, "/_open/auth/renew", Blocking, renew),
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
    if let Some(Identity::User(user)) = services.authentication.log_in_by_token(&catalog, name, password) {
        return token(services, &user);
    }
    let Some(user) = services.authentication.log_in(&catalog, name, password) else {
        tracing::warn!(target: "authentication", user = name, "wrong credentials");
        return Err(Error::new(ErrorCode::HttpUnauthorized, "Wrong credentials"));
    };
    token(services, &user.name)
}

/// Returns a new token to a user whose old one is still valid.
fn renew(services: &Services, request: &Request) -> Result<Response> {
    require_enabled(services, request)?;
    let catalog = services.instance.catalog();
    match services.authentication.look(&catalog, request.headers(), request.uri().path())? {
        Look::Known(Identity::User(user)) => token(services, &user),
        _ => Err(not_authorized(request.headers())),
    }
}

fn token(services: &Services, user: &str) -> Result<Response> {
    let token = services.authentication.sign(user)?;
    Response::object(StatusCode::OK, |fields| {
        fields.text("jwt", &token);
    })
}
