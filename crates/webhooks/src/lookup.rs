//! Lookups of names, which the system does without a time limit.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

/// Maximum number of lookups that are in progress. One that takes too long keeps its thread.
const LOOKUPS_MAX: usize = 16;
/// Maximum number of addresses of a host.
const ADDRESSES_MAX: usize = 64;

/// Lookups in progress.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    running: Arc<AtomicUsize>,
}

/// A lookup in progress, which ends when this is dropped.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lookups {
    /// Returns all addresses of a host.
    ///
    /// Errors: the reason why there are none before the deadline.
    pub(crate) fn addresses(
        &self,
        host: &str,
        port: u16,
        deadline: Instant,
    ) -> Result<Vec<SocketAddr>, String> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let running = Running(Arc::clone(&self.running));
        if self.running.fetch_add(1, Ordering::Relaxed) >= LOOKUPS_MAX {
            return Err(format!("{LOOKUPS_MAX} lookups of names are in progress"));
        }
        let (sender, receiver) = mpsc::channel();
        let owned = host.to_owned();
        let thread = std::thread::Builder::new().name("webhook lookup".into());
        let spawned = thread.spawn(move || {
            let _running = running;
            let found = (owned.as_str(), port).to_socket_addrs();
            // A receiver that is gone has waited long enough.
            let _ = sender.send(found.map(|found| found.take(ADDRESSES_MAX + 1).collect::<Vec<_>>()));
        });
        spawned.map_err(|error| format!("no thread can be started for a lookup: {error}"))?;
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Ok(found)) if found.len() > ADDRESSES_MAX => {
                Err(format!("the host '{host}' has more than {ADDRESSES_MAX} addresses"))
            }
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => Err(format!("the host '{host}' cannot be resolved: {error}")),
            Err(_) => Err(format!("the host '{host}' was not resolved in time")),
        }
    }
}
