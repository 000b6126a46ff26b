//! `/_admin/server/*`.

use std::sync::Arc;

use hyper::StatusCode;
use sha2::{Digest, Sha256};

use super::status::mode;
use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::server::Server;
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::open(Verb::Get, "/_admin/server/availability", availability),
    Route::inline(Verb::Get, "/_admin/server/id", id),
    Route::inline(Verb::Get, "/_admin/server/mode", get_mode),
    Route::inline(Verb::Put, "/_admin/server/mode", set_mode).for_administrators(),
    Route::inline(Verb::Get, "/_admin/server/role", role),
    Route::inline(Verb::Get, "/_admin/server/jwt", secrets),
];

/// 503 when the server stops or three quarters of its queue are full, so that others get the requests.
fn availability(server: &Arc<Server>, _request: &Request) -> Result<Response> {
    let is_full = server.pool().queue_length() * 4 > server.pool().queue_capacity() * 3;
    if server.shutdown().is_requested() || is_full {
        let message = if is_full { "server is overloaded" } else { "server is stopping" };
        return Err(ApiError::new(number::HTTP_SERVICE_UNAVAILABLE, message));
    }
    let is_read_only = server.instance().store().is_read_only();
    Response::success(StatusCode::OK, |fields| {
        fields.text("mode", if is_read_only { "readonly" } else { "default" });
    })
}

fn id(_session: &Session, _request: &Request) -> Result<Response> {
    Err(ApiError::internal("only the servers of a cluster have ids"))
}

fn role(session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.text("role", "SINGLE").text("mode", mode(session));
    })
}

fn get_mode(session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.text("mode", mode(session));
    })
}

fn set_mode(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let is_read_only = match body.slice().get("mode").and_then(|mode| mode.as_str()) {
        Some("readonly") => true,
        Some("default") => false,
        _ => return Err(ApiError::bad_parameter("expecting 'mode' to be 'readonly' or 'default'")),
    };
    session.instance().store().set_read_only(is_read_only);
    get_mode(session, request)
}

/// The digests of the secrets that tokens may be signed with; for those who know one of them.
fn secrets(session: &Session, _request: &Request) -> Result<Response> {
    if session.user().is_some() {
        return Err(ApiError::of(number::HTTP_FORBIDDEN));
    }
    let digests: Vec<String> =
        session.server().authentication().secrets().iter().map(|secret| digest(secret)).collect();
    let print = |fields: &mut Fields<'_>, digest: &str| {
        fields.text("sha256", digest);
    };
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            if let Some(active) = digests.first() {
                fields.child("active", |fields| print(fields, active));
            }
            fields.list("passive", |list| {
                digests.iter().skip(1).for_each(|digest| {
                    list.child_element(|fields| print(fields, digest));
                });
            });
        });
    })
}

fn digest(secret: &[u8]) -> String {
    Sha256::digest(secret).iter().map(|byte| format!("{byte:02x}")).collect()
}
