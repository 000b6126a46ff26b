//! Operations: the requests of a test case.

use std::fmt::Write;
use std::time::Duration;

use client::Request;
use velocypack::{Builder, Slice};

use crate::Failure;

/// The amount of one run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    Operations(u64),
    Time(Duration),
}

/// The common part of all operations of one run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The name of the collection, and the beginning of the names of others.
    pub(super) collection: String,
    pub(super) complexity: u64,
    /// The number of threads that make operations.
    pub(super) threads: u64,
    /// The number of operations; `None` if a time limits the run.
    pub(super) total: Option<u64>,
    /// The beginning of keys and names that no other run uses.
    pub(super) stamp: String,
    /// The body of the test case custom-query.
    pub(super) query: String,
    /// The number of documents in one reply to a query.
    pub(super) cursor_batch: u64,
}

/// The position of an operation in its run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// The number among the operations of all threads, from 0.
    pub(super) number: u64,
    /// The number of the thread, from 0.
    pub(super) thread: u64,
    /// The number among the operations of this thread, from 0.
    pub(super) own: u64,
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

/// One operation: a request, or a part of a batch.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: String,
}

impl Plan {
    /// Returns a key that no other thread and no other run uses.
    pub(super) fn key(&self, thread: u64, number: u64) -> String {
        format!("{}-{thread}-{number}", self.stamp)
    }

    /// Returns the collection as a segment of a path.
    pub(super) fn segment(&self) -> String {
        client::encode_segment(&self.collection).into_owned()
    }

    /// Returns a query with bind variables, which are JSON.
    pub(super) fn cursor(&self, query: &str, variables: &str) -> Operation {
        let (query, batch) = (json_text(query), self.cursor_batch);
        let body = format!(r#"{{"query":{query},"bindVars":{variables},"batchSize":{batch}}}"#);
        Operation::post("/_api/cursor", body)
    }
}

impl Operation {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Operation { method: Method::Get, path: path.into(), body: String::new() }
    }

    pub(super) fn post(path: impl Into<String>, body: String) -> Self {
        Operation { method: Method::Post, path: path.into(), body }
    }

    pub(super) fn patch(path: impl Into<String>, body: String) -> Self {
        Operation { method: Method::Patch, path: path.into(), body }
    }

    pub(super) fn delete(path: impl Into<String>) -> Self {
        Operation { method: Method::Delete, path: path.into(), body: String::new() }
    }

    /// Returns the operation as a request of its own.
    pub(super) fn into_request(self) -> Request {
        let request = match self.method {
            Method::Get => return Request::get(&self.path),
            Method::Delete => return Request::delete(&self.path),
            Method::Post => Request::post(&self.path),
            Method::Patch => Request::patch(&self.path),
        };
        request.json(self.body)
    }
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }
}

/// Returns the body of a query.
pub(super) fn query_body(
    text: &str,
    variables: Slice<'_>,
    batch_size: u64,
    is_streamed: bool,
) -> Result<String, Failure> {
    let mut body = Builder::new();
    body.open_object()?;
    body.key("query")?;
    body.add_str(text)?;
    body.key("bindVars")?;
    body.add_slice(variables)?;
    body.key("batchSize")?;
    body.add_u64(batch_size)?;
    if is_streamed {
        body.key("options")?;
        body.open_object()?;
        body.key("stream")?;
        body.add_bool(true)?;
        body.close()?;
    }
    body.close()?;
    Ok(body.as_slice().to_json_string())
}

/// Returns a text in JSON.
pub(super) fn json_text(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    json_write(text, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn json_write(text: &str, bytes: &mut Vec<u8>) {
    velocypack::json::write_str(text, bytes);
}

/// Returns a document with a number of texts of equal values.
///
/// It has a key, if there is one, and `more` attributes (JSON, each with a comma at its end).
pub(super) fn document(key: Option<&str>, more: &str, attributes: u64) -> String {
    let mut text = String::with_capacity(32 + more.len() + attributes as usize * 24);
    text.push('{');
    if let Some(key) = key {
        text.push_str("\"_key\":\"");
        text.push_str(key);
        text.push_str("\",");
    }
    text.push_str(more);
    for number in 1..=attributes {
        // Writes to a String do not fail.
        let _ = write!(text, "\"test{number}\":\"some value\",");
    }
    text.pop();
    text.push('}');
    text
}
