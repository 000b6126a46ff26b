//! Signs of life of a process whose replies are late.
//!
//! A slow process and a lost network look the same to a message. HTTP/2 answers a PING without the
//! process's own work, so its absence tells them apart.

use std::time::{Duration, Instant};

use h2::{Ping, PingPong};
use tokio::sync::Mutex;
use tokio::task::AbortHandle;

/// The time for which one sign of life counts. gRPC servers close connections whose clients ask for
/// it more often than every five seconds.
const INTERVAL: Duration = Duration::from_secs(6);

/// The maximum time until a living process answers.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The pulse of one connection.
pub(super) struct Pulse {
    beats: Mutex<Beats>,
    /// The task that drives the connection.
    connection: AbortHandle,
}

struct Beats {
    pings: PingPong,
    /// The moment of the last sign of life that was asked for.
    last: Option<Instant>,
}

impl Pulse {
    pub(super) fn new(pings: PingPong, connection: AbortHandle) -> Self {
        Pulse { beats: Mutex::new(Beats { pings, last: None }), connection }
    }

    /// Asks the process for a sign of life, unless it has given one just now. Without one, it ends
    /// the connection, and with it the wait of all messages, and returns true.
    pub(super) async fn end_if_lost(&self) -> bool {
        let mut beats = self.beats.lock().await;
        if beats.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return false;
        }
        match tokio::time::timeout(TIMEOUT, beats.pings.ping(Ping::opaque())).await {
            Ok(Ok(_)) => {
                beats.last = Some(Instant::now());
                false
            }
            _ => {
                self.connection.abort();
                true
            }
        }
    }
}
