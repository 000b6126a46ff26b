//! Questions about tasks to the other servers of the same store.

use errors::{Error, ErrorCode, Result};
use hyper::{StatusCode, Uri};
use velocypack::Slice;

use super::PATTERN;
use crate::http::Response;
use crate::http::all_servers::{Others, malformed, refusal, value};
use crate::http::elsewhere::Answered;
use crate::http::percent::encode_segment;

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

/// Asks for the tasks of all other servers. Errors: 1465 if one does not answer, and the error of
/// one that refuses.
pub(super) fn list(others: &Others) -> Result<Lists> {
    others.ask_all().map(Lists)
}

/// Returns the reply of a server that has the task of the request.
///
/// Errors: 1852 if no server has it. If a server does not answer and no other one has the task,
/// 1465. If a server refuses, its error.
pub(super) fn answer(others: &Others) -> Result<Response> {
    match found(others.ask_about_request()?)? {
        Some(answer) => Ok(Response::value(answer.status, value(&answer)?.bytes().to_vec())),
        None => Err(Error::of(ErrorCode::TaskNotFound)),
    }
}

/// Checks that no other server has a task. Errors: 1851 if one has it, whoever may see it; 1465 if
/// one does not answer.
///
/// Two servers that ask each other at the same time both find the identifier free.
pub(super) fn require_free(others: &Others, id: &str) -> Result<()> {
    let database = encode_segment(others.session().database_name());
    let path = format!("/_db/{database}{PATTERN}/{}", encode_segment(id));
    let uri = Uri::try_from(path).map_err(|_| Error::of(ErrorCode::TaskInvalidId))?;
    match found(others.ask_as_server(&uri)?)? {
        Some(_) => Err(Error::of(ErrorCode::TaskDuplicateId)),
        None => Ok(()),
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
