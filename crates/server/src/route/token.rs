//! `/_api/token`: access tokens.

use catalog::access_token::AccessToken;
use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::tls::digest;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::service::authentication::access_token;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/token/{user}", Constant, list)
        .for_everybody()
        .about("Lists the access tokens of a user."),
    Route::new(Verb::Post, "/_api/token/{user}", Blocking, create)
        .audited(Audit::Rights)
        .for_everybody()
        .about("Creates an access token for a user.")
        .with_body(r#"{"name": "script", "valid_until": 1830000000}"#),
    Route::new(Verb::Delete, "/_api/token/{user}/{id}", Blocking, remove)
        .audited(Audit::Rights)
        .for_everybody()
        .about("Deletes an access token."),
];

/// The life of a token whose request names no end: 50 years.
const DEFAULT_LIFE_SECONDS: u64 = 50 * 365 * 86_400;

fn list(session: &Session, request: &Request) -> Result<Response> {
    let tokens = session.access_tokens(request.parameter("user"))?;
    let now = now();
    Response::object(StatusCode::OK, |fields| {
        fields.list("tokens", |list| {
            for token in tokens.iter() {
                list.child_element(|fields| print(fields, token, now));
            }
        });
    })
}

/// Creates a token. Only this reply holds the token itself.
fn create(session: &Session, request: &Request) -> Result<Response> {
    let user = request.parameter("user");
    session.find_user(user)?;
    let body = request.body_object()?;
    let wrong = |name: &str, kind: &str| Error::bad_parameter(format!("'{name}' must be {kind}"));
    let name = body.slice().get("name").and_then(Slice::as_str);
    let name = name.ok_or_else(|| wrong("name", "a string"))?;
    let valid_until = match body.slice().get("valid_until").filter(|value| !value.is_null()) {
        None => now() + DEFAULT_LIFE_SECONDS,
        Some(value) => {
            seconds(value).ok_or_else(|| wrong("valid_until", "a number of seconds since 1970"))?
        }
    };
    let text = access_token::make(user, valid_until)?;
    let mut token = AccessToken {
        id: 0,
        name: name.to_owned(),
        created_at: now(),
        valid_until,
        fingerprint: access_token::fingerprint(&text),
        digest: digest(text.as_bytes()),
    };
    token.id = session.add_access_token(user, &token)?;
    Response::object(StatusCode::OK, |fields| {
        print(fields, &token, token.created_at);
        fields.text("token", &text);
    })
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    let id = request.parameter("id").parse();
    let id = id.map_err(|_| Error::bad_parameter("the id of an access token must be a number"))?;
    session.remove_access_token(request.parameter("user"), id)?;
    Ok(Response::empty(StatusCode::OK))
}

fn print(fields: &mut Fields<'_>, token: &AccessToken, now: u64) {
    fields.number("id", token.id).text("name", &token.name).number("valid_until", token.valid_until);
    fields.number("created_at", token.created_at).text("fingerprint", &token.fingerprint);
    fields.bool("active", token.valid_until > now);
}

/// Reads a whole number of seconds since 1970, in any numeric encoding.
fn seconds(value: Slice<'_>) -> Option<u64> {
    /// From this value on a double does not hold every integer.
    const EXACT_LIMIT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64()?;
    ((0.0..EXACT_LIMIT).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

fn now() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default()
}
