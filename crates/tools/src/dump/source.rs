//! The source of documents: the server's routes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bytes::Bytes;
use client::{Client, Request};
use velocypack::Slice;

use super::options::Settings;
use crate::{Console, Failure};

/// The lifetime of an unused batch on the server, and the time between two signs of use.
const TTL_SECONDS: u64 = 600;
const KEEP_ALIVE: Duration = Duration::from_secs(60);
/// The statuses of a server without parallel dumps.
const UNKNOWN: [u16; 3] = [404, 405, 501];
/// ArangoDB's number of the error that a path is unknown.
const UNKNOWN_PATH: u64 = 404;

/// Checks that the server does not belong to a cluster.
///
/// Errors: it does.
pub(super) fn refuse_clusters(client: &Client) -> Result<(), Failure> {
    let reply = client.call(&Request::get("/_admin/server/role").database("_system"))?.value()?;
    match Slice::new(&reply).get("role").and_then(Slice::as_str) {
        None | Some("SINGLE" | "UNDEFINED") => Ok(()),
        Some(role) => Err(Failure::new(format!(
            "the server is a {role} of a cluster; this tool dumps single servers, clusters need ArangoDB's arangodump"
        ))),
    }
}

/// A snapshot on the server, kept alive until this is dropped.
pub(super) struct Batch {
    client: Client,
    pub(super) id: String,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Batch {
    pub(super) fn open(client: &Client, console: &Console) -> Result<Self, Failure> {
        let body = format!("{{\"ttl\":{TTL_SECONDS}}}");
        let request = Request::post("/_api/replication/batch").json(body.clone());
        let reply = client.call(&request)?.value()?;
        let id = Slice::new(&reply).get("id").and_then(Slice::as_str);
        let id = id.ok_or_else(|| Failure::new("the server opened a batch without an 'id'"))?.to_owned();
        let stopped = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (client, id, console, stopped) =
                (client.clone(), id.clone(), console.clone(), Arc::clone(&stopped));
            move || {
                let mut last = Instant::now();
                while !stopped.load(Ordering::Relaxed) {
                    std::thread::park_timeout(Duration::from_secs(1));
                    if last.elapsed() < KEEP_ALIVE {
                        continue;
                    }
                    last = Instant::now();
                    let request = Request::put("/_api/replication/batch").segment(&id).json(body.clone());
                    if let Err(error) = client.call(&request.repeatable()) {
                        console
                            .warning(&format!("the snapshot on the server could not be kept alive: {error}"));
                    }
                }
            }
        });
        Ok(Batch { client: client.clone(), id, stopped, thread: Some(thread) })
    }

    /// Returns the inventory at the batch's moment.
    pub(super) fn inventory(&self) -> Result<Vec<u8>, Failure> {
        let request = Request::get("/_api/replication/inventory")
            .query("includeSystem", "true")
            .query("includeFoxxQueues", "false")
            .query("batchId", &self.id);
        Ok(self.client.call(&request)?.value()?)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
        // If that fails, the server drops the batch at its expiry.
        let _ = self.client.send(&Request::delete("/_api/replication/batch").segment(&self.id));
    }
}

/// The documents of one collection, on the server.
pub(super) enum Source {
    /// Batches that many threads fetch. `packed`: in the form of the files.
    Context { id: String, packed: bool },
    /// Chunks, one after another.
    Chunks,
}

/// A batch of documents.
pub(super) enum Fetched {
    /// JSON Lines, or a VelocyPack array.
    Plain(Bytes),
    /// The same as one gzip member.
    Packed { member: Bytes, plain_bytes: usize },
}

/// The progress of one thread with a source.
#[derive(Debug, Default)]
pub(super) struct Position {
    /// The last batch of a context that this thread has stored.
    last: Option<u64>,
    /// The end of the last chunk.
    from: String,
    chunk_bytes: u64,
}

impl Source {
    /// Opens a collection, in parallel if the settings and the server allow it.
    ///
    /// `packed` asks the server to pack the batches, which only Persea does.
    pub(super) fn open(
        client: &Client,
        batch: &Batch,
        collection: &str,
        settings: &Settings,
        packed: bool,
    ) -> Result<Source, Failure> {
        if !settings.parallel {
            return Ok(Source::Chunks);
        }
        // If the server packs, one thread packs while another reads, as otherwise this tool and the
        // server do.
        let least = if packed { 2 } else { 1 };
        let threads = settings.server_threads.min((settings.threads as u64).max(least));
        let mut body = velocypack::Builder::new();
        body.open_object()?;
        for (name, value) in [
            ("batchSize", settings.batch_bytes),
            ("prefetchCount", settings.prefetch),
            ("parallelism", threads),
        ] {
            body.key(name)?;
            body.add_u64(value)?;
        }
        body.key("shards")?;
        body.open_array()?;
        body.add_str(collection)?;
        body.close()?;
        body.close()?;
        let request = Request::post("/_api/dump/start")
            .query("useVPack", if settings.velocypack { "true" } else { "false" })
            .query("batchId", &batch.id);
        let request = if packed { request.query("packed", "true") } else { request };
        let request = request.json(body.as_slice().to_json_string());
        let reply = client.send(&request)?;
        let (status, id) = (reply.status(), reply.header("x-arango-dump-id").map(str::to_owned));
        match (reply.success(), id) {
            (Ok(_), Some(id)) => Ok(Source::Context { id, packed }),
            (Ok(_), None) => Err(Failure::new("the server opened a dump without X-Arango-Dump-Id")),
            // A server before 3.12 has only the sequential route.
            (Err(error), _)
                if UNKNOWN.contains(&status)
                    && !settings.velocypack
                    && error.number().is_none_or(|number| number == UNKNOWN_PATH || status != 404) =>
            {
                Ok(Source::Chunks)
            }
            (Err(error), _) => Err(error.into()),
        }
    }

    /// Returns true if several threads may fetch concurrently.
    pub(super) fn is_parallel(&self) -> bool {
        matches!(self, Source::Context { .. })
    }

    /// Returns the next documents, `None` after the last. `number` is unique among all calls.
    pub(super) fn fetch(
        &self,
        client: &Client,
        batch: &Batch,
        collection: &str,
        settings: &Settings,
        number: u64,
        position: &mut Position,
    ) -> Result<Option<Fetched>, Failure> {
        match self {
            Source::Context { id, packed } => {
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
                    Failure::new(format!(
                        "the server sent a batch of {collection:?} in an unexpected encoding"
                    ))
                })?;
                Ok(Some(Fetched::Packed { member: body, plain_bytes }))
            }
            Source::Chunks => {
                Ok(fetch_chunk(client, batch, collection, settings, position)?.map(Fetched::Plain))
            }
        }
    }

    /// Closes the source on the server.
    pub(super) fn close(&self, client: &Client) {
        if let Source::Context { id, .. } = self {
            // If that fails, the server drops the context at its expiry.
            let _ = client.send(&Request::delete("/_api/dump").segment(id));
        }
    }
}

fn fetch_chunk(
    client: &Client,
    batch: &Batch,
    collection: &str,
    settings: &Settings,
    position: &mut Position,
) -> Result<Option<Bytes>, Failure> {
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
        .query("batchId", &batch.id)
        .query("ticks", "false")
        .query("flush", "false")
        .query("useEnvelope", "false")
        .query("from", &position.from)
        .query("chunkSize", &position.chunk_bytes.to_string())
        .header("accept", "application/x-arango-dump");
    let reply = client.call(&request)?;
    let has_more = reply.header("x-arango-replication-checkmore") == Some("true");
    let last = reply.header("x-arango-replication-lastincluded").unwrap_or_default().to_owned();
    position.from = if has_more && last != position.from { last } else { END.to_owned() };
    position.chunk_bytes = (position.chunk_bytes + position.chunk_bytes / 2).min(settings.batch_bytes);
    Ok(Some(reply.into_body()).filter(|body| !body.is_empty()))
}
