//! `/_api/batch`: many requests in one, which run one after another and are answered in order.
//!
//! The body is multipart: each part is a complete HTTP request of any kind except a batch. No part
//! runs before the whole body has been split into parts. A part that fails does not stop the
//! others, and no transaction encloses them. All parts use the database that the batch's own
//! address names. They use the batch's user as well, unless a part has an `authorization` header of
//! its own.
//!
//! A part that names an object of another server of the same store runs there.
//!
//! A batch begins within its request's budget. It continues on the worker pool when a part would
//! wait, or when the budget is spent.

mod part;
mod reply;

use std::sync::Arc;

use bytes::Bytes;
use database::{Interrupt, MemoryAccount, Session};
use errors::{Error, ErrorCode, Result};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, StatusCode};

use self::part::PartRequest;
use self::reply::{PART_REPLY_BYTES, Reply};
use crate::http::Cost::{Constant, Unknown};
use crate::http::elsewhere::Way;
use crate::http::format::Format;
use crate::http::forward::HomeServer;
use crate::http::multipart::{self, Part};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::response::Rest;
use crate::http::route::{Route, Verb};

pub(crate) use self::part::PartServices;
pub(crate) use self::reply::Answer;

const PATTERN: &str = "/_api/batch";
const PART_TYPE: &str = "application/x-arango-batchpart";
const ERRORS: &str = "x-arango-errors";

/// The services of this family.
pub(crate) struct Services {
    /// The routes and settings for the requests in the parts.
    pub(crate) parts: Arc<PartServices>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Post, PATTERN, Unknown, start)
    .about("Runs several requests, the parts of a multipart body.")];

/// The route that refuses a batch within a batch.
pub(crate) const WITHIN_BATCH: &[Route] = &[Route::open(Verb::Post, PATTERN, Constant, refuse)];

fn refuse(_services: &(), _request: &Request) -> Result<Response> {
    Err(Error::new(ErrorCode::HttpBadParameter, "a batch cannot be part of a batch"))
}

fn start(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let mut batch = Batch::open(services, session, request)?;
    while !request.budget().is_spent() {
        match batch.next() {
            Next::Over => return batch.finish(),
            Next::Answered => {}
            Next::Further(part, rest) => {
                return Ok(Response::interruptible(batch.interrupt.clone(), move || {
                    batch.answer(&part, rest.run().and_then(Response::finish));
                    batch.run()
                }));
            }
        }
    }
    Ok(Response::interruptible(batch.interrupt.clone(), move || batch.run()))
}

/// A batch in progress: some parts are answered.
struct Batch {
    services: Arc<PartServices>,
    session: Session,
    /// Ends the parts if the client goes.
    interrupt: Interrupt,
    request: Request,
    parts: std::vec::IntoIter<Part>,
    failed: usize,
    reply: Reply,
    memory: Arc<MemoryAccount>,
}

/// The outcome of one step.
enum Next {
    /// No part was left.
    Over,
    /// The part was answered.
    Answered,
    /// The part would wait or take long.
    Further(Pending, Rest),
}

/// A part without an answer yet.
struct Pending {
    id: Option<Bytes>,
    has_body: bool,
    accepted: Format,
}

impl Batch {
    /// Splits the whole body into parts. Errors: 400 if it is malformed.
    fn open(services: &Services, session: &Session, request: &Request) -> Result<Self> {
        let content_type = request.header(CONTENT_TYPE);
        let malformed =
            |error: multipart::MultipartError| Error::new(ErrorCode::HttpBadParameter, error.to_string());
        let boundary = multipart::boundary(content_type, request.body()).map_err(malformed)?;
        let parts = multipart::split(request.body(), &boundary).map_err(malformed)?;
        check_types(&parts)?;
        let memory = session.request_memory();
        let reply = Reply::new(boundary, parts.len(), Arc::clone(&memory))?;
        let interrupt = session.part_interrupt();
        Ok(Batch {
            services: Arc::clone(&services.parts),
            session: session.clone().ended_by(interrupt.clone()),
            interrupt,
            request: request.clone(),
            parts: parts.into_iter(),
            failed: 0,
            reply,
            memory,
        })
    }

    /// Answers all remaining parts, without a budget.
    fn run(mut self) -> Result<Response> {
        self.request = self.request.without_budget();
        loop {
            match self.next() {
                Next::Over => return self.finish(),
                Next::Answered => {}
                Next::Further(part, rest) => self.answer(&part, rest.run().and_then(Response::finish)),
            }
        }
    }

    /// Runs the next part, on the connection's task as far as possible.
    fn next(&mut self) -> Next {
        let Some(part) = self.parts.next() else { return Next::Over };
        let mut pending =
            Pending { id: part.header("content-id"), has_body: true, accepted: self.request.accepted() };
        match self.begin(&part, &mut pending) {
            Ok(response) => match response.finished() {
                Ok(response) => self.answer(&pending, Ok(response)),
                Err(rest) => return Next::Further(pending, rest),
            },
            Err(error) => self.answer(&pending, Err(error)),
        }
        Next::Answered
    }

    fn begin(&mut self, part: &Part, pending: &mut Pending) -> Result<Response> {
        // A part without memory for its reply is refused before it does anything.
        self.reply.reserve(PART_REPLY_BYTES)?;
        let request = PartRequest::read(&self.request, &part.body)?;
        pending.has_body = request.method != Method::HEAD;
        pending.accepted = request.accepted;
        let (prepared, home) = request.prepare(&self.services, &self.session, &self.request, &self.memory)?;
        match home {
            HomeServer::This => prepared.begin(&self.services, &self.request),
            HomeServer::Other { this, address } => {
                let services = Arc::clone(&self.services);
                let (batch, memory) = (self.request.clone(), Arc::clone(&self.memory));
                let interrupt = self.interrupt.clone();
                Ok(Response::deferred(move || match address()? {
                    Some(address) => {
                        let way = Way { address: &address, this: &this, interrupt: &interrupt };
                        services.elsewhere.run(&prepared.passed(&batch)?, &way, memory)
                    }
                    // Its objects are gone with it, as the routes of this server say.
                    None => prepared.begin(&services, &batch.without_budget()),
                }))
            }
        }
    }

    /// Writes the answer to a part.
    fn answer(&mut self, pending: &Pending, response: Result<Response>) {
        let response = response.unwrap_or_else(Response::from);
        let answer = Answer::of(response, pending.accepted, &self.memory)
            .and_then(|answer| self.reply.reserve(answer.body_len() + PART_REPLY_BYTES).map(|()| answer))
            .or_else(|error| Answer::of(error.into(), pending.accepted, &self.memory))
            .unwrap_or_else(|_| Answer::broken());
        self.failed += usize::from(answer.status.as_u16() >= 400);
        self.reply.push(pending.id.as_deref(), &answer, pending.has_body);
    }

    fn finish(self) -> Result<Response> {
        let content_type = form_data(self.reply.boundary())?;
        let response = Response::bytes(StatusCode::OK, content_type, self.reply.finish());
        if self.failed == 0 { Ok(response) } else { response.text_header(ERRORS, &self.failed.to_string()) }
    }
}

fn check_types(parts: &[Part]) -> Result<()> {
    for (position, part) in (1..).zip(parts) {
        let given = part.header("content-type").unwrap_or_default();
        let media_type = given.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        if !media_type.eq_ignore_ascii_case(PART_TYPE.as_bytes()) {
            let given = String::from_utf8_lossy(media_type);
            let message = format!(
                "part {position} of the batch has the content type '{given}', expecting '{PART_TYPE}'"
            );
            return Err(Error::new(ErrorCode::HttpBadParameter, message));
        }
    }
    Ok(())
}

fn form_data(boundary: &[u8]) -> Result<HeaderValue> {
    let value = [b"multipart/form-data; boundary=", boundary].concat();
    HeaderValue::from_bytes(&value).map_err(|_| Error::bad_parameter("the boundary has control characters"))
}
