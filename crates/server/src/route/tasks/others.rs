//! Questions about tasks to the other servers of the same store.
//!
//! Each of them answers for itself. A request that another server has passed on is never passed on
//! again, so that no question comes back.

use std::sync::Arc;

use database::{Interrupt, Session};
use errors::{Error, ErrorCode, Result};
use hyper::header::{ACCEPT, AUTHORIZATION, HeaderMap};
use hyper::{Method, StatusCode, Uri};
use velocypack::{Limits, Slice, validate};

use super::PATTERN;
use crate::http::elsewhere::{Answered, Elsewhere, Passed};
use crate::http::format::{Format, content_type};
use crate::http::forward::FORWARDED_BY;
use crate::http::percent::encode_segment;
use crate::http::{Request, Response};

/// The other servers, for one request.
pub(super) struct Others {
    elsewhere: Arc<Elsewhere>,
    /// The number of this server.
    this: String,
    /// The session of the request. Its interrupt ends the questions.
    session: Session,
    interrupt: Interrupt,
    request: Request,
}

/// The answers with lists of tasks.
pub(super) struct Lists(Vec<Answered>);

/// A task of a list.
pub(super) struct Listed {
    pub(super) id: String,
    /// The task as clients see it, as VelocyPack.
    pub(super) printed: Vec<u8>,
}

impl Listed {
    pub(super) fn value(&self) -> Slice<'_> {
        Slice::new(&self.printed)
    }
}

impl Others {
    /// Returns the other servers; `None` if there can be none, and for a request that one of them
    /// has passed on.
    pub(super) fn of(elsewhere: &Arc<Elsewhere>, session: &Session, request: &Request) -> Option<Self> {
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
    pub(super) fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Asks for the tasks of all other servers. Errors: 1465 if one does not answer, and the error
    /// of one that refuses.
    pub(super) fn list(&self) -> Result<Lists> {
        let answers = self.ask(&Method::GET, self.request.uri(), self.headers_of_user()?)?;
        let answers = answers.into_iter().map(|answer| match answer? {
            answer if answer.status == StatusCode::OK => Ok(answer),
            answer => Err(refusal(&answer)),
        });
        answers.collect::<Result<_>>().map(Lists)
    }

    /// Returns the reply of a server that has the task of the request.
    ///
    /// Errors: 1852 if no server has it. If a server does not answer and no other one has the task,
    /// 1465. If a server refuses, its error.
    pub(super) fn answer(&self) -> Result<Response> {
        let answers = self.ask(self.request.method(), self.request.uri(), self.headers_of_user()?)?;
        match found(answers)? {
            Some(answer) => Ok(Response::value(answer.status, value(&answer)?.bytes().to_vec())),
            None => Err(Error::of(ErrorCode::TaskNotFound)),
        }
    }

    /// Checks that no other server has a task. Errors: 1851 if one has it, whoever may see it; 1465
    /// if one does not answer.
    ///
    /// Two servers that ask each other at the same time both find the identifier free.
    pub(super) fn require_free(&self, id: &str) -> Result<()> {
        let path =
            format!("/_db/{}{PATTERN}/{}", encode_segment(self.session.database_name()), encode_segment(id));
        let uri = Uri::try_from(path).map_err(|_| Error::of(ErrorCode::TaskInvalidId))?;
        let mut headers = HeaderMap::new();
        self.elsewhere.identify_as_server(&mut headers)?;
        match found(self.ask(&Method::GET, &uri, headers)?)? {
            Some(_) => Err(Error::of(ErrorCode::TaskDuplicateId)),
            None => Ok(()),
        }
    }

    /// Returns the headers by which the servers know the user of the request.
    fn headers_of_user(&self) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        if let Some(value) = self.request.headers().get(AUTHORIZATION) {
            headers.insert(AUTHORIZATION, value.clone());
        }
        self.elsewhere.identify(&self.session, &mut headers)?;
        Ok(headers)
    }

    /// Asks all other servers that live. One without an address serves nobody yet.
    fn ask(&self, method: &Method, uri: &Uri, mut headers: HeaderMap) -> Result<Vec<Result<Answered>>> {
        let servers = self.session.instance().local_ids().servers()?.unwrap_or_default();
        let others = servers.into_iter().filter(|server| !server.is_this && !server.address.is_empty());
        let addresses: Vec<String> = others.map(|server| server.address).collect();
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        headers.insert(ACCEPT, content_type(Format::VelocyPack));
        let passed = Passed::new(method, uri, headers, Default::default())?;
        self.elsewhere.ask(passed, &self.this, addresses, &self.interrupt, &self.session.request_memory())
    }
}

impl Lists {
    /// Returns all tasks of the lists. Errors: 4 if one is malformed.
    pub(super) fn into_tasks(self) -> Result<Vec<Listed>> {
        let mut tasks = Vec::new();
        for answer in &self.0 {
            let list = value(answer)?;
            if !list.is_array() {
                return Err(malformed());
            }
            for task in list.elements() {
                let id = task.get("id").and_then(Slice::as_str).ok_or_else(malformed)?;
                tasks.push(Listed { id: id.to_owned(), printed: task.bytes().to_vec() });
            }
        }
        Ok(tasks)
    }
}

/// Returns the answer of a server that has the task, if one has it.
///
/// Errors: without such a server, the first error or refusal other than 404.
fn found(answers: Vec<Result<Answered>>) -> Result<Option<Answered>> {
    let mut error = None;
    for answer in answers {
        match answer {
            Ok(answer) if answer.status == StatusCode::OK => return Ok(Some(answer)),
            Ok(answer) if answer.status == StatusCode::NOT_FOUND => {}
            Ok(answer) => drop(error.get_or_insert_with(|| refusal(&answer))),
            Err(failure) => drop(error.get_or_insert(failure)),
        }
    }
    error.map_or(Ok(None), Err)
}

/// Returns the value in an answer. Errors: 4 if it has none.
fn value(answer: &Answered) -> Result<Slice<'_>> {
    validate(&answer.body, &Limits::default()).map_err(|_| malformed())
}

/// Returns the error in the answer of a server that refuses.
fn refusal(answer: &Answered) -> Error {
    let Ok(body) = value(answer) else { return malformed() };
    let number = body.get("errorNum").and_then(Slice::as_f64);
    let message = body.get("errorMessage").and_then(Slice::as_str).unwrap_or_default();
    Error::of_exception(number, ErrorCode::Internal, message.to_owned()).with_status(answer.status.as_u16())
}

fn malformed() -> Error {
    Error::internal("another server has sent a malformed reply about its tasks")
}
