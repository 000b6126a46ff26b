//! The documents of a collection of a snapshot.

use bytes::Bytes;
use client::{Client, Request, Result};
use velocypack::json;

use crate::reply::unexpected;
use crate::snapshot::Snapshot;

/// The statuses of a server without parallel dumps.
const UNKNOWN: [u16; 3] = [404, 405, 501];
/// ArangoDB's number of the error that a path is unknown.
const UNKNOWN_PATH: u64 = 404;

/// How documents are fetched.
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// Ask for batches that many threads fetch. Servers before 3.12 do not have them.
    pub parallel: bool,
    /// Ask for VelocyPack rather than JSON Lines.
    pub velocypack: bool,
    /// Ask for batches that are packed in the form of a dump's files. Only Persea packs them.
    pub packed: bool,
    /// The threads that fetch.
    pub threads: usize,
    /// Maximum number of threads of the server.
    pub server_threads: u64,
    /// Batches that the server makes ahead.
    pub prefetch: u64,
    /// Bytes of a batch.
    pub batch_bytes: u64,
    /// Bytes of the first one, where batches grow.
    pub first_batch_bytes: u64,
}

/// The documents of one collection, on the server.
pub enum Documents {
    /// Batches that many threads fetch.
    Context {
        /// The number of the server's context.
        id: String,
        /// They are in the form of a dump's files.
        packed: bool,
    },
    /// Chunks, one after another.
    Chunks,
}

/// A batch of documents.
pub enum Fetched {
    /// JSON Lines, or a VelocyPack array.
    Plain(Bytes),
    /// The same as one gzip member.
    Packed {
        /// The member.
        member: Bytes,
        /// The length of its content.
        plain_bytes: usize,
    },
}

/// The progress of one thread with a source.
#[derive(Debug, Default)]
pub struct Position {
    /// The last batch of a context that this thread has stored.
    last: Option<u64>,
    /// The end of the last chunk.
    from: String,
    chunk_bytes: u64,
}

impl Documents {
    /// Opens a collection, in parallel if the options and the server allow it.
    ///
    /// Errors: those of the request.
    pub fn open(
        client: &Client,
        snapshot: &Snapshot,
        collection: &str,
        settings: &FetchOptions,
    ) -> Result<Documents> {
        let packed = settings.packed;
        if !settings.parallel {
            return Ok(Documents::Chunks);
        }
        // If the server packs, one thread packs while another reads, as otherwise the client and
        // the server do.
        let least = if packed { 2 } else { 1 };
        let threads = settings.server_threads.min((settings.threads as u64).max(least));
        let mut shard = Vec::new();
        json::write_str(collection, &mut shard);
        let body = format!(
            "{{\"batchSize\":{},\"prefetchCount\":{},\"parallelism\":{threads},\"shards\":[{}]}}",
            settings.batch_bytes,
            settings.prefetch,
            String::from_utf8_lossy(&shard)
        );
        let request = Request::post("/_api/dump/start")
            .query("useVPack", if settings.velocypack { "true" } else { "false" })
            .query("batchId", snapshot.id());
        let request = if packed { request.query("packed", "true") } else { request };
        let request = request.json(body);
        let reply = client.send(&request)?;
        let (status, id) = (reply.status(), reply.header("x-arango-dump-id").map(str::to_owned));
        match (reply.success(), id) {
            (Ok(_), Some(id)) => Ok(Documents::Context { id, packed }),
            (Ok(_), None) => Err(unexpected(client, "POST /_api/dump/start", "it has no X-Arango-Dump-Id")),
            // A server before 3.12 has only the sequential route.
            (Err(error), _)
                if UNKNOWN.contains(&status)
                    && !settings.velocypack
                    && error.number().is_none_or(|number| number == UNKNOWN_PATH || status != 404) =>
            {
                Ok(Documents::Chunks)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Returns true if several threads may fetch concurrently.
    pub fn is_parallel(&self) -> bool {
        matches!(self, Documents::Context { .. })
    }

    /// Returns the next documents, `None` after the last. `number` is unique among all calls.
    ///
    /// Errors: those of the request.
    pub fn fetch(
        &self,
        client: &Client,
        snapshot: &Snapshot,
        collection: &str,
        settings: &FetchOptions,
        number: u64,
        position: &mut Position,
    ) -> Result<Option<Fetched>> {
        match self {
            Documents::Context { id, packed } => {
                let mut request =
                    Request::post("/_api/dump/next").segment(id).query("batchId", &number.to_string());
                if *packed {
                    request = request.keep_encoding();
                }
                if let Some(last) = position.last {
                    request = request.query("lastBatch", &last.to_string());
                }
                // A repeated request for a batch returns the same batch.
                let reply = client.call(&request.repeatable())?;
                position.last = Some(number);
                if reply.status() == 204 {
                    return Ok(None);
                }
                let is_encoded = *packed && reply.header("content-encoding").is_some();
                let body = reply.into_body();
                if !is_encoded {
                    return Ok(Some(Fetched::Plain(body)));
                }
                let plain_bytes = gzip_members::plain_bytes(&body).ok_or_else(|| {
                    let reason = format!("the batch of {collection:?} has an unexpected encoding");
                    unexpected(client, "POST /_api/dump/next", reason)
                })?;
                Ok(Some(Fetched::Packed { member: body, plain_bytes }))
            }
            Documents::Chunks => {
                Ok(fetch_chunk(client, snapshot, collection, settings, position)?.map(Fetched::Plain))
            }
        }
    }

    /// Closes the source on the server.
    pub fn close(&self, client: &Client) {
        if let Documents::Context { id, .. } = self {
            // If that fails, the server drops the context at its expiry.
            let _ = client.send(&Request::delete("/_api/dump").segment(id));
        }
    }
}

fn fetch_chunk(
    client: &Client,
    snapshot: &Snapshot,
    collection: &str,
    settings: &FetchOptions,
    position: &mut Position,
) -> Result<Option<Bytes>> {
    /// The value of `from` after the last chunk.
    const END: &str = "end";
    if position.from == END {
        return Ok(None);
    }
    let is_first = position.from.is_empty();
    if is_first {
        position.chunk_bytes = settings.first_batch_bytes.min(settings.batch_bytes);
        position.from = "0".to_owned();
    }
    let request = Request::get("/_api/replication/dump")
        .query("collection", collection)
        .query("batchId", snapshot.id())
        .query("ticks", "false")
        .query("flush", "false")
        .query("useEnvelope", "false")
        .query("from", &position.from)
        .query("chunkSize", &position.chunk_bytes.to_string())
        .header("accept", "application/x-arango-dump");
    // ArangoDB keeps the place in the collection itself: a chunk whose reply is lost does not come
    // again, so a second attempt would leave it out.
    let reply = client.call(&request.unrepeatable())?;
    let has_more = reply.header("x-arango-replication-checkmore") == Some("true");
    let last = reply.header("x-arango-replication-lastincluded").unwrap_or_default().to_owned();
    if has_more && reply.body().is_empty() && last == position.from {
        let reason = "it promises more documents, and neither has any nor goes on";
        return Err(unexpected(client, "GET /_api/replication/dump", reason));
    }
    position.from = if has_more { last } else { END.to_owned() };
    position.chunk_bytes = (position.chunk_bytes + position.chunk_bytes / 2).min(settings.batch_bytes);
    Ok(Some(reply.into_body()).filter(|body| !body.is_empty()))
}
