//! `/_api/database`: databases of the server.

use catalog::{AccessLevel, UserDefinition};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use crate::error::{ApiError, Result};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::router::{Route, Verb};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Get, "/_api/database", list).in_system_database(),
    Route::inline(Verb::Get, "/_api/database/user", list_accessible),
    Route::inline(Verb::Get, "/_api/database/current", current),
    Route::pool(Verb::Post, "/_api/database", create).in_system_database(),
    Route::pool(Verb::Delete, "/_api/database/{database}", drop_database).in_system_database(),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    session.require_administrator()?;
    let catalog = session.catalog();
    let names: Vec<&str> = catalog.databases().map(|database| database.name()).collect();
    respond_names(&names)
}

fn list_accessible(session: &Session, _request: &Request) -> Result<Response> {
    let catalog = session.catalog();
    let may_use = |name: &str| match session.user() {
        None => true,
        Some(user) => catalog.user(user).is_some_and(|user| user.rights.database_level(name) > AccessLevel::None),
    };
    let names: Vec<&str> =
        catalog.databases().map(|database| database.name()).filter(|name| may_use(name)).collect();
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
    let body = request.body_object()?;
    let name = body.slice().get("name").and_then(Slice::as_str);
    let name = name.ok_or_else(|| {
        ApiError::new(catalog::error_number::DATABASE_NAME_INVALID, "database name invalid: 'name' must be a string")
    })?;
    let users = users(body.slice())?;
    session.create_database(name)?;
    for user in users {
        grant(session, name, user)?;
    }
    Response::success(StatusCode::CREATED, |fields| {
        fields.bool("result", true);
    })
}

/// A user to be made, or to be given the new database.
struct NewUser {
    name: String,
    password: String,
    active: bool,
    extra: Option<Vec<u8>>,
}

fn users(body: Slice<'_>) -> Result<Vec<NewUser>> {
    let Some(users) = body.get("users").filter(|users| !users.is_null()) else { return Ok(Vec::new()) };
    if !users.is_array() {
        return Err(ApiError::bad_parameter("'users' must be an array"));
    }
    users
        .elements()
        .map(|user| {
            let text = |name: &str| user.get(name).and_then(Slice::as_str).map(str::to_owned);
            let name = text("username").or_else(|| text("user")).filter(|name| !name.is_empty());
            Ok(NewUser {
                name: name.ok_or_else(|| ApiError::bad_parameter("each of 'users' must have a 'username'"))?,
                password: text("passwd").or_else(|| text("password")).unwrap_or_default(),
                active: user.get("active").and_then(Slice::as_bool).unwrap_or(true),
                extra: user.get("extra").filter(|extra| extra.is_object()).map(|extra| extra.bytes().to_vec()),
            })
        })
        .collect()
}

/// Gives a user the new database; a user that does not exist is made with the password.
fn grant(session: &Session, database: &str, new: NewUser) -> Result<()> {
    let store = session.instance().store();
    let existing = session.catalog().user(&new.name).is_some();
    if existing {
        let change = |user: &mut UserDefinition| {
            user.rights.grant_database(database, AccessLevel::ReadWrite);
            Ok(())
        };
        store.change_user(&new.name, change).map_err(database::Error::from)?;
        return Ok(());
    }
    let mut user = UserDefinition::new(&new.name, crate::auth::hash_password(&new.password)?);
    user.active = new.active;
    if let Some(extra) = &new.extra {
        user.set_extra(Slice::new(extra)).map_err(database::Error::from)?;
    }
    user.rights.grant_database(database, AccessLevel::ReadWrite);
    store.create_user(user).map_err(database::Error::from)?;
    Ok(())
}

fn drop_database(session: &Session, request: &Request) -> Result<Response> {
    session.drop_database(request.parameter("database"))?;
    Response::success(StatusCode::OK, |fields| {
        fields.bool("result", true);
    })
}
