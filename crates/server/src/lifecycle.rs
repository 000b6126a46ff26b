//! From the first connection to the end of the last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::http::listener::{self, Listener};
use crate::server::Server;

/// How long requests that have begun may take to end when the server stops.
pub const STOP_PATIENCE: Duration = Duration::from_secs(30);

/// How long the worker pool may take to end after the last connection has.
const POOL_PATIENCE: Duration = Duration::from_secs(10);

/// Whether the server is asked to stop, and who waits for that.
#[derive(Debug, Default)]
pub struct Shutdown {
    requested: AtomicBool,
    signal: Notify,
}

impl Shutdown {
    /// Asks the server to stop.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Release);
        self.signal.notify_waiters();
    }

    /// Whether the server is asked to stop.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Acquire)
    }

    /// Waits until the server is asked to stop.
    pub async fn requested(&self) {
        let signal = self.signal.notified();
        // Looked at after the waiting has begun, so that no request is missed.
        if !self.is_requested() {
            signal.await;
        }
    }
}

/// Serves connections until the server is asked to stop; then lets the requests that have begun end, for at most
/// `patience`. Answers whether all did.
pub async fn serve(
    server: Arc<Server>,
    listeners: Vec<Listener>,
    patience: Duration,
) -> std::io::Result<bool> {
    let mut tasks = Vec::new();
    for listener in listeners {
        tasks.push(tokio::spawn(listener::accept(Arc::clone(&server), listener)?));
    }
    let watch = tokio::spawn(watch(Arc::clone(&server)));
    server.shutdown().requested().await;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let ended = server.connections().close(patience).await;
    watch.abort();
    if !ended {
        // Those who asked are gone, so their queries need not go on either.
        server.instance().stop();
    }
    let pool = Arc::clone(server.pool());
    let idle = tokio::task::spawn_blocking(move || pool.stop(POOL_PATIENCE)).await.unwrap_or(false);
    Ok(ended && idle)
}

/// Seconds between two times at which the store writes what it keeps up in memory.
const MAINTENANCE_SECONDS: u64 = 60;

/// Looks after the connections once a second, and after the store once a minute.
async fn watch(server: Arc<Server>) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    for second in 1_u64.. {
        seconds.tick().await;
        if second % MAINTENANCE_SECONDS == 0 {
            let store = Arc::clone(server.instance().store());
            // A full queue only means that it is done a minute later.
            let _ = server.pool().submit(Box::new(move || {
                if let Err(error) = store.maintain() {
                    tracing::warn!(target: "engines", %error, "estimates of indexes could not be written");
                }
            }));
        }
        let (received, sent) = server.connections().tick(server.options().http.keep_alive);
        server.metrics().add_traffic(received, sent);
    }
}
