//! `/_api/user`: users. Their rights are in [`super::user_rights`].

use catalog::UserDefinition;
use database::Session;
use database::UserChanges;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::service::authentication::password;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/user", Constant, list).about("Lists the users."),
    Route::new(Verb::Post, "/_api/user", Blocking, create)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Creates a user.")
        .with_body(r#"{"user": "ann", "passwd": "", "active": true}"#),
    // ArangoDB's shell sends the name twice; the one in the body counts.
    Route::new(Verb::Post, "/_api/user/{user}", Blocking, create_or_check)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Creates the user that the body names, or checks the password of the user in the path.")
        .with_body(r#"{"passwd": "secret"}"#),
    Route::new(Verb::Get, "/_api/user/{user}", Constant, read).for_everybody().about("Returns a user."),
    Route::new(Verb::Put, "/_api/user/{user}", Blocking, replace)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Replaces a user.")
        .with_body(r#"{"passwd": "", "active": true}"#),
    Route::new(Verb::Patch, "/_api/user/{user}", Blocking, update)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Changes a user.")
        .with_body(r#"{"active": true}"#),
    Route::new(Verb::Delete, "/_api/user/{user}", Blocking, remove)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Removes a user."),
    Route::new(Verb::Get, "/_api/user/{user}/config", Constant, settings)
        .about("Returns the configuration of a user."),
    Route::new(Verb::Delete, "/_api/user/{user}/config", Blocking, forget_settings)
        .not_in_scripts()
        .about("Clears the configuration of a user."),
    Route::new(Verb::Get, "/_api/user/{user}/config/{key}", Constant, setting)
        .about("Returns a value of the configuration of a user."),
    Route::new(Verb::Put, "/_api/user/{user}/config/{key}", Blocking, keep_setting)
        .not_in_scripts()
        .about("Sets a value of the configuration of a user.")
        .with_body(r#"{"value": 1}"#),
    Route::new(Verb::Delete, "/_api/user/{user}/config/{key}", Blocking, forget_setting)
        .not_in_scripts()
        .about("Removes a value of the configuration of a user."),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let users = session.users();
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for user in &users {
                fields.child_element(|fields| print(fields, user));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    session.require_administrator()?;
    let body = request.body_object()?;
    let name = body.slice().get("user").and_then(Slice::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::of(ErrorCode::UserInvalidName))?;
    let user = session.create_user(name, changes(body.slice(), true)?)?;
    Response::success(StatusCode::CREATED, |fields| print(fields, &user))
}

/// Creates the user that the body names. Without a name there, it checks a password, also on a
/// server without authentication: scripts of the shell ask so.
///
/// Errors: 401 for a wrong password.
fn create_or_check(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let Some(password) = body.slice().get("passwd").filter(|_| body.slice().get("user").is_none()) else {
        return create(session, request);
    };
    session.require_administrator()?;
    let wrong = || Error::bad_parameter("'passwd' must be a string");
    let password = password.as_str().ok_or_else(wrong)?.to_owned();
    let (catalog, name) = (session.catalog(), request.parameter("user").to_owned());
    Ok(Response::deferred_login(&name.clone(), move || match password::log_in(&catalog, &name, &password) {
        Some(_) => Response::success(StatusCode::OK, |fields| {
            fields.bool("result", true);
        }),
        None => Err(Error::new(ErrorCode::HttpUnauthorized, "Wrong credentials")),
    }))
}

fn read(session: &Session, request: &Request) -> Result<Response> {
    let user = session.find_user(request.parameter("user"))?;
    Response::success(StatusCode::OK, |fields| print(fields, &user))
}

fn replace(session: &Session, request: &Request) -> Result<Response> {
    let name = request.parameter("user");
    session.find_user(name)?;
    let body = request.body_object()?;
    let user = session.replace_user(name, changes(body.slice(), true)?)?;
    Response::success(StatusCode::OK, |fields| print(fields, &user))
}

fn update(session: &Session, request: &Request) -> Result<Response> {
    let name = request.parameter("user");
    session.find_user(name)?;
    let body = request.body_object()?;
    let user = session.update_user(name, changes(body.slice(), false)?)?;
    Response::success(StatusCode::OK, |fields| print(fields, &user))
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_user(request.parameter("user"))?;
    Response::success(StatusCode::ACCEPTED, |_| {})
}

/// Reads the changes of a user from the body.
///
/// With `is_whole`, a missing password is an empty one.
pub(super) fn changes(body: Slice<'_>, is_whole: bool) -> Result<UserChanges<'_>> {
    let wrong = |name: &str, kind: &str| Error::bad_parameter(format!("'{name}' must be {kind}"));
    let given = |name: &str| body.get(name).filter(|value| !value.is_null());
    let password = match given("passwd").or_else(|| given("password")) {
        Some(password) => Some(password.as_str().ok_or_else(|| wrong("passwd", "a string"))?),
        None => is_whole.then_some(""),
    };
    let active = given("active").map(|active| active.as_bool().ok_or_else(|| wrong("active", "a bool")));
    let extra = given("extra");
    if extra.is_some_and(|extra| !extra.is_object()) {
        return Err(wrong("extra", "an object"));
    }
    Ok(UserChanges {
        password_hash: password.map(password::hash).transpose()?,
        active: active.transpose()?,
        extra,
        roles: given("roles"),
    })
}

fn print(fields: &mut Fields<'_>, user: &UserDefinition) {
    fields.text("user", &user.name).bool("active", user.active).value("extra", Slice::new(&user.extra));
    if !user.roles.is_empty() {
        fields.list("roles", |fields| {
            for role in &user.roles {
                fields.text_element(role);
            }
        });
    }
}

fn settings(session: &Session, request: &Request) -> Result<Response> {
    let user = session.find_user(request.parameter("user"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.value("result", Slice::new(&user.config));
    })
}

fn setting(session: &Session, request: &Request) -> Result<Response> {
    let value = session.user_setting(request.parameter("user"), request.parameter("key"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.with(|builder: &mut Builder| {
            builder.key("result")?;
            match &value {
                Some(value) => builder.add_slice(Slice::new(value)),
                None => builder.add_null(),
            }
        });
    })
}

fn keep_setting(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let value = body.slice().get("value");
    let value = value.ok_or_else(|| Error::bad_parameter("the attribute 'value' is missing"))?;
    session.set_user_setting(request.parameter("user"), Some(request.parameter("key")), Some(value))?;
    Response::success(StatusCode::OK, |_| {})
}

fn forget_setting(session: &Session, request: &Request) -> Result<Response> {
    session.set_user_setting(request.parameter("user"), Some(request.parameter("key")), None)?;
    Response::success(StatusCode::ACCEPTED, |_| {})
}

fn forget_settings(session: &Session, request: &Request) -> Result<Response> {
    session.set_user_setting(request.parameter("user"), None, None)?;
    Response::success(StatusCode::ACCEPTED, |_| {})
}
