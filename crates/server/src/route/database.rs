//! `/_api/database`: the databases of the server.

use std::sync::Arc;

use catalog::name::check_user_name;
use catalog::{AccessLevel, UserDefinition};
use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use super::user;
use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::service::authentication::ROOT;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/database", Constant, list)
        .in_system_database()
        .about("Lists the databases."),
    Route::new(Verb::Get, "/_api/database/user", Constant, list_accessible)
        .about("Lists the databases that the user may use."),
    Route::new(Verb::Get, "/_api/database/current", Constant, current)
        .about("Returns the properties of the database."),
    Route::new(Verb::Post, "/_api/database", Blocking, create)
        .audited(Audit::Database)
        .not_in_scripts()
        .in_system_database()
        .about("Creates a database.")
        .with_body(r#"{"name": "shop", "users": [{"username": "seller", "passwd": "", "active": true}]}"#),
    Route::new(Verb::Delete, "/_api/database/{database}", Blocking, drop_database)
        .audited(Audit::Database)
        .not_in_scripts()
        .in_system_database()
        .about("Drops a database."),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    session.require_administrator()?;
    let catalog = session.catalog();
    let names: Vec<&str> = catalog.databases().map(|database| database.name()).collect();
    respond_names(&names)
}

fn list_accessible(session: &Session, _request: &Request) -> Result<Response> {
    let catalog = session.catalog();
    let names = catalog.databases().map(|database| database.name());
    let names: Vec<&str> = names.filter(|name| session.may_use_database(name)).collect();
    respond_names(&names)
}

fn respond_names(names: &[&str]) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |fields| {
            for name in names {
                fields.text_element(name);
            }
        });
    })
}

fn current(session: &Session, _request: &Request) -> Result<Response> {
    let catalog = session.catalog();
    let database = session.database_in(&catalog)?;
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.with(|builder: &mut Builder| {
                let printed = database.definition().print(builder);
                printed.map_err(|_| velocypack::Error::Malformed)
            });
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    session.require_administrator()?;
    let body = request.body_object()?;
    let name = body.slice().get("name").and_then(Slice::as_str);
    let name = name.ok_or_else(|| {
        Error::new(ErrorCode::DatabaseNameInvalid, "database name invalid: 'name' must be a string")
    })?;
    if body.slice().get("options").is_some_and(|options| !options.is_object() && !options.is_null()) {
        return Err(Error::bad_parameter("'options' must be an object"));
    }
    // Errors in the users are found before the database is created.
    let users = users(session, name, body.slice())?;
    session.create_database(name)?;
    for user in users {
        match user {
            Grantee::Existing(user) => session.grant_database(&user, name)?,
            Grantee::New(user) => session.create_user_of(name, user)?,
        }
    }
    Response::success(StatusCode::CREATED, |fields| {
        fields.bool("result", true);
    })
}

/// A user who gets the right to administer the new database.
enum Grantee {
    Existing(String),
    New(UserDefinition),
}

/// Returns the users that the request names, or `root` if it names none and `root` needs a grant.
fn users(session: &Session, name: &str, body: Slice<'_>) -> Result<Vec<Grantee>> {
    let given = body.get("users").filter(|users| !users.is_null()).unwrap_or(Slice::EMPTY_ARRAY);
    if !given.is_array() {
        return Err(Error::bad_parameter("'users' must be an array"));
    }
    if given.is_empty() {
        let catalog = session.catalog();
        // Usually a grant on all databases is enough.
        let needs_grant =
            |root: &&Arc<UserDefinition>| root.rights.database_level(name) < AccessLevel::ReadWrite;
        let root = catalog.user(ROOT).filter(needs_grant);
        return Ok(root.map(|root| Grantee::Existing(root.name.clone())).into_iter().collect());
    }
    given.elements().map(|user| grantee(session, user)).collect()
}

fn grantee(session: &Session, given: Slice<'_>) -> Result<Grantee> {
    let text = |name: &str| given.get(name).and_then(Slice::as_str);
    let name = text("username").or_else(|| text("user"));
    let name = name.ok_or_else(|| Error::bad_parameter("each of 'users' must have a 'username'"))?;
    if session.catalog().user(name).is_some() {
        return Ok(Grantee::Existing(name.to_owned()));
    }
    check_user_name(name)?;
    Ok(Grantee::New(user::changes(given, true)?.into_user(name)?))
}

fn drop_database(session: &Session, request: &Request) -> Result<Response> {
    session.drop_database(request.parameter("database"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.bool("result", true);
    })
}
