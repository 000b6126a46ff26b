//! Searches of a view.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Instant;

use harness::Server;
use serde_json::{Value, json};

use super::{Built, Wanted};
use crate::http::{Connection, JSON, request};
use crate::{Failure, Setup};

const DOCUMENTS_PER_REQUEST: usize = 5_000;
const ANALYZER: &str = r#"{"name":"plain","type":"text","properties":{"locale":"en","case":"lower","accent":true,
    "stemming":false,"stopwords":[]},"features":["frequency","norm","position"]}"#;
const VIEW: &str =
    r#"{"name":"v","type":"arangosearch","links":{"t":{"fields":{"t":{"analyzers":["plain"]}}}}}"#;

pub(super) struct Persea {
    connection: Connection,
    server: Server,
    _folder: tempfile::TempDir,
}

impl Persea {
    pub(super) fn start(setup: &Setup) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let server = setup.persea(folder.path(), &[])?;
        let mut connection = Connection::open(server.port())?;
        connection.expect_success(&request("POST", "/_api/collection", JSON, br#"{"name":"t"}"#))?;
        connection.expect_success(&request("POST", "/_api/analyzer", JSON, ANALYZER.as_bytes()))?;
        Ok(Persea { connection, server, _folder: folder })
    }

    /// Stores texts under their numbers. Returns the bytes of all texts.
    pub(super) fn load<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Result<u64, Failure> {
        let mut bytes = 0;
        let mut body = String::new();
        for (number, text) in texts.enumerate() {
            bytes += text.len() as u64;
            writeln!(body, r#"{{"_key":"{number}","t":"{text}"}}"#)?;
            if (number + 1) % DOCUMENTS_PER_REQUEST == 0 {
                self.import(&std::mem::take(&mut body))?;
            }
        }
        self.import(&body)?;
        Ok(bytes)
    }

    fn import(&mut self, body: &str) -> Result<(), Failure> {
        if body.is_empty() {
            return Ok(());
        }
        let path = "/_api/import?collection=t&type=documents";
        self.connection.expect_success(&request("POST", path, JSON, body.as_bytes()))?;
        Ok(())
    }

    /// Creates the view, and waits until it has all texts and has saved them.
    pub(super) fn index(&mut self) -> Result<Built, Failure> {
        let (started, cpu) = (Instant::now(), self.server.process().cpu_time());
        self.connection.expect_success(&request("POST", "/_api/view", JSON, VIEW.as_bytes()))?;
        let seconds = started.elapsed().as_secs_f64();
        let cpu_seconds = (self.server.process().cpu_time() - cpu).as_secs_f64();
        let path = "/_api/index?collection=t&withHidden=true&withStats=true";
        let reply = self.connection.expect_success(&request("GET", path, "", b""))?;
        let reply: Value = serde_json::from_slice(reply)?;
        let sizes = reply["indexes"].as_array().into_iter().flatten();
        let bytes = sizes.filter_map(|index| index["figures"]["indexSize"].as_u64()).sum();
        Ok(Built { seconds, cpu_seconds, bytes })
    }

    /// Returns the numbers of all texts that are found.
    pub(super) fn keys(&mut self, wanted: &Wanted) -> Result<BTreeSet<u64>, Failure> {
        let reply = self.query(wanted, "RETURN TO_NUMBER(d._key)", 10_000_000)?;
        Ok(reply["result"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect())
    }

    /// Returns the server's milliseconds for the best ten texts.
    pub(super) fn best(&mut self, wanted: &Wanted) -> Result<f64, Failure> {
        let reply = self.query(wanted, "SORT BM25(d) DESC LIMIT 10 RETURN d.t", 1_000)?;
        let seconds = reply["extra"]["stats"]["executionTime"].as_f64();
        Ok(seconds.ok_or("a reply has no executionTime")? * 1e3)
    }

    fn query(&mut self, wanted: &Wanted, tail: &str, batch_size: u64) -> Result<Value, Failure> {
        let (condition, values) = match wanted {
            Wanted::Word(word) => ("d.t == @a", json!({ "a": word })),
            Wanted::Both(first, second) => ("d.t == @a AND d.t == @b", json!({ "a": first, "b": second })),
            Wanted::Phrase(words) => ("PHRASE(d.t, @a)", json!({ "a": words })),
        };
        let query = format!("FOR d IN v SEARCH ANALYZER({condition}, 'plain') {tail}");
        let body = json!({ "query": query, "bindVars": values, "batchSize": batch_size }).to_string();
        let reply =
            self.connection.expect_success(&request("POST", "/_api/cursor", JSON, body.as_bytes()))?;
        Ok(serde_json::from_slice(reply)?)
    }
}
