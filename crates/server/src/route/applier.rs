//! `/_api/replication/applier-*`, `sync` and `make-follower` of ArangoDB 3.11: a view of the server
//! that this one follows.
//!
//! Sources: ArangoDB 3.11 documentation, "Replication applier commands"; the recorded replies of
//! 3.8 have `phase`. ArangoDB has an applier for each database, and a global one. Here there is
//! one, which every database shows.

use catalog::SYSTEM_DATABASE;
use database::Session;
use database::follow::{FollowKind, FollowPhase, FollowView, SourceOptions, SyncOptions, Synchronized};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use super::follow::print_problems;
use super::replication::{now, print_server};
use crate::http::Cost::{Blocking, Constant, Read};
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/replication/applier-state", Constant, state)
        .for_administrators()
        .about("Returns the state of the replication applier.")
        .with_query(&["global"]),
    Route::new(Verb::Get, "/_api/replication/applier-state-all", Constant, states)
        .for_administrators()
        .about("Returns the state of the replication applier, by database."),
    Route::new(Verb::Get, "/_api/replication/applier-config", Read, configuration)
        .for_administrators()
        .about("Returns the configuration of the replication applier.")
        .with_query(&["global"]),
    Route::new(Verb::Put, "/_api/replication/applier-config", Blocking, configure)
        .for_operators()
        .about("Sets the server that the replication applier follows once it is started.")
        .with_body(r#"{"endpoint": "tcp://localhost:8530", "username": "root", "password": ""}"#)
        .with_query(&["global"]),
    Route::new(Verb::Delete, "/_api/replication/applier-state", Blocking, forget)
        .for_operators()
        .about("Forgets the server that was followed, and the configuration of the applier.")
        .with_query(&["global"]),
    Route::new(Verb::Put, "/_api/replication/sync", Blocking, synchronize)
        .for_operators()
        .about("Copies another server once, without following it.")
        .with_body(
            r#"{"endpoint": "tcp://localhost:8530", "username": "root", "password": "", "incremental": true}"#,
        )
        .with_query(&["global"]),
    Route::new(Verb::Put, "/_api/replication/applier-start", Blocking, start)
        .for_operators()
        .about("Resumes the replication applier.")
        .with_query(&["global", "from"]),
    Route::new(Verb::Put, "/_api/replication/applier-stop", Blocking, stop)
        .for_operators()
        .about("Pauses the replication applier.")
        .with_query(&["global"]),
    Route::new(Verb::Put, "/_api/replication/make-follower", Blocking, make_follower)
        .for_operators()
        .about("Copies another server and follows it.")
        .with_body(r#"{"endpoint": "tcp://localhost:8530", "username": "root", "password": ""}"#)
        .with_query(&["global"]),
];

fn state(session: &Session, _request: &Request) -> Result<Response> {
    answer(session)
}

fn answer(session: &Session) -> Result<Response> {
    let view = session.follow_view()?;
    Response::object(StatusCode::OK, |fields| print(session, &view, session.database_name(), fields))
}

fn states(session: &Session, _request: &Request) -> Result<Response> {
    let view = session.follow_view()?;
    let catalog = session.catalog();
    Response::object(StatusCode::OK, |fields| {
        for database in catalog.databases() {
            let name = database.name();
            fields.child(name, |fields| print(session, &view, name, fields));
        }
    })
}

/// Returns true while entries are read and applied.
fn is_running(phase: FollowPhase) -> bool {
    matches!(phase, FollowPhase::Copying | FollowPhase::Following | FollowPhase::CuttingOver)
}

/// Returns ArangoDB's name of a phase.
fn phase_name(phase: FollowPhase) -> &'static str {
    match phase {
        FollowPhase::Copying => "initialize",
        FollowPhase::Following | FollowPhase::CuttingOver => "running",
        _ => "inactive",
    }
}

fn print(session: &Session, view: &FollowView, database: &str, fields: &mut Fields<'_>) {
    let time = now();
    fields.child("state", |fields| {
        let (log, is_running) = (&view.log, is_running(view.phase));
        fields.bool("running", is_running).text("phase", phase_name(view.phase));
        // Nothing is applied but what is committed, so all three are the same.
        for name in ["lastAppliedContinuousTick", "lastProcessedContinuousTick", "safeResumeTick"] {
            tick(name, log.applied, fields);
        }
        tick("lastAvailableContinuousTick", log.last, fields);
        if is_running {
            fields.number("ticksBehind", log.last.saturating_sub(log.applied));
        }
        fields.child("progress", |fields| {
            fields
                .text("time", &time)
                .text("message", progress(view))
                .number("failedConnects", view.failed_attempts);
        });
        fields.number("totalEvents", log.entries).number("totalOperationsExcluded", 0u64);
        fields.child("lastError", |fields| match &view.error {
            None => drop(fields.number("errorNum", 0u64)),
            Some(error) => {
                fields.number("errorNum", error.number()).text("errorMessage", error.message());
                fields.text("time", &time);
            }
        });
        fields.text("time", &time);
    });
    fields.child("server", |fields| print_server(session, fields));
    if !view.source.endpoint.is_empty() {
        fields.text("endpoint", &view.source.endpoint);
    }
    fields.text("database", database);
}

/// Prints a tick; `null` before the first one, as ArangoDB does.
fn tick(name: &str, tick: u64, fields: &mut Fields<'_>) {
    match tick {
        0 => drop(fields.null(name)),
        _ => drop(fields.text(name, &tick.to_string())),
    }
}

fn progress(view: &FollowView) -> &'static str {
    match view.phase {
        FollowPhase::Copying => "copying the databases",
        FollowPhase::Following => "applying the log",
        FollowPhase::CuttingOver => "taking the leader's place",
        FollowPhase::Paused => "applier stopped",
        FollowPhase::Failed => "applier stopped by an error",
        FollowPhase::None | FollowPhase::Ended => "",
    }
}

/// Returns the properties of the applier, which are the same for every source.
fn configuration(session: &Session, _request: &Request) -> Result<Response> {
    let (view, configured) = (session.follow_view()?, session.applier_configuration()?);
    Response::object(StatusCode::OK, |fields| {
        if !view.source.endpoint.is_empty() {
            fields.text("endpoint", &view.source.endpoint);
        } else if let Some(configured) = &configured {
            fields.text("endpoint", &configured.endpoint).text("username", &configured.username);
        }
        fields.text("database", session.database_name());
        for name in ["autoStart", "adaptivePolling", "autoResync", "includeSystem", "requireFromPresent"] {
            fields.bool(name, true);
        }
        fields.bool("incremental", true).bool("verbose", false).text("restrictType", "");
        fields.list("restrictCollections", |_| {});
    })
}

fn start(session: &Session, request: &Request) -> Result<Response> {
    let from = request.number("from")?;
    match session.follow_view()?.phase {
        FollowPhase::None | FollowPhase::Ended => session.start_applier(from)?,
        _ if from.is_some() => {
            return Err(Error::bad_parameter(
                "'from' cannot be chosen: the applier goes on where its data end",
            ));
        }
        phase if is_running(phase) => {}
        _ => session.resume_following()?,
    }
    answer(session)
}

fn configure(session: &Session, request: &Request) -> Result<Response> {
    session.configure_applier(&asked_source(session, request)?)?;
    configuration(session, request)
}

fn forget(session: &Session, _request: &Request) -> Result<Response> {
    session.forget_applier()?;
    answer(session)
}

/// Copies another server once. The reply has the tick with which `applier-start` goes on.
fn synchronize(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let body = body.slice();
    let is_global = is_global(session, request)?;
    let asked = text(body, "database")?;
    let database = match (is_global, asked.as_deref()) {
        (true, None | Some(SYSTEM_DATABASE)) => None,
        (true, Some(_)) => {
            return Err(Error::bad_parameter("'database' must not be set: all databases are copied"));
        }
        (false, asked) => Some(asked.filter(|name| !name.is_empty()).unwrap_or(session.database_name())),
    };
    let options = SyncOptions::parse(source_options(body, database)?, body)?;
    let Synchronized { collections, tick, problems } = session.synchronize(&options)?;
    Response::object(StatusCode::OK, |fields| {
        fields.list("collections", |list| {
            for collection in &collections {
                list.child_element(|fields| {
                    fields.text("id", &collection.id).text("name", &collection.name);
                    if is_global {
                        fields.text("database", &collection.database);
                    }
                });
            }
        });
        fields.text("lastLogTick", &tick.to_string());
        print_problems(&problems, fields);
    })
}

fn stop(session: &Session, _request: &Request) -> Result<Response> {
    if is_running(session.follow_view()?.phase) {
        session.pause_following()?;
        session.wait_while_following()?;
    }
    answer(session)
}

fn make_follower(session: &Session, request: &Request) -> Result<Response> {
    session.follow(asked_source(session, request)?, FollowKind::Follower)?;
    session.wait_for_copy()?;
    answer(session)
}

/// Reads the source that a request asks for.
///
/// Errors: 10.
fn asked_source(session: &Session, request: &Request) -> Result<SourceOptions> {
    let body = request.body_object()?;
    let body = body.slice();
    check_unrestricted(body)?;
    let database = match is_global(session, request)? {
        true => None,
        false => Some(&**session.database_name()),
    };
    if let (Some(asked), Some(own)) = (text(body, "database")?, database)
        && asked != own
    {
        return Err(Error::bad_parameter(format!(
            "'database' must be '{own}': a database keeps its name when it is followed"
        )));
    }
    source_options(body, database)
}

/// Returns true if a request is about all databases. Errors: 11 outside of `_system`.
fn is_global(session: &Session, request: &Request) -> Result<bool> {
    let is_global = request.flag("global", false)?;
    if is_global && **session.database_name() != *SYSTEM_DATABASE {
        let message = format!("'global' is for requests to '{SYSTEM_DATABASE}' only");
        return Err(Error::new(ErrorCode::Forbidden, message));
    }
    Ok(is_global)
}

/// Reads a text of a body.
///
/// Errors: 10 for another type.
fn text(body: Slice<'_>, name: &str) -> Result<Option<String>> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().map(str::to_owned);
    text.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a string")))
}

/// Refuses what would leave a part of a database out.
fn check_unrestricted(body: Slice<'_>) -> Result<()> {
    let restricts = body.get("restrictCollections").is_some_and(|list| list.is_array() && !list.is_empty());
    let leaves_out = body.get("includeSystem").and_then(Slice::as_bool) == Some(false);
    match restricts || leaves_out {
        true => Err(Error::bad_parameter(
            "a follower has all collections: 'restrictCollections' must be empty and 'includeSystem' true",
        )),
        false => Ok(()),
    }
}

/// Reads the source. `database` is the only one that is copied; `None` for all.
fn source_options(body: Slice<'_>, database: Option<&str>) -> Result<SourceOptions> {
    let mut source = Builder::new();
    source.open_object()?;
    for (name, from) in
        [("endpoint", "endpoint"), ("username", "username"), ("password", "password"), ("token", "jwt")]
    {
        if let Some(value) = body.get(from).filter(|value| !value.is_null()) {
            source.key(name)?;
            source.add_slice(value)?;
        }
    }
    if let Some(database) = database {
        source.key("databases")?;
        source.open_array()?;
        source.add_str(database)?;
        source.close()?;
    }
    source.close()?;
    SourceOptions::parse(source.as_slice())
}
