//! Documents from the server, as JSON Lines.

use bytes::Bytes;
use client::{Client, Request, StreamedResponse};
use memchr::memrchr;
use velocypack::{Builder, Slice, json};

use super::options::Query;
use crate::Failure;

/// The time that a cursor waits for the next request: longer than any disk takes to write a batch.
const TTL_SECONDS: u64 = 1_200;

/// Documents, one after another.
pub(super) trait Rows {
    /// Returns some whole lines, at least one; `None` at the end.
    fn next_lines(&mut self) -> Result<Option<Bytes>, Failure>;

    /// Returns the number of requests.
    fn requests(&self) -> u64;
}

/// Persea's stream: all documents of a collection in one reply, in the order of their keys.
pub(super) struct StreamedRows {
    reply: StreamedResponse,
    /// The beginning of the line that the next piece continues.
    rest: Vec<u8>,
}

impl StreamedRows {
    /// Opens a stream that begins after a key.
    pub(super) fn new(client: &Client, collection: &str, from: Option<&str>) -> Result<Self, Failure> {
        let mut request = Request::post("/_api/export").query("collection", collection);
        if let Some(key) = from {
            request = request.query("from", key);
        }
        // The request only reads.
        let request = request.header("accept", "application/x-ndjson").json("{}").repeatable();
        Ok(StreamedRows { reply: client.stream(&request)?.success()?, rest: Vec::new() })
    }
}

impl Rows for StreamedRows {
    fn next_lines(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let Some(chunk) = self.reply.next_chunk()? else {
                return match self.rest.is_empty() {
                    true => Ok(None),
                    false => Err(Failure::new("the stream of documents ends in the middle of a document")),
                };
            };
            let Some(last) = memrchr(b'\n', &chunk) else {
                self.rest.extend_from_slice(&chunk);
                continue;
            };
            let (lines, rest) = (chunk.slice(..=last), chunk.slice(last + 1..));
            if self.rest.is_empty() {
                self.rest.extend_from_slice(&rest);
                return Ok(Some(lines));
            }
            let mut joined = std::mem::take(&mut self.rest);
            joined.extend_from_slice(&lines);
            self.rest.extend_from_slice(&rest);
            return Ok(Some(joined.into()));
        }
    }

    fn requests(&self) -> u64 {
        1
    }
}

/// A cursor of ArangoDB.
pub(super) struct CursorRows<'a> {
    client: &'a Client,
    /// The body of the first request, until it is sent.
    first: Option<String>,
    /// The cursor, while it has more results.
    id: Option<String>,
    requests: u64,
}

impl<'a> CursorRows<'a> {
    /// Returns the result of a query.
    pub(super) fn of_query(client: &'a Client, query: &Query, batch_rows: u64) -> Result<Self, Failure> {
        let mut body = Builder::new();
        body.open_object()?;
        body.key("query")?;
        body.add_str(&query.text)?;
        body.key("bindVars")?;
        body.add_slice(Slice::new(&query.parameters))?;
        for (name, number) in [("batchSize", batch_rows), ("ttl", TTL_SECONDS)] {
            body.key(name)?;
            body.add_u64(number)?;
        }
        body.key("options")?;
        body.open_object()?;
        body.key("stream")?;
        body.add_bool(true)?;
        // 0 overrides a limit of the server, as in arangoexport.
        body.key("maxRuntime")?;
        body.add_f64(query.max_runtime_seconds)?;
        body.close()?;
        body.close()?;
        let first = Some(body.as_slice().to_json_string());
        Ok(CursorRows { client, first, id: None, requests: 0 })
    }

    /// Returns all documents of a collection. `in_order`: by key, after `from`.
    pub(super) fn of_collection(
        client: &'a Client,
        collection: &str,
        in_order: bool,
        from: Option<&str>,
        batch_rows: u64,
    ) -> Result<Self, Failure> {
        let mut parameters = Builder::new();
        parameters.open_object()?;
        parameters.key("@collection")?;
        parameters.add_str(collection)?;
        if let Some(key) = from {
            parameters.key("from")?;
            parameters.add_str(key)?;
        }
        parameters.close()?;
        let text = match (from, in_order) {
            (Some(_), _) => "FOR d IN @@collection FILTER d._key > @from SORT d._key RETURN d",
            (None, true) => "FOR d IN @@collection SORT d._key RETURN d",
            (None, false) => "FOR d IN @@collection RETURN d",
        };
        let query =
            Query { text: text.to_owned(), parameters: parameters.into_vec(), max_runtime_seconds: 0.0 };
        Self::of_query(client, &query, batch_rows)
    }
}

impl Rows for CursorRows<'_> {
    fn next_lines(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let request = match (self.first.take(), &self.id) {
                (Some(body), _) => Request::post("/_api/cursor").json(body),
                (None, Some(id)) => Request::put("/_api/cursor").segment(id),
                (None, None) => return Ok(None),
            };
            self.requests += 1;
            let reply = self.client.call(&request)?.value()?;
            let reply = Slice::new(&reply);
            let has_more = reply.get("hasMore").and_then(|more| more.as_bool()) == Some(true);
            let id = reply.get("id").and_then(|id| id.as_str()).map(str::to_owned);
            self.id = id.filter(|_| has_more);
            let mut lines = Vec::new();
            for row in reply.get("result").into_iter().flat_map(|rows| rows.elements()) {
                json::write(row, None, &mut lines);
                lines.push(b'\n');
            }
            if !lines.is_empty() {
                return Ok(Some(lines.into()));
            }
        }
    }

    fn requests(&self) -> u64 {
        self.requests
    }
}

impl Drop for CursorRows<'_> {
    /// Closes an unfinished cursor, which would otherwise wait for its expiry.
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            let _ = self.client.send(&Request::delete("/_api/cursor").segment(&id));
        }
    }
}
