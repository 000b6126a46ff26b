//! Keys and revisions of a collection, by a cursor.

use client::{Client, Request, Result};
use velocypack::{Slice, json};

use crate::reply::unexpected;

/// Rows of a reply.
const BATCH: u64 = 10_000;
/// Seconds for which the server keeps the cursor while the reader is slower.
const TTL_SECONDS: u64 = 3_600;

/// Calls `take` with `_key` and `_rev` of each document of a collection, in any order.
///
/// The collection is one of the client's database. A server that follows another one answers too.
///
/// Errors: those of the requests, a document without one of both.
pub fn for_each_revision(client: &Client, collection: &str, take: &mut dyn FnMut(&str, &str)) -> Result<()> {
    let mut name = Vec::new();
    json::write_str(collection, &mut name);
    let name = String::from_utf8_lossy(&name);
    // It streams, so that no server keeps all rows.
    let query = format!(
        "{{\"query\":\"FOR d IN @@collection RETURN [d._key, d._rev]\",\"bindVars\":{{\"@collection\":{name}}},\
         \"batchSize\":{BATCH},\"ttl\":{TTL_SECONDS},\"options\":{{\"stream\":true}}}}"
    );
    let mut request = Request::post("/_api/cursor").json(query);
    loop {
        let reply = client.call(&request.header("x-arango-allow-dirty-read", "true"))?.value()?;
        let reply = Slice::new(&reply);
        let rows = reply.get("result").filter(|rows| rows.is_array()).unwrap_or(Slice::EMPTY_ARRAY);
        for row in rows.elements() {
            let text = |index| row.at(index).and_then(Slice::as_str);
            let (Some(key), Some(revision)) = (text(0), text(1)) else {
                let reason = format!("a document of '{collection}' has no '_key' or '_rev'");
                return Err(unexpected(client, "POST /_api/cursor", reason));
            };
            take(key, revision);
        }
        let has_more = reply.get("hasMore").and_then(Slice::as_bool) == Some(true);
        match reply.get("id").and_then(Slice::as_str).filter(|_| has_more) {
            Some(id) => request = Request::post("/_api/cursor").segment(id),
            None => return Ok(()),
        }
    }
}
