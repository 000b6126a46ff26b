//! The request to stop the server, for good or for another start.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// The state of the request, and the tasks that wait for it.
#[derive(Debug, Default)]
pub struct Shutdown {
    requested: AtomicBool,
    restarts: AtomicBool,
    signal: Notify,
}

impl Shutdown {
    /// Asks the server to stop.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Release);
        self.signal.notify_waiters();
    }

    /// Asks the server to stop, and to start again.
    pub fn request_restart(&self) {
        self.restarts.store(true, Ordering::Release);
        self.request();
    }

    /// Returns true if the server should start again after it has stopped.
    pub fn is_restart(&self) -> bool {
        self.restarts.load(Ordering::Acquire)
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
