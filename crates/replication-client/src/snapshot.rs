//! A snapshot on a server, which a batch holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use client::{Client, Error, Request, Result};
use velocypack::Slice;

use crate::reply::unexpected;

/// The lifetime of an unused batch on the server, and the time between two signs of use.
const TTL_SECONDS: u64 = 600;
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// A snapshot of a database on the server, kept alive until this is dropped.
pub struct Snapshot {
    client: Client,
    id: String,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Snapshot {
    /// Takes a snapshot of the client's database. `warn` is told of failures to keep it alive.
    ///
    /// Errors: those of the request.
    pub fn open(client: &Client, warn: impl Fn(&Error) + Send + 'static) -> Result<Self> {
        let body = format!("{{\"ttl\":{TTL_SECONDS}}}");
        let request = Request::post("/_api/replication/batch").json(body.clone());
        let reply = client.call(&request)?.value()?;
        let id = Slice::new(&reply).get("id").and_then(Slice::as_str);
        let missing = || unexpected(client, "POST /_api/replication/batch", "it has no 'id'");
        let id = id.ok_or_else(missing)?.to_owned();
        let stopped = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (client, id, stopped) = (client.clone(), id.clone(), Arc::clone(&stopped));
            move || keep_alive(&client, &id, &body, &stopped, &warn)
        });
        Ok(Snapshot { client: client.clone(), id, stopped, thread: Some(thread) })
    }

    /// Returns the number of the batch.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the inventory of the database at the snapshot's moment, as a VelocyPack object.
    ///
    /// Errors: those of the request.
    pub fn inventory(&self) -> Result<Vec<u8>> {
        let request = Request::get("/_api/replication/inventory")
            .query("includeSystem", "true")
            .query("includeFoxxQueues", "false")
            .query("batchId", &self.id);
        self.client.call(&request)?.value()
    }
}

fn keep_alive(client: &Client, id: &str, body: &str, stopped: &AtomicBool, warn: &dyn Fn(&Error)) {
    let mut last = Instant::now();
    while !stopped.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_secs(1));
        if last.elapsed() < KEEP_ALIVE {
            continue;
        }
        last = Instant::now();
        let request = Request::put("/_api/replication/batch").segment(id).json(body.to_owned());
        if let Err(error) = client.call(&request.repeatable()) {
            warn(&error);
        }
    }
}

impl Drop for Snapshot {
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
