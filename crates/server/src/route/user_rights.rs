//! `/_api/user/{user}/database`: the rights of a user.

use catalog::access::WILDCARD;
use catalog::{AccessLevel, DatabaseRights, Rights};
use database::Grant;
use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/user/{user}/database", Constant, list)
        .for_everybody()
        .about("Returns a user's access levels for all databases.")
        .with_query(&["full"]),
    Route::new(Verb::Get, "/_api/user/{user}/database/{database}", Constant, level)
        .for_everybody()
        .about("Returns a user's access level for a database."),
    Route::new(Verb::Put, "/_api/user/{user}/database/{database}", Blocking, grant)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Sets a user's access level for a database.")
        .with_body(r#"{"grant": "rw"}"#),
    Route::new(Verb::Delete, "/_api/user/{user}/database/{database}", Blocking, revoke)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Clears a user's access level for a database."),
    Route::new(Verb::Get, "/_api/user/{user}/database/{database}/{collection}", Constant, level)
        .for_everybody()
        .about("Returns a user's access level for a collection."),
    Route::new(Verb::Put, "/_api/user/{user}/database/{database}/{collection}", Blocking, grant)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Sets a user's access level for a collection.")
        .with_body(r#"{"grant": "rw"}"#),
    Route::new(Verb::Delete, "/_api/user/{user}/database/{database}/{collection}", Blocking, revoke)
        .audited(Audit::Rights)
        .not_in_scripts()
        .about("Clears a user's access level for a collection."),
];

/// The reported level of a database or a collection without a grant of its own.
const UNDEFINED: &str = "undefined";

fn list(session: &Session, request: &Request) -> Result<Response> {
    let user = session.find_user(request.parameter("user"))?;
    let is_full = request.flag("full", false)?;
    let catalog = session.catalog();
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            for database in catalog.databases() {
                let level = user.rights.database_level(database.name());
                if is_full {
                    let names = database.collections().map(|collection| collection.name());
                    fields
                        .child(database.name(), |fields| print(fields, &user.rights, database.name(), names));
                } else if level > AccessLevel::None {
                    fields.text(database.name(), level.name());
                }
            }
            if is_full {
                let granted = user.rights.databases.get(WILDCARD).and_then(|rights| rights.level);
                fields.child(WILDCARD, |fields| {
                    fields.text("permission", granted.unwrap_or(AccessLevel::None).name());
                });
            }
        });
    })
}

/// Writes one database of the full list: the grants on it and on its collections.
fn print<'a>(
    fields: &mut Fields<'_>,
    rights: &Rights,
    database: &str,
    collections: impl Iterator<Item = &'a str>,
) {
    let nothing = DatabaseRights::default();
    let DatabaseRights { level, collections: granted } = rights.databases.get(database).unwrap_or(&nothing);
    let level = level.map_or(UNDEFINED, AccessLevel::name);
    fields.text("permission", level).child("collections", |fields| {
        for name in collections.chain([WILDCARD]) {
            fields.text(name, granted.get(name).map_or(UNDEFINED, |level| level.name()));
        }
    });
}

fn level(session: &Session, request: &Request) -> Result<Response> {
    let user = session.find_user(request.parameter("user"))?;
    let Grant { database, collection } = subject(request);
    let level = match collection {
        None => user.rights.database_level(database),
        Some(collection) => user.rights.collection_level(database, collection),
    };
    Response::success(StatusCode::OK, |fields| {
        fields.text("result", level.name());
    })
}

fn grant(session: &Session, request: &Request) -> Result<Response> {
    session.require_administrator()?;
    let body = request.body_object()?;
    let level = body.slice().get("grant").and_then(Slice::as_str).and_then(AccessLevel::from_name);
    let level = level.ok_or_else(|| Error::bad_parameter("'grant' must be rw, ro or none"))?;
    let subject = subject(request);
    session.grant(request.parameter("user"), subject, Some(level))?;
    let name = match subject.collection {
        None => subject.database.to_owned(),
        Some(collection) => format!("{}/{collection}", subject.database),
    };
    Response::success(StatusCode::OK, |fields| {
        fields.text(&name, level.name());
    })
}

fn revoke(session: &Session, request: &Request) -> Result<Response> {
    session.grant(request.parameter("user"), subject(request), None)?;
    Response::success(StatusCode::ACCEPTED, |_| {})
}

fn subject(request: &Request) -> Grant<'_> {
    let collection = Some(request.parameter("collection")).filter(|collection| !collection.is_empty());
    Grant { database: request.parameter("database"), collection }
}
