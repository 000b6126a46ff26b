//! `/_api/tasks`: commands in JavaScript that the server runs later, once or again and again.

use database::Session;
use database::tasks::{Task, TaskDefinition};
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

const PATTERN: &str = "/_api/tasks";
const ONE: &str = "/_api/tasks/{id}";

/// A body for the description of the routes.
const TASK: &str = r#"{"name": "every minute", "command": "require('console').log('tick')", "period": 60}"#;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, PATTERN, Constant, list).about("Lists the tasks."),
    Route::new(Verb::Get, ONE, Constant, get).about("Returns a task."),
    Route::new(Verb::Post, PATTERN, Blocking, create)
        .audited(Audit::Service)
        .for_writers()
        .about("Creates a task.")
        .with_body(TASK),
    // Drivers send this in place of PUT.
    Route::new(Verb::Post, ONE, Blocking, create)
        .audited(Audit::Service)
        .for_writers()
        .about("Creates a task with the ID in the path.")
        .with_body(TASK),
    Route::new(Verb::Put, ONE, Blocking, create)
        .audited(Audit::Service)
        .for_writers()
        .about("Creates a task with the ID in the path.")
        .with_body(TASK),
    Route::new(Verb::Delete, ONE, Constant, remove)
        .audited(Audit::Service)
        .for_writers()
        .about("Deletes a task."),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let tasks = session.tasks();
    let listed = Fields::array(|fields| {
        for task in &tasks {
            fields.child_element(|fields| print(task, fields));
        }
    });
    Ok(Response::value(StatusCode::OK, listed?))
}

fn get(session: &Session, request: &Request) -> Result<Response> {
    let task = session.task(request.parameter("id"))?;
    Response::object(StatusCode::OK, |fields| print(&task, fields))
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let id = Some(request.parameter("id")).filter(|id| !id.is_empty());
    let task = session.create_task(TaskDefinition::from_body(body.slice(), id)?)?;
    Response::object(StatusCode::OK, |fields| print(&task, fields))
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_task(request.parameter("id"))?;
    Response::success(StatusCode::OK, |_| {})
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
