//! Signs of life of a process whose replies are late.
//!
//! A slow process and a lost network look the same to a message. HTTP/2 answers a PING without the
//! process's own work, so its absence tells them apart.

use std::time::{Duration, Instant};

use h2::{Ping, PingPong};
use tokio::sync::Mutex;

/// The time for which one sign of life counts. Servers of gRPC end connections whose clients ask
/// for it more often than every five seconds.
const INTERVAL: Duration = Duration::from_secs(6);

/// The longest time until a living process answers.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The pulse of one connection.
pub(super) struct Pulse(Mutex<Beats>);

struct Beats {
    pings: PingPong,
    last: Option<Instant>,
}

impl Pulse {
    pub(super) fn new(pings: PingPong) -> Self {
        Pulse(Mutex::new(Beats { pings, last: None }))
    }

    /// Returns true if the process gives a sign of life, or has given one just now.
    pub(super) async fn beats(&self) -> bool {
        let mut beats = self.0.lock().await;
        if beats.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return true;
        }
        let answer = tokio::time::timeout(TIMEOUT, beats.pings.ping(Ping::opaque())).await;
        beats.last = Some(Instant::now());
        matches!(answer, Ok(Ok(_)))
    }
}
