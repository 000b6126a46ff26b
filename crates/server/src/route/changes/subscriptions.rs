//! `/_api/changes/subscriptions`: positions in the change log that the server keeps.

use std::time::{Duration, Instant};

use database::Session;
use database::changes::subscription::{BatchEnd, Subscription, SubscriptionBatch};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::framing::Framing;
use super::{DEFAULT_LIMIT, LIMIT_MAX, Services, TIMEOUT_MAX};
use crate::http::content_type;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::stream::live::{Live, LiveSource};

/// Bytes after which a batch ends.
const BATCH_BYTES: usize = 16 << 20;
/// The name of a reader that gives none.
const DEFAULT_CONSUMER: &str = "default";

pub(super) fn create(session: &Session, request: &Request) -> Result<Response> {
    let created = session.create_subscription(request.body_object()?.slice())?;
    Response::success(StatusCode::CREATED, |fields| print(&created, fields))
}

pub(super) fn list(session: &Session, _request: &Request) -> Result<Response> {
    let subscriptions = session.subscriptions()?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("subscriptions", |fields| {
            for subscription in &subscriptions {
                fields.child_element(|fields| print(subscription, fields));
            }
        });
    })
}

pub(super) fn read(session: &Session, request: &Request) -> Result<Response> {
    let subscription = session.subscription(request.parameter("name"))?;
    Response::success(StatusCode::OK, |fields| print(&subscription, fields))
}

pub(super) fn change(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let since = match (body.slice().get("since").and_then(Slice::as_str), body.slice().entries().count()) {
        (Some(since), 1) => since,
        _ => {
            return Err(Error::bad_parameter(
                "expecting one attribute, 'since': 'now', 'earliest' or a token",
            ));
        }
    };
    let moved = session.move_subscription(request.parameter("name"), since)?;
    Response::success(StatusCode::OK, |fields| print(&moved, fields))
}

pub(super) fn remove(session: &Session, request: &Request) -> Result<Response> {
    session.remove_subscription(request.parameter("name"))?;
    Response::success(StatusCode::OK, |_| ())
}

pub(super) fn next(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let parameters = super::Parameters { request, body: body.slice() };
    let consumer = parameters.text("consumer")?.unwrap_or(DEFAULT_CONSUMER.into());
    let limit = match parameters.number("limit")? {
        Some(limit) if limit >= 1.0 => (limit as u64).min(LIMIT_MAX),
        Some(_) => return Err(Error::bad_parameter("'limit' must be at least 1")),
        None => DEFAULT_LIMIT,
    };
    let timeout = super::seconds(parameters.number("timeout")?.unwrap_or(0.0).min(TIMEOUT_MAX));
    let batch = session.begin_batch(request.parameter("name"), &consumer, limit)?;
    let mut source = BatchSource::new(batch, timeout);
    if timeout.is_zero() {
        return Ok(Response::json(StatusCode::OK, source.reply()?));
    }
    Ok(Response::live(Live {
        content_type: content_type::JSON,
        source: Box::new(source),
        news: services.news.subscribe()?,
        heartbeat: timeout,
        ends: true,
    }))
}

pub(super) fn acknowledge(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let batch = body.slice().get("batch");
    let number = match batch.map(|batch| (batch.as_str(), batch.as_u64())) {
        Some((Some(text), _)) => text.parse().ok(),
        Some((None, number)) => number,
        None => None,
    };
    let number = number.ok_or_else(|| Error::bad_parameter("'batch' must be the number of a batch"))?;
    session.acknowledge_batch(request.parameter("name"), number)?;
    Response::success(StatusCode::OK, |_| ())
}

fn print(subscription: &Subscription, fields: &mut Fields<'_>) {
    let definition = &subscription.definition;
    fields.text("name", &definition.name).text("user", definition.user.as_deref().unwrap_or("root"));
    match &definition.collections {
        Some(names) => fields.list("collections", |fields| {
            names.iter().for_each(|name| {
                fields.text_element(name);
            });
        }),
        None => fields.null("collections"),
    };
    match &definition.filter {
        Some(filter) => fields.text("filter", filter),
        None => fields.null("filter"),
    };
    fields.value("bindVars", Slice::new(&definition.bind_vars));
    fields.text("format", definition.form.name());
    fields.double("ackTimeout", definition.ack_timeout.as_secs_f64());
    fields.text("created", &definition.created);
    fields.text("token", &subscription.token.to_string()).number("lag", subscription.lag);
    fields.list("consumers", |fields| {
        for reader in &subscription.readers {
            fields.child_element(|fields| {
                fields.text("name", &reader.name).number("slots", reader.slots as u64);
                fields.number("pending", reader.pending);
                fields.text("seen", &crate::route::replication::utc(reader.seen));
            });
        }
    });
}

/// A batch that is sent once there are changes, or its time is over.
struct BatchSource {
    batch: SubscriptionBatch,
    deadline: Instant,
    is_done: bool,
}

impl BatchSource {
    fn new(batch: SubscriptionBatch, timeout: Duration) -> Self {
        BatchSource { batch, deadline: Instant::now() + timeout, is_done: false }
    }

    /// Returns the changes that are there, perhaps none.
    fn reply(&mut self) -> Result<Vec<u8>> {
        loop {
            let (mut changes, mut count, mut has_more) = (Vec::new(), 0, true);
            while has_more && changes.len() < BATCH_BYTES {
                let progress = self.batch.read(&mut |token, change| {
                    Framing::Object.add(token, change, count == 0, &mut changes);
                    count += 1;
                })?;
                has_more = progress.has_more;
            }
            let batch = match self.batch.end(count)? {
                BatchEnd::Stale => continue,
                BatchEnd::Empty => "null".to_owned(),
                BatchEnd::Full(id) => format!("\"{id}\""),
            };
            let mut reply = format!("{{\"batch\":{batch},\"changes\":[").into_bytes();
            reply.append(&mut changes);
            self.is_done = count > 0;
            reply.extend_from_slice(format!("],\"hasMore\":{}}}", self.batch.has_more()).as_bytes());
            return Ok(reply);
        }
    }
}

impl LiveSource for BatchSource {
    fn has_news(&self) -> bool {
        self.is_done || self.batch.has_news()
    }

    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if self.is_done {
            return Ok(None);
        }
        let reply = self.reply()?;
        if !self.is_done && Instant::now() < self.deadline {
            return Ok(Some(Vec::new()));
        }
        self.is_done = true;
        Ok(Some(reply))
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        self.is_done = true;
        b"{\"batch\":null,\"changes\":[],\"hasMore\":false}".to_vec()
    }

    fn farewell(&mut self, error: &Error) -> Vec<u8> {
        super::source::error_object(error, None)
    }

    fn release(&mut self) {
        self.batch.release();
    }
}
