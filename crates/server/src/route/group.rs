//! `/_api/group`: the servers that elect the one that takes writes.

use std::time::Duration;

use database::Session;
use database::group::{GroupView, Member, MemberView};
use errors::{Error, Result};
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Control};
use crate::http::content_type;
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

/// The default time limit of a change of leaders or members.
const LIMIT: Duration = Duration::from_secs(30);
/// The longest one that a request may ask for, in seconds.
const LIMIT_MAX_SECONDS: u64 = 600;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/group", Control, view)
        .for_administrators()
        .about("Describes the group of servers that elect a leader."),
    Route::new(Verb::Post, "/_api/group/appoint", Blocking, appoint)
        .for_operators()
        .about("Makes a member the leader, once it has caught up.")
        .with_body(r#"{"id": 2}"#),
    Route::new(Verb::Post, "/_api/group/members", Blocking, add)
        .for_operators()
        .about("Adds a member, which was started with an empty folder.")
        .with_body(r#"{"id": 4, "endpoint": "tcp://10.0.0.4:8529"}"#),
    Route::new(Verb::Delete, "/_api/group/members/{id}", Blocking, remove)
        .for_operators()
        .about("Removes a member, also one that is lost."),
    // Members talk to each other through the following routes.
    Route::new(Verb::Post, "/_api/group/message", Control, message)
        .for_administrators()
        .not_in_scripts()
        .about("Takes a message of another member's elections."),
    Route::new(Verb::Get, "/_api/group/succession", Control, succession)
        .for_administrators()
        .not_in_scripts()
        .about("Tells a member where the log of this leader continues another one.")
        .with_query(&["epoch", "member", "serverId", "tick"]),
];

fn view(session: &Session, _request: &Request) -> Result<Response> {
    let view = session.group_view()?;
    Response::object(StatusCode::OK, |fields| match &view {
        Some(view) => print(view, fields),
        None => {
            fields.null("group");
        }
    })
}

fn appoint(session: &Session, request: &Request) -> Result<Response> {
    session.appoint_leader(id_of(request)?, limit(request)?)?;
    view(session, request)
}

fn add(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let endpoint = body.slice().get("endpoint").and_then(|endpoint| endpoint.as_str());
    let endpoint =
        endpoint.ok_or_else(|| Error::bad_parameter("'endpoint' must be the address of the member"))?;
    let member = Member { id: id_of(request)?, endpoint: endpoint.to_owned() };
    session.add_group_member(member, limit(request)?)?;
    view(session, request)
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    let id = request.parameter("id").parse::<u64>();
    let id = id.map_err(|_| Error::bad_parameter("the id of a member must be a number"))?;
    session.remove_group_member(id, limit(request)?)?;
    view(session, request)
}

fn message(session: &Session, request: &Request) -> Result<Response> {
    let reply = session.receive_group_message(&request.body)?;
    Ok(Response::bytes(StatusCode::OK, content_type::OCTET_STREAM, reply))
}

fn succession(session: &Session, request: &Request) -> Result<Response> {
    let epoch = request.number("epoch")?.ok_or_else(|| Error::bad_parameter("'epoch' is missing"))?;
    let server = request.text("serverId")?;
    let tick: Option<u64> = request.number("tick")?;
    let answer = session.group_succession(epoch, server.as_deref().zip(tick))?;
    Response::object(StatusCode::OK, |fields| {
        let mut tick = |name: &str, value: Option<u64>| match value {
            Some(value) => drop(fields.text(name, &value.to_string())),
            None => drop(fields.null(name)),
        };
        tick("serverId", Some(answer.server));
        tick("beganAt", Some(answer.began_at));
        tick("known", answer.known);
        tick("from", answer.continuation.map(|(from, _)| from));
        tick("wholeFrom", answer.continuation.map(|(_, whole_from)| whole_from));
    })
}

/// Returns the member that the body names.
fn id_of(request: &Request) -> Result<u64> {
    let body = request.body_object()?;
    let id = body.slice().get("id").and_then(|id| id.as_u64()).filter(|id| *id > 0);
    id.ok_or_else(|| Error::bad_parameter("'id' must be the number of a member"))
}

fn limit(request: &Request) -> Result<Duration> {
    match request.number("timeout")? {
        None => Ok(LIMIT),
        Some(seconds) if (1..=LIMIT_MAX_SECONDS).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        Some(_) => {
            Err(Error::bad_parameter(format!("'timeout' must be between 1 and {LIMIT_MAX_SECONDS} seconds")))
        }
    }
}

/// Prints the group. Ticks are text, as in the log itself.
fn print(view: &GroupView, fields: &mut Fields<'_>) {
    fields.number("id", view.own).number("epoch", view.epoch);
    match view.leader {
        Some(leader) => fields.number("leader", leader),
        None => fields.null("leader"),
    };
    fields.bool("leads", view.leads).bool("synchronous", view.is_synchronous);
    match view.position {
        None => drop(fields.null("position")),
        Some((epoch, tick)) => drop(fields.child("position", |fields| {
            fields.number("epoch", epoch).text("tick", &tick.to_string());
        })),
    }
    fields.list("members", |list| {
        for member in &view.members {
            list.child_element(|fields| print_member(view, member, fields));
        }
    });
    fields.list("setAside", |list| {
        for file in &view.set_aside {
            list.text_element(&file.display().to_string());
        }
    });
    match &view.failure {
        Some(failure) => fields.text("failure", failure),
        None => fields.null("failure"),
    };
}

fn print_member(view: &GroupView, member: &MemberView, fields: &mut Fields<'_>) {
    fields.number("id", member.id).text("endpoint", &member.endpoint);
    fields.bool("leads", view.leader == Some(member.id));
    match member.acknowledged {
        Some(tick) => fields.text("acknowledged", &tick.to_string()),
        None => fields.null("acknowledged"),
    };
}
