//! `/_api/changes/webhooks`: receivers to which the server sends changes.

use database::Session;
use database::changes::{DeadLetter, WebhookView};
use errors::Result;
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Blocking;
use crate::http::audit::Audit;
use crate::http::fields::Fields;
use crate::http::{Request, Response, Route, Verb};

const PATTERN: &str = "/_api/changes/webhooks";
const ONE: &str = "/_api/changes/webhooks/{name}";
const DEAD_LETTERS: &str = "/_api/changes/webhooks/{name}/dead-letters";

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, PATTERN, Blocking, list)
        .of_first_server()
        .about("Lists the webhooks of the database."),
    Route::new(Verb::Post, PATTERN, Blocking, create)
        .of_first_server()
        .audited(Audit::Service)
        .for_writers()
        .not_in_scripts()
        .about("Makes a webhook: changes are sent to its URL.")
        .with_body(r#"{"name": "orders", "url": "https://example.com/changes", "collections": ["orders"]}"#),
    Route::new(Verb::Get, ONE, Blocking, get).of_first_server().about("Returns a webhook."),
    Route::new(Verb::Patch, ONE, Blocking, change)
        .of_first_server()
        .audited(Audit::Service)
        .for_writers()
        .not_in_scripts()
        .about("Changes a webhook, and resumes one that has stopped.")
        .with_body(r#"{"paused": false}"#),
    Route::new(Verb::Delete, ONE, Blocking, remove)
        .of_first_server()
        .audited(Audit::Service)
        .not_in_scripts()
        .about("Removes a webhook with its dead letters."),
    Route::new(Verb::Post, "/_api/changes/webhooks/{name}/replay", Blocking, replay)
        .of_first_server()
        .audited(Audit::Service)
        .not_in_scripts()
        .about("Delivers once more from a token on.")
        .with_body(r#"{"since": "earliest"}"#),
    Route::new(Verb::Post, "/_api/changes/webhooks/{name}/ping", Blocking, ping)
        .of_first_server()
        .not_in_scripts()
        .about("Sends a test delivery, and returns its outcome."),
    Route::new(Verb::Get, DEAD_LETTERS, Blocking, dead_letters)
        .of_first_server()
        .about("Lists the deliveries of a webhook that failed for good."),
    Route::new(Verb::Delete, DEAD_LETTERS, Blocking, remove_dead_letters)
        .of_first_server()
        .audited(Audit::Service)
        .not_in_scripts()
        .about("Removes the dead letters of a webhook."),
    Route::new(Verb::Post, "/_api/changes/webhooks/{name}/dead-letters/retry", Blocking, retry_dead_letters)
        .of_first_server()
        .audited(Audit::Service)
        .not_in_scripts()
        .about("Sends the dead letters of a webhook once more."),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let webhooks = session.webhooks()?;
    Response::object(StatusCode::OK, |fields| {
        fields.list("webhooks", |fields| {
            for webhook in &webhooks {
                fields.child_element(|fields| print(webhook, fields));
            }
        });
    })
}

fn create(session: &Session, request: &Request) -> Result<Response> {
    let webhook = session.create_webhook(request.body_object()?.slice())?;
    Response::object(StatusCode::CREATED, |fields| print(&webhook, fields))
}

fn get(session: &Session, request: &Request) -> Result<Response> {
    let webhook = session.webhook(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| print(&webhook, fields))
}

fn change(session: &Session, request: &Request) -> Result<Response> {
    let webhook = session.change_webhook(request.parameter("name"), request.body_object()?.slice())?;
    Response::object(StatusCode::OK, |fields| print(&webhook, fields))
}

fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_webhook(request.parameter("name"))?;
    Response::success(StatusCode::OK, |_| {})
}

fn replay(session: &Session, request: &Request) -> Result<Response> {
    let webhook = session.replay_webhook(request.parameter("name"), request.body_object()?.slice())?;
    Response::object(StatusCode::OK, |fields| print(&webhook, fields))
}

fn ping(session: &Session, request: &Request) -> Result<Response> {
    let outcome = session.ping_webhook(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| {
        fields.bool("delivered", outcome.delivered);
        match outcome.status {
            Some(status) => fields.number("status", status),
            None => fields.null("status"),
        };
        optional(fields, "error", outcome.error.as_deref());
    })
}

fn dead_letters(session: &Session, request: &Request) -> Result<Response> {
    let letters = session.dead_letters(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| {
        fields.list("deadLetters", |fields| {
            for letter in &letters {
                fields.child_element(|fields| print_dead_letter(letter, fields));
            }
        });
    })
}

fn remove_dead_letters(session: &Session, request: &Request) -> Result<Response> {
    let removed = session.remove_dead_letters(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| {
        fields.number("removed", removed);
    })
}

fn retry_dead_letters(session: &Session, request: &Request) -> Result<Response> {
    let queued = session.retry_dead_letters(request.parameter("name"))?;
    Response::object(StatusCode::OK, |fields| {
        fields.number("queued", queued);
    })
}

/// Prints a webhook without its secret and its headers, which may have secrets too.
fn print(webhook: &WebhookView, fields: &mut Fields<'_>) {
    let (definition, progress) = (&webhook.definition, &webhook.progress);
    fields
        .text("name", &webhook.name)
        .text("url", &definition.url)
        .text("user", definition.user.as_deref().unwrap_or("root"));
    match &definition.collections {
        None => fields.null("collections"),
        Some(names) => fields.list("collections", |fields| {
            for name in names {
                fields.text_element(name);
            }
        }),
    };
    optional(fields, "filter", definition.filter.as_deref());
    fields
        .value("bindVars", Slice::new(&definition.bind_vars))
        .text("format", &definition.format)
        .number("batchSize", definition.batch_size)
        .double("batchWait", definition.batch_wait)
        .number("maxAttempts", definition.max_attempts)
        .bool("paused", definition.paused)
        .text("created", &definition.created)
        .text("token", &webhook.token.to_string())
        .number("lag", webhook.lag)
        .text("state", webhook.state)
        .number("attempts", progress.attempts);
    optional(fields, "lastError", progress.last_error.as_deref());
    optional(fields, "lastSuccess", progress.last_success.as_deref());
    fields.number("deadLetters", progress.dead_letters);
}

fn print_dead_letter(letter: &DeadLetter, fields: &mut Fields<'_>) {
    fields
        .text("key", &letter.key)
        .text("id", &letter.id)
        .text("token", &letter.token)
        .number("changes", letter.changes)
        .number("attempts", letter.attempts)
        .text("error", &letter.error)
        .text("time", &letter.time)
        .number("bytes", letter.bytes);
}

fn optional(fields: &mut Fields<'_>, name: &str, text: Option<&str>) {
    match text {
        Some(text) => fields.text(name, text),
        None => fields.null(name),
    };
}
