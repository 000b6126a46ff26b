//! Keys and revisions of a collection, by a cursor.

use client::{Client, Request};
use velocypack::{Builder, Slice};

use super::definitions::of_copies;
use crate::Failure;

/// The rows of a reply.
const BATCH: u64 = 10_000;

/// Seconds for which the server keeps the cursor while the other side is slower.
const TTL_SECONDS: u64 = 3_600;

/// Calls `take` with key and revision of each document.
///
/// Errors: those of requests; a query that a server ends early.
pub(super) fn read(
    client: &Client,
    collection: &str,
    take: &mut dyn FnMut(&str, &str),
) -> Result<(), Failure> {
    let first = of_copies(Request::post("/_api/cursor").json(query(collection)?));
    let mut reply = client.call(&first)?.value()?;
    loop {
        let value = Slice::new(&reply);
        let rows = value.get("result").filter(|rows| rows.is_array()).unwrap_or(Slice::EMPTY_ARRAY);
        for row in rows.elements() {
            let mut texts = row.elements().map(|text| text.as_str().unwrap_or_default());
            take(texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        }
        if value.get("hasMore").and_then(Slice::as_bool) != Some(true) {
            return Ok(());
        }
        let id = value.get("id").and_then(Slice::as_str).unwrap_or_default();
        let next = of_copies(Request::post("/_api/cursor").segment(id));
        reply = client.call(&next)?.value()?;
    }
}

/// Returns the body of the query. It streams, so that neither server keeps all rows.
fn query(collection: &str) -> Result<String, Failure> {
    let mut body = Builder::new();
    body.open_object()?;
    body.key("query")?;
    body.add_str("FOR d IN @@collection RETURN [d._key, d._rev]")?;
    body.key("bindVars")?;
    body.open_object()?;
    body.key("@collection")?;
    body.add_str(collection)?;
    body.close()?;
    for (name, value) in [("batchSize", BATCH), ("ttl", TTL_SECONDS)] {
        body.key(name)?;
        body.add_u64(value)?;
    }
    body.key("options")?;
    body.open_object()?;
    body.key("stream")?;
    body.add_bool(true)?;
    body.close()?;
    body.close()?;
    Ok(body.as_slice().to_json_string())
}
