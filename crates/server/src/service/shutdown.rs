//! The request to stop the server.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// The state of the request, and the tasks that wait for it.
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

    /// Returns true if the server was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Acquire)
    }

    /// Waits until the server is asked to stop.
    pub async fn requested(&self) {
        let signal = self.signal.notified();
        // Checked after the registration as a waiter, so that no request is missed.
        if !self.is_requested() {
            signal.await;
        }
    }
}
