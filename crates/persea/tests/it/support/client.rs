//! A client of a server, which panics where a request has no reply.

use std::ops::Deref;

use harness::http1::{self, Connection, Request};
use serde_json::{Value, json};

/// One keep-alive connection.
pub(crate) struct Client {
    connection: Connection,
}

/// A reply.
#[derive(Debug)]
pub(crate) struct Reply(http1::Reply);

impl Client {
    pub(crate) fn new(connection: Connection) -> Self {
        Client { connection }
    }

    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Reply {
        let request = Request::new(method, path).body(body);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        Reply(self.connection.ask(&request).unwrap())
    }

    pub(crate) fn json(&mut self, method: &str, path: &str, body: &str) -> Reply {
        self.send(method, path, &[], body.as_bytes())
    }
}

impl Reply {
    /// Returns the body. Panics if it is not JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in the body {:?}", self.text()))
    }
}

impl Deref for Reply {
    type Target = http1::Reply;

    fn deref(&self) -> &http1::Reply {
        &self.0
    }
}

/// Sends a body that must be accepted, and returns the reply's.
#[track_caller]
pub(crate) fn post(client: &mut Client, path: &str, body: &Value) -> Value {
    let reply = client.json("POST", path, &body.to_string());
    assert!(reply.status < 300, "{path}: {}", reply.text());
    reply.json()
}

/// Runs a query, and returns its rows.
#[track_caller]
pub(crate) fn query(client: &mut Client, text: &str) -> Value {
    post(client, "/_api/cursor", &json!({"query": text, "batchSize": 1_000_000}))["result"].clone()
}
