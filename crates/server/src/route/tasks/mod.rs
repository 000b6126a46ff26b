//! `/_api/tasks`: commands in JavaScript that the server runs later, once or again and again.
//!
//! A task runs on the server that made it. Where several servers share a store, the others are
//! asked about the tasks that this one does not have (`others`).

mod others;

use std::sync::Arc;

use database::Session;
use database::tasks::{Task, TaskDefinition};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use self::others::Listed;
use crate::http::Cost::{Blocking, Constant};
use crate::http::all_servers::Others;
use crate::http::audit::Audit;
use crate::http::elsewhere::Elsewhere;
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

const PATTERN: &str = "/_api/tasks";
const ONE: &str = "/_api/tasks/{id}";

/// A body for the description of the routes.
const TASK: &str = r#"{"name": "every minute", "command": "require('console').log('tick')", "period": 60}"#;

/// The services of this family.
pub(crate) struct Services {
    /// The way to the other servers.
    pub(crate) elsewhere: Arc<Elsewhere>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, PATTERN, Constant, list).about("Lists the tasks."),
    Route::with(Verb::Get, ONE, Constant, get).about("Returns a task."),
    Route::with(Verb::Post, PATTERN, Blocking, create)
        .audited(Audit::Service)
        .for_writers()
        .about("Creates a task.")
        .with_body(TASK),
    // Drivers send this in place of PUT.
    Route::with(Verb::Post, ONE, Blocking, create)
        .audited(Audit::Service)
        .for_writers()
        .about("Creates a task with the ID in the path.")
        .with_body(TASK),
    Route::with(Verb::Put, ONE, Blocking, create)
        .audited(Audit::Service)
        .for_writers()
        .about("Creates a task with the ID in the path.")
        .with_body(TASK),
    Route::with(Verb::Delete, ONE, Constant, remove)
        .audited(Audit::Service)
        .for_writers()
        .about("Deletes a task."),
];

fn list(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let Some(others) = Others::of(&services.elsewhere, session, request) else {
        let tasks = session.tasks();
        let listed = Fields::array(|fields| {
            for task in &tasks {
                fields.child_element(|fields| print(task, fields));
            }
        });
        return Ok(Response::value(StatusCode::OK, listed?));
    };
    Ok(Response::interruptible(others.interrupt(), move || {
        let elsewhere = others::list(&others)?;
        let own = others.session().tasks();
        let own = own.iter().map(|task| {
            let printed = Fields::object(|fields| print(task, fields))?;
            Ok(Listed { id: task.id.to_string(), printed })
        });
        let mut listed = elsewhere.into_tasks()?;
        listed.extend(own.collect::<Result<Vec<_>>>()?);
        listed.sort_by(|left, right| left.id.cmp(&right.id));
        let listed = Fields::array(|fields| {
            for task in &listed {
                fields.element(task.value());
            }
        });
        Ok(Response::value(StatusCode::OK, listed?))
    }))
}

fn get(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    match session.task(request.parameter("id")) {
        Ok(task) => Response::object(StatusCode::OK, |fields| print(&task, fields)),
        Err(error) => elsewhere(services, session, request, error),
    }
}

fn create(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let id = Some(request.parameter("id")).filter(|id| !id.is_empty());
    let definition = TaskDefinition::from_body(body.slice(), id)?;
    let make = |session: &Session, check: &dyn Fn(&str) -> Result<()>| {
        let task = session.create_task(definition, check)?;
        Response::object(StatusCode::OK, |fields| print(&task, fields))
    };
    match Others::of(&services.elsewhere, session, request) {
        None => make(session, &|_| Ok(())),
        Some(others) => Ok(Response::interruptible(others.interrupt(), move || {
            make(others.session(), &|id| others::require_free(&others, id))
        })),
    }
}

fn remove(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    match session.remove_task(request.parameter("id")) {
        Ok(()) => Response::success(StatusCode::OK, |_| {}),
        Err(error) => elsewhere(services, session, request, error),
    }
}

/// Lets the other servers answer a request for a task that this one does not have.
fn elsewhere(services: &Services, session: &Session, request: &Request, error: Error) -> Result<Response> {
    if error.code() != ErrorCode::TaskNotFound {
        return Err(error);
    }
    let others = Others::of(&services.elsewhere, session, request).ok_or(error)?;
    Ok(Response::interruptible(others.interrupt(), move || others::answer(&others)))
}

/// Prints a task as ArangoDB shows it: its command as a call of a function.
fn print(task: &Task, fields: &mut Fields<'_>) {
    let definition = &task.definition;
    fields
        .text("id", &task.id)
        .text("name", &definition.name)
        .double("created", task.created_seconds)
        .text("type", if definition.period_seconds.is_some() { "periodic" } else { "timed" });
    if let Some(period) = definition.period_seconds {
        fields.double("period", period);
    }
    fields
        .double("offset", definition.offset_seconds)
        .text("command", &format!("(function (params) {{ {} }} )(params);", definition.command))
        .text("database", &task.owner.database);
}
