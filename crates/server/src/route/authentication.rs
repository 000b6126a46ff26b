//! `/_open/auth`: a token for a name and a password.

use std::sync::Arc;

use hyper::StatusCode;

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Request, Response, Route, Verb};
use crate::server::Server;
use crate::service::authentication::{Look, access_token, not_authorized};
use database::Identity;

pub(super) const ROUTES: &[Route] = &[
    Route::open_pool(Verb::Post, "/_open/auth", log_in),
    Route::open_pool(Verb::Post, "/_open/auth/renew", renew),
];

/// Without authentication there is nothing to log in to.
fn require_enabled(server: &Server, request: &Request) -> Result<()> {
    if server.authentication().is_enabled() {
        return Ok(());
    }
    Err(ApiError::new(number::HTTP_NOT_FOUND, format!("unknown path '{}'", request.path())))
}

fn log_in(server: &Arc<Server>, request: &Request) -> Result<Response> {
    require_enabled(server, request)?;
    let body = request.body_object()?;
    let text = |name: &str| {
        let value = body.slice().get(name).and_then(|value| value.as_str());
        value.ok_or_else(|| {
            ApiError::new(number::HTTP_BAD_PARAMETER, format!("expecting a string for '{name}'"))
        })
    };
    let password = text("password")?;
    // An access token says whose it is.
    let name = match body.slice().get("username") {
        None if access_token::is_one(password) => "",
        _ => text("username")?,
    };
    let catalog = server.instance().store().catalog();
    if let Some(Identity::User(user)) = server.authentication().log_in_by_token(&catalog, name, password) {
        return token(server, &user);
    }
    let Some(user) = server.authentication().log_in(&catalog, name, password) else {
        tracing::warn!(target: "authentication", user = name, "wrong credentials");
        return Err(ApiError::new(number::HTTP_UNAUTHORIZED, "Wrong credentials"));
    };
    token(server, &user.name)
}

/// A new token for a user whose old one is still good.
fn renew(server: &Arc<Server>, request: &Request) -> Result<Response> {
    require_enabled(server, request)?;
    let catalog = server.instance().store().catalog();
    match server.authentication().look(&catalog, request.headers(), request.uri().path())? {
        Look::Known(Identity::User(user)) => token(server, &user),
        _ => Err(not_authorized(request.headers())),
    }
}

fn token(server: &Server, user: &str) -> Result<Response> {
    let token = server.authentication().sign(user)?;
    Response::object(StatusCode::OK, |fields| {
        fields.text("jwt", &token);
    })
}
