//! Requests about all servers of a store, whichever of them the client reaches: lists of what is in
//! the memory of each server, and changes of what each server keeps for itself.
//!
//! Each server answers for itself. A request that another server has passed on is never passed on
//! again, so that no question comes back.

use std::sync::Arc;

use bytes::Bytes;
use database::{Interrupt, Session};
use errors::{Error, ErrorCode, Result};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use hyper::{Method, Uri};
use velocypack::{Limits, Slice, validate};

use super::elsewhere::{Answered, Elsewhere, Passed};
use super::fields::Fields;
use super::format::{Format, content_type};
use super::forward::FORWARDED_BY;
use super::request::Request;
use super::response::{Body, Response};
use super::route::{AllServers, BoundRoute, Call};

/// The other servers, for one request.
pub(crate) struct Others {
    elsewhere: Arc<Elsewhere>,
    /// The number of this server.
    this: String,
    /// The session of the request. Its interrupt ends the questions.
    session: Session,
    interrupt: Interrupt,
    request: Request,
}

impl Others {
    /// Returns the other servers; `None` if there can be none, and for a request that one of them
    /// has passed on.
    pub(crate) fn of(elsewhere: &Arc<Elsewhere>, session: &Session, request: &Request) -> Option<Self> {
        let this = session.instance().local_ids().member()?;
        if request.headers().contains_key(FORWARDED_BY) {
            return None;
        }
        let interrupt = session.part_interrupt();
        Some(Others {
            elsewhere: Arc::clone(elsewhere),
            this: this.to_string(),
            session: session.clone().ended_by(interrupt.clone()),
            interrupt,
            request: request.without_budget(),
        })
    }

    /// Returns what ends the questions.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Passes the request on to all other servers, and returns their replies.
    ///
    /// Errors: 1465 if one does not answer, and the error of one that refuses. The others have
    /// answered then as well.
    pub(crate) fn ask_all(&self) -> Result<Vec<Answered>> {
        let answers = self.ask_about_request()?.into_iter().map(|answer| match answer? {
            answer if answer.status.is_success() => Ok(answer),
            answer => Err(refusal(&answer)),
        });
        answers.collect()
    }

    /// Passes the request on to all other servers, and returns their replies and refusals.
    ///
    /// Errors: those of [`Elsewhere::ask`].
    pub(crate) fn ask_about_request(&self) -> Result<Vec<Result<Answered>>> {
        let request = &self.request;
        let mut headers = HeaderMap::new();
        for name in [AUTHORIZATION, CONTENT_TYPE] {
            if let Some(value) = request.headers().get(&name) {
                headers.insert(name, value.clone());
            }
        }
        self.elsewhere.identify(&self.session, &mut headers)?;
        self.ask(request.method(), request.uri(), headers, request.body().clone())
    }

    /// Asks all other servers for something, in the name of this server.
    ///
    /// Errors: those of [`Elsewhere::ask`].
    pub(crate) fn ask_as_server(&self, uri: &Uri) -> Result<Vec<Result<Answered>>> {
        let mut headers = HeaderMap::new();
        self.elsewhere.identify_as_server(&mut headers)?;
        self.ask(&Method::GET, uri, headers, Bytes::new())
    }

    /// Asks all other servers that live. One without an address serves nobody yet.
    fn ask(
        &self,
        method: &Method,
        uri: &Uri,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Vec<Result<Answered>>> {
        let servers = self.session.instance().local_ids().servers()?.unwrap_or_default();
        let others = servers.into_iter().filter(|server| !server.is_this && !server.address.is_empty());
        let addresses: Vec<String> = others.map(|server| server.address).collect();
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        headers.insert(ACCEPT, content_type(Format::VelocyPack));
        let passed = Passed::new(method, uri, headers, body)?;
        self.elsewhere.ask(passed, &self.this, addresses, &self.interrupt, &self.session.request_memory())
    }
}

/// Returns the value in an answer. Errors: 4 if it has none.
pub(crate) fn value(answer: &Answered) -> Result<Slice<'_>> {
    validate(&answer.body, &Limits::default()).map_err(|_| malformed())
}

/// Returns the error in the answer of a server that refuses.
pub(crate) fn refusal(answer: &Answered) -> Error {
    let Ok(body) = value(answer) else { return malformed() };
    let number = body.get("errorNum").and_then(Slice::as_f64);
    let message = body.get("errorMessage").and_then(Slice::as_str).unwrap_or_default();
    Error::of_exception(number, ErrorCode::Internal, message.to_owned()).with_status(answer.status.as_u16())
}

pub(crate) fn malformed() -> Error {
    Error::internal("another server has sent a malformed reply")
}

/// Makes a route about all servers ask them.
pub(crate) fn asking(route: BoundRoute, elsewhere: &Arc<Elsewhere>) -> BoundRoute {
    let (Some(kind), Call::User(own)) = (route.of_all_servers, &route.call) else { return route };
    let (own, elsewhere, object) = (Arc::clone(own), Arc::clone(elsewhere), route.local_object);
    let call = move |session: &Session, request: &Request| {
        // The same pattern may stand for one object, whose server has got the request.
        let is_of_object = object.is_some_and(|name| request.parameter(name).parse::<u64>().is_ok());
        let others = if is_of_object { None } else { Others::of(&elsewhere, session, request) };
        let Some(others) = others else { return own(session, request) };
        let own = Arc::clone(&own);
        Ok(Response::interruptible(others.interrupt(), move || {
            let response = own(&others.session, &others.request)?.finish()?;
            let answers = others.ask_all()?;
            match kind {
                AllServers::Change => Ok(response),
                AllServers::List { attribute, limit } => {
                    let limit = limit.map_or(Ok(None), |name| others.request.number(name))?;
                    joined(&response, &answers, attribute, limit.unwrap_or(usize::MAX))
                }
            }
        }))
    };
    BoundRoute { call: Call::User(Arc::new(call)), ..route }
}

/// Returns this server's list, followed by those of the others.
fn joined(
    response: &Response,
    answers: &[Answered],
    attribute: Option<&'static str>,
    limit: usize,
) -> Result<Response> {
    let Body::Value { bytes, .. } = &response.body else {
        return Err(Error::internal("a list is not a value"));
    };
    let own = Slice::new(bytes);
    let mut lists = vec![list_in(own, attribute)?];
    for answer in answers {
        lists.push(list_in(value(answer)?, attribute)?);
    }
    let add_all = |fields: &mut Fields<'_>| {
        for element in lists.iter().flat_map(|list| list.elements()).take(limit) {
            fields.element(element);
        }
    };
    let body = match attribute {
        None => Fields::array(add_all)?,
        Some(name) => Fields::object(|fields| {
            for (key, value) in own.entries() {
                if key == name {
                    fields.list(name, add_all);
                } else {
                    fields.value(key, value);
                }
            }
        })?,
    };
    Ok(Response::value(response.status, body))
}

fn list_in<'a>(reply: Slice<'a>, attribute: Option<&str>) -> Result<Slice<'a>> {
    let list = attribute.map_or(Some(reply), |name| reply.get(name));
    list.filter(|list| list.is_array()).ok_or_else(malformed)
}
