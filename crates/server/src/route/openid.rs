//! `/_open/auth/openid`: sign-in at issuers of OpenID Connect, for the web interface.
//!
//! The page ends up with the ID token, which it sends as a bearer token. So the server keeps no
//! session, the rights follow the rules at each request, and the issuer decides about the end.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use openid::{Refusal, SignIns, Started};

use crate::http::Cost::Constant;
use crate::http::{Request, Response, Route, Verb};
use crate::service::authentication::{Authentication, TrustedIssuers, keys_fetched, now_seconds};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) authentication: Arc<Authentication>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::open(Verb::Get, "/_open/auth/openid", Constant, list)
        .about("Lists the issuers at which the web interface can sign in; requires no authentication."),
    Route::open(Verb::Post, "/_open/auth/openid/{id}/start", Constant, start)
        .about("Begins a sign-in at an issuer, and returns the address of its page."),
    Route::open(Verb::Post, "/_open/auth/openid/{id}/finish", Constant, finish)
        .about("Returns a token for the code of an issuer.")
        .with_body(r#"{"state": "", "code": ""}"#),
];

fn list(services: &Services, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |list| {
            let issuers = services.authentication.issuers().into_iter();
            for issuer in issuers.flat_map(|issuers| issuers.sign_ins().issuers().for_sign_in()) {
                list.child_element(|fields| {
                    fields.text("id", &issuer.id).text("name", &issuer.name);
                });
            }
        });
    })
}

fn unknown(request: &Request) -> Error {
    let message = format!("no issuer '{}' is configured for sign-in", request.parameter("id"));
    Error::new(ErrorCode::HttpNotFound, message)
}

fn issuers<'a>(services: &'a Services, request: &Request) -> Result<&'a TrustedIssuers> {
    services.authentication.issuers().ok_or_else(|| unknown(request))
}

fn start(services: &Services, request: &Request) -> Result<Response> {
    let issuers = issuers(services, request)?;
    let id = request.parameter("id").to_owned();
    match issuers.sign_ins().start(&id).ok_or_else(|| unknown(request))? {
        Ok(started) => respond(&started),
        Err(Refusal::Fetching(fetch)) => {
            let authentication = Arc::clone(&services.authentication);
            let again = move || match authentication.issuers() {
                None => Err(Error::internal("the issuers are gone")),
                Some(issuers) => match issuers.sign_ins().start(&id) {
                    Some(Ok(started)) => respond(&started),
                    Some(Err(refusal)) => Err(issuers.refuse_sign_in(&refusal)),
                    None => Err(Error::internal("the issuer is gone")),
                },
            };
            Ok(Response::when_fetched(keys_fetched(&fetch), again))
        }
        Err(refusal) => Err(issuers.refuse_sign_in(&refusal)),
    }
}

fn respond(started: &Started) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.text("url", &started.url).text("state", &started.state);
    })
}

fn finish(services: &Services, request: &Request) -> Result<Response> {
    let issuers = issuers(services, request)?;
    let body = request.body_object()?;
    let text = |name: &str| {
        let value = body.slice().get(name).and_then(|value| value.as_str());
        value.ok_or_else(|| {
            Error::new(ErrorCode::HttpBadParameter, format!("expecting a string for '{name}'"))
        })
    };
    let (state, code) = (text("state")?, text("code")?.to_owned());
    let pending = issuers.sign_ins().take(request.parameter("id"), state);
    let pending = pending.map_err(|refusal| issuers.refuse_sign_in(&refusal))?;
    let sign_ins: Arc<SignIns> = Arc::clone(issuers.sign_ins());
    let authentication = Arc::clone(&services.authentication);
    let address = request.client().map(|client| client.ip());
    Ok(Response::deferred(move || match sign_ins.finish(&pending, &code, now_seconds) {
        Ok((token, verified)) => {
            let address = address.map(tracing::field::display);
            tracing::info!(target: "audit-authentication", user = verified.user, address, "logged in");
            Response::object(StatusCode::OK, |fields| {
                fields.text("jwt", &token).text("user", &verified.user);
            })
        }
        Err(refusal) => match authentication.issuers() {
            Some(issuers) => Err(issuers.refuse_sign_in(&refusal)),
            None => Err(Error::internal("the issuers are gone")),
        },
    }))
}
