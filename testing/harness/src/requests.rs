//! Requests whose outcome may be unknown.

use std::fmt;

use client::{Client, Error, Request};
use serde_json::{Value, json};

/// A request that did not succeed.
#[derive(Debug)]
pub struct Failure {
    /// ArangoDB's number of the error; 0 without a reply.
    pub number: u64,
    /// True if nobody knows what the request has changed.
    pub is_unknown: bool,
    text: String,
}

impl Failure {
    /// Returns the failure of a request whose writes have no effect, because the commit that should
    /// follow was never requested.
    pub fn without_effect(self) -> Self {
        let number = if self.is_unknown { 0 } else { self.number };
        Failure { number, is_unknown: false, ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let is_unknown = match &error {
            Error::Server(error) => error.status >= 500,
            Error::Connect { .. } => false,
            _ => true,
        };
        Failure { number: error.number().unwrap_or_default(), is_unknown, text: error.to_string() }
    }
}

/// Sends a request with a body, unless that is null. Returns the reply, or null if it is no JSON.
pub fn ask(client: &Client, request: Request, body: &Value) -> Result<Value, Failure> {
    let request = if body.is_null() { request } else { request.json(body.to_string()) };
    let reply = client.call(&request)?;
    Ok(serde_json::from_slice(reply.body()).unwrap_or_default())
}

/// Returns the rows of a query, all of which come with the first reply. `post` is a request to
/// `/_api/cursor`, which may have more headers.
pub fn query(client: &Client, post: Request, text: &str, binds: &Value) -> Result<Vec<Value>, Failure> {
    let body = json!({"query": text, "bindVars": binds, "batchSize": 1_000_000});
    let mut reply = ask(client, post, &body)?;
    match reply["result"].take() {
        Value::Array(rows) => Ok(rows),
        _ => Err(Failure { number: 0, is_unknown: true, text: format!("{text} has no result: {reply}") }),
    }
}
