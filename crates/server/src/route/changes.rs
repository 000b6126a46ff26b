//! `/_api/changes`: the change log of a database.
//!
//! The header `accept` decides the form of the reply: one JSON object, with `timeout` after the
//! first change; lines without end (`application/x-ndjson`); server-sent events
//! (`text/event-stream`). docs/changes.md describes it for users.

mod framing;
mod source;
mod subscriptions;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use database::Session;
use database::changes::{ChangeForm, FeedRequest, Since};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::{Builder, Limits, Slice, json};

use self::framing::Framing;
use self::source::FeedSource;
use crate::http::Cost::{Blocking, Constant};
use crate::http::format;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::http::stream::live::Live;
use crate::service::change_news::ChangeNews;

/// Changes of one JSON reply, unless the request says otherwise.
const DEFAULT_LIMIT: u64 = 1_000;
/// Maximum number of changes of one JSON reply.
const LIMIT_MAX: u64 = 100_000;
/// Seconds between two signs of life.
const DEFAULT_HEARTBEAT: f64 = 15.0;
/// The longest wait for a first change, in seconds.
const TIMEOUT_MAX: f64 = 600.0;

/// The services of this family.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) news: Arc<ChangeNews>,
}

const SUBSCRIPTIONS: &str = "/_api/changes/subscriptions";
const SUBSCRIPTION: &str = "/_api/changes/subscriptions/{name}";

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_api/changes", Blocking, read)
        .about("Returns changes of documents and definitions, as they happen.")
        .with_query(&[
            "since",
            "collections",
            "filter",
            "bindVars",
            "limit",
            "timeout",
            "heartbeat",
            "initial",
            "global",
            "format",
        ]),
    Route::with(Verb::Post, "/_api/changes", Blocking, read)
        .about("Returns changes of documents and definitions, as they happen.")
        .with_body(
            r#"{"since": "now", "collections": ["docs"], "filter": "document.n > @n", "bindVars": {"n": 1}}"#,
        ),
    Route::new(Verb::Get, "/_api/changes/readers", Constant, readers)
        .about("Lists the open feeds of changes."),
    Route::with(Verb::Delete, "/_api/changes/readers/{id}", Constant, end_reader)
        .of_local_object("id")
        .about("Ends a feed of changes."),
    Route::new(Verb::Get, SUBSCRIPTIONS, Blocking, subscriptions::list)
        .of_first_server()
        .about("Lists the subscriptions of the user, or of all users for administrators."),
    Route::new(Verb::Post, SUBSCRIPTIONS, Blocking, subscriptions::create)
        .of_first_server()
        .about("Makes a subscription: a position in the change log that the server keeps.")
        .with_body(r#"{"name": "index", "collections": ["docs"]}"#),
    Route::new(Verb::Get, SUBSCRIPTION, Blocking, subscriptions::read)
        .of_first_server()
        .about("Returns a subscription."),
    Route::new(Verb::Patch, SUBSCRIPTION, Blocking, subscriptions::change)
        .of_first_server()
        .about("Moves a subscription to another position.")
        .with_body(r#"{"since": "earliest"}"#),
    Route::new(Verb::Delete, SUBSCRIPTION, Blocking, subscriptions::remove)
        .of_first_server()
        .about("Removes a subscription."),
    Route::with(Verb::Post, "/_api/changes/subscriptions/{name}/next", Blocking, subscriptions::next)
        .of_first_server()
        .not_in_scripts()
        .about("Returns the next batch of changes of a subscription.")
        .with_body(r#"{"consumer": "a", "limit": 100, "timeout": 0}"#),
    Route::new(
        Verb::Post,
        "/_api/changes/subscriptions/{name}/acknowledge",
        Blocking,
        subscriptions::acknowledge,
    )
    .of_first_server()
    .about("Acknowledges a batch of changes, which does not come again.")
    .with_body(r#"{"batch": "1"}"#),
];

fn readers(session: &Session, _request: &Request) -> Result<Response> {
    let last = session.last_change();
    Response::object(StatusCode::OK, |fields| {
        fields.list("readers", |fields| {
            for feed in session.open_feeds() {
                fields.child_element(|fields| {
                    fields.text("id", &feed.id.to_string()).text("database", &feed.owner.database);
                    fields.text("user", feed.owner.user.as_deref().unwrap_or("root"));
                    fields.text("started", &super::replication::utc(feed.started));
                    fields.list("collections", |fields| {
                        for name in &feed.collections {
                            fields.text_element(name);
                        }
                    });
                    fields.text("filter", feed.filter.as_deref().unwrap_or_default());
                    fields.number("lag", last.saturating_sub(feed.position));
                });
            }
        });
    })
}

fn end_reader(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let id = request.parameter("id");
    let number = id.parse().map_err(|_| Error::bad_parameter(format!("'{id}' is no number of a feed")))?;
    session.end_feed(number)?;
    services.news.wake();
    Response::success(StatusCode::OK, |_| ())
}

/// The parameters of a request, in the address or in the body.
struct Parameters<'a> {
    request: &'a Request,
    body: Slice<'a>,
}

impl<'a> Parameters<'a> {
    /// Errors: 10 if both are there, or the value is no text.
    fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>> {
        let in_body = self.body.get(name).filter(|value| !value.is_null());
        match (self.request.text(name)?, in_body) {
            (Some(_), Some(_)) => Err(Error::bad_parameter(format!("'{name}' is given twice"))),
            (Some(text), None) => Ok(Some(text)),
            (None, Some(value)) => {
                let text = value.as_str().map(Cow::Borrowed);
                text.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a string")))
            }
            (None, None) => Ok(None),
        }
    }

    fn flag(&self, name: &str) -> Result<bool> {
        match self.body.get(name).filter(|value| !value.is_null()) {
            Some(value) => {
                value.as_bool().ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a boolean")))
            }
            None => self.request.flag(name, false),
        }
    }

    /// Returns a number that is not negative.
    fn number(&self, name: &str) -> Result<Option<f64>> {
        let given = match self.body.get(name).filter(|value| !value.is_null()) {
            Some(value) => Some(value.as_f64().ok_or_else(|| number_expected(name))?),
            None => self.request.number(name)?,
        };
        match given {
            Some(number) if !(number >= 0.0 && number.is_finite()) => Err(number_expected(name)),
            given => Ok(given),
        }
    }

    fn collections(&self) -> Result<Option<Vec<String>>> {
        let listed = self.body.get("collections").filter(|value| value.is_array());
        let text = match listed {
            Some(list) => {
                let names: Option<Vec<&str>> = list.elements().map(Slice::as_str).collect();
                let names = names.ok_or_else(|| Error::bad_parameter("'collections' must be names"))?;
                Cow::Owned(names.join(","))
            }
            None => match self.text("collections")? {
                Some(text) => text,
                None => return Ok(None),
            },
        };
        FeedRequest::parse_collections(&text).map(Some)
    }

    /// Returns the bind parameters of the filter: an object in the body, or JSON in the address.
    fn bind_vars(&self) -> Result<Vec<u8>> {
        if let Some(object) = self.body.get("bindVars") {
            return Ok(object.bytes().to_vec());
        }
        let Some(text) = self.request.text("bindVars")? else { return Ok(Slice::NULL.bytes().to_vec()) };
        let mut builder = Builder::new();
        json::parse(text.as_bytes(), &Limits::default(), &mut builder)
            .map_err(|error| Error::bad_parameter(format!("'bindVars' is no JSON: {error}")))?;
        Ok(builder.into_vec())
    }
}

fn number_expected(name: &str) -> Error {
    Error::bad_parameter(format!("'{name}' must be a number that is not negative"))
}

fn read(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let parameters = Parameters { request, body: body.slice() };
    let framing = Framing::accepted(request);
    // A browser that reconnects says what it has.
    let last_event = request.header("last-event-id").filter(|_| framing == Framing::Events);
    let since = match last_event {
        Some(token) => Since::parse(token)?,
        None => parameters.text("since")?.map_or(Ok(Since::Now), |text| Since::parse(&text))?,
    };
    let limit = parameters.number("limit")?.map(|limit| limit as u64);
    let feed = session.open_feed(FeedRequest {
        since,
        collections: parameters.collections()?,
        filter: parameters.text("filter")?.map(Cow::into_owned),
        bind_vars: parameters.bind_vars()?,
        limit: match framing {
            Framing::Object => Some(limit.unwrap_or(DEFAULT_LIMIT).min(LIMIT_MAX)),
            _ => limit,
        },
        initial: parameters.flag("initial")? && last_event.is_none(),
        global: parameters.flag("global")?,
        form: parameters
            .text("format")?
            .map_or(Ok(ChangeForm::default()), |name| ChangeForm::parse(&name))?,
    })?;
    let timeout = seconds(parameters.number("timeout")?.unwrap_or(0.0).min(TIMEOUT_MAX));
    let heartbeat =
        seconds(parameters.number("heartbeat")?.unwrap_or(DEFAULT_HEARTBEAT).clamp(0.1, TIMEOUT_MAX));
    if framing == Framing::Object && timeout.is_zero() {
        return source::whole(feed);
    }
    Ok(Response::live(Live {
        content_type: framing.content_type(),
        source: Box::new(FeedSource::new(feed, framing, timeout)),
        news: services.news.subscribe()?,
        heartbeat: if framing == Framing::Object { timeout } else { heartbeat },
        ends: framing == Framing::Object,
    }))
}

fn seconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number).unwrap_or_default()
}

impl Framing {
    /// Returns the form that the header `accept` asks for.
    fn accepted(request: &Request) -> Framing {
        if format::accepts(request.headers(), "text/event-stream") {
            return Framing::Events;
        }
        if format::accepts(request.headers(), "application/x-ndjson") {
            return Framing::Lines;
        }
        Framing::Object
    }
}
