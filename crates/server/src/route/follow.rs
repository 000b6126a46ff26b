//! `/_api/follow`: another server, copied to this one and followed.

use database::Session;
use database::follow::{Comparison, FollowKind, FollowView, Probe, Problem, SourceOptions, SourceView};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::{Blocking, Constant};
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/follow", Constant, view)
        .for_administrators()
        .about("Returns how far another server is copied and followed."),
    Route::new(Verb::Put, "/_api/follow", Blocking, begin)
        .for_operators()
        .about("Begins to copy and follow another server.")
        .with_body(SOURCE),
    Route::new(Verb::Post, "/_api/follow/probe", Blocking, probe)
        .for_administrators()
        .not_in_scripts()
        .about("Looks at another server, and says what cannot be copied.")
        .with_body(SOURCE),
    order("/_api/follow/pause", pause).about("Interrupts the work until it is resumed."),
    order("/_api/follow/resume", resume).about("Goes on with the work after a pause or an error."),
    order("/_api/follow/cut-over", cut_over)
        .about("Takes the other server's place once nothing differs.")
        .with_body(r#"{"compare": "revisions", "force": false}"#),
    order("/_api/follow/abort", abort).about("Gives a migration up, and removes what was copied."),
    order("/_api/follow/promote", promote).about("Accepts writes from now on, and follows no server."),
];

const SOURCE: &str = r#"{"endpoint": "http://localhost:8530", "username": "root", "password": ""}"#;

const fn order(pattern: &'static str, handler: fn(&Session, &Request) -> Result<Response>) -> Route {
    Route::new(Verb::Post, pattern, Blocking, handler).for_operators()
}

fn begin(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let kind = match body.slice().get("kind").map(|kind| kind.as_str().unwrap_or_default()) {
        None | Some("follower") => FollowKind::Follower,
        Some("migration") => FollowKind::Migration,
        Some(_) => return Err(Error::bad_parameter("'kind' must be 'follower' or 'migration'")),
    };
    session.follow(SourceOptions::parse(body.slice())?, kind)?;
    answer(session, StatusCode::OK)
}

fn probe(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let probe = session.probe_source(&SourceOptions::parse(body.slice())?)?;
    Response::object(StatusCode::OK, |fields| print_probe(&probe, fields))
}

fn print_probe(probe: &Probe, fields: &mut Fields<'_>) {
    fields.child("source", |fields| {
        print_source(&probe.source, fields);
        fields.text("engine", &probe.engine).text("role", probe.role).bool("readOnly", probe.is_read_only);
    });
    fields.list("databases", |list| {
        for database in &probe.databases {
            list.child_element(|fields| {
                fields.text("name", &database.name);
                fields.number("collections", database.collections).number("documents", database.documents);
            });
        }
    });
    fields.bool("canFollow", probe.obstacle.is_none());
    print_error("obstacle", probe.obstacle.as_ref(), fields);
    print_problems(&probe.problems, fields);
}

fn view(session: &Session, _request: &Request) -> Result<Response> {
    answer(session, StatusCode::OK)
}

fn answer(session: &Session, status: StatusCode) -> Result<Response> {
    let view = session.follow_view()?;
    Response::object(status, |fields| print(&view, fields))
}

fn pause(session: &Session, _request: &Request) -> Result<Response> {
    session.pause_following()?;
    answer(session, StatusCode::ACCEPTED)
}

fn resume(session: &Session, _request: &Request) -> Result<Response> {
    session.resume_following()?;
    answer(session, StatusCode::ACCEPTED)
}

fn cut_over(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let comparison = match body.slice().get("compare").map(|compare| compare.as_str().unwrap_or_default()) {
        None | Some("revisions") => Comparison::Revisions,
        Some("counts") => Comparison::Counts,
        Some("none") => Comparison::None,
        Some(_) => return Err(Error::bad_parameter("'compare' must be 'revisions', 'counts' or 'none'")),
    };
    let force = body.slice().get("force").and_then(Slice::as_bool).unwrap_or(false);
    session.cut_over(comparison, force)?;
    answer(session, StatusCode::ACCEPTED)
}

fn abort(session: &Session, _request: &Request) -> Result<Response> {
    session.abort_migration()?;
    answer(session, StatusCode::ACCEPTED)
}

fn promote(session: &Session, _request: &Request) -> Result<Response> {
    session.promote()?;
    answer(session, StatusCode::ACCEPTED)
}

/// Prints the state of the work. Ticks are text, as in the log itself.
fn print(view: &FollowView, fields: &mut Fields<'_>) {
    fields.text("phase", view.phase.name()).text("kind", view.kind.name());
    fields.child("source", |fields| print_source(&view.source, fields));
    let copy = &view.copy;
    fields.child("copy", |fields| {
        fields.number("databasesDone", copy.databases_done).number("databases", copy.databases);
        fields.number("collectionsDone", copy.collections_done).number("collections", copy.collections);
        fields.number("documents", copy.documents).number("bytes", copy.bytes);
        fields.double("seconds", copy.took.as_secs_f64());
    });
    let log = &view.log;
    fields.child("log", |fields| {
        fields.text("applied", &log.applied.to_string()).text("last", &log.last.to_string());
        fields.number("lagEntries", log.last.saturating_sub(log.applied));
        match view.lag() {
            Some(lag) => fields.double("lagSeconds", lag.as_secs_f64()),
            None => fields.null("lagSeconds"),
        };
        fields.number("entries", log.entries).number("transactions", log.transactions);
    });
    print_error("error", view.error.as_ref(), fields);
    print_problems(&view.problems, fields);
    match &view.comparison {
        None => drop(fields.null("comparison")),
        Some(compared) => drop(fields.list("comparison", |list| {
            for compared in compared {
                list.child_element(|fields| {
                    fields.text("database", &compared.database).text("collection", &compared.collection);
                    fields.bool("equal", compared.is_equal);
                    fields.number("source", compared.source).number("here", compared.here);
                });
            }
        })),
    }
}

fn print_source(source: &SourceView, fields: &mut Fields<'_>) {
    fields.text("endpoint", &source.endpoint).text("product", &source.product);
    fields.text("version", &source.version).text("serverId", &source.server_id);
}

fn print_error(name: &str, error: Option<&Error>, fields: &mut Fields<'_>) {
    match error {
        None => drop(fields.null(name)),
        Some(error) => drop(fields.child(name, |fields| {
            fields.number("errorNum", error.number()).text("errorMessage", error.message());
        })),
    }
}

/// Prints what did not come over.
pub(super) fn print_problems(problems: &[Problem], fields: &mut Fields<'_>) {
    fields.list("problems", |list| {
        for problem in problems {
            list.child_element(|fields| {
                fields.text("what", &problem.what).text("where", &problem.place);
                fields.text("effect", &problem.effect);
            });
        }
    });
}
