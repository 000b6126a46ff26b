//! Memory of bytes that connections have received and no request has taken yet.
//!
//! Such bytes are heads until their requests end, incomplete short bodies, and data of waiting
//! HTTP/2 requests. Each connection limits its own bytes; this module limits those of all
//! connections together. Connections that keep sending beyond the limit are closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that a connection may always have.
const FREE_BYTES: u64 = 4 << 10;

/// The kind of the error that ends a connection for lack of this memory.
pub(crate) const NO_MEMORY: std::io::ErrorKind = std::io::ErrorKind::OutOfMemory;

/// The unread bytes of all connections.
#[derive(Debug)]
pub(crate) struct UnreadMemory {
    max_bytes: u64,
    bytes: AtomicU64,
}

impl UnreadMemory {
    /// Returns the memory of connections that together have at most `max_bytes` beyond
    /// [`FREE_BYTES`] each.
    pub(crate) fn new(max_bytes: u64) -> Self {
        UnreadMemory { max_bytes, bytes: AtomicU64::new(0) }
    }
}

impl Default for UnreadMemory {
    /// Returns memory without a bound.
    fn default() -> Self {
        UnreadMemory::new(u64::MAX)
    }
}

/// The unread bytes of one connection.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    memory: Arc<UnreadMemory>,
    bytes: AtomicU64,
}

impl Unread {
    pub(crate) fn new(memory: Arc<UnreadMemory>) -> Self {
        Unread { memory, bytes: AtomicU64::new(0) }
    }

    /// Adds bytes. Returns false if there is no memory for them: the connection ends then.
    pub(crate) fn add(&self, bytes: usize) -> bool {
        let own = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        let all = self.memory.bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        own <= FREE_BYTES || all <= self.memory.max_bytes
    }

    /// Removes bytes that a request has taken, as many as there are.
    pub(crate) fn remove(&self, bytes: u64) {
        let before = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |own| Some(own.saturating_sub(bytes)))
            .unwrap_or_default();
        self.memory.bytes.fetch_sub(before.min(bytes), Ordering::Relaxed);
    }

    /// Removes all bytes.
    pub(crate) fn clear(&self) {
        let own = self.bytes.swap(0, Ordering::Relaxed);
        self.memory.bytes.fetch_sub(own, Ordering::Relaxed);
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_share_the_bound_and_each_has_a_little() {
        let memory = Arc::new(UnreadMemory::new(100_000));
        let (one, two) = (Unread::new(Arc::clone(&memory)), Unread::new(Arc::clone(&memory)));
        assert!(one.add(90_000) && !two.add(20_000));
        drop(two);
        let three = Unread::new(Arc::clone(&memory));
        assert!(one.add(10_000) && three.add(4_000) && !three.add(1_000));
        one.remove(1 << 40);
        assert!(three.add(90_000));
        three.clear();
        assert_eq!(memory.bytes.load(Ordering::Relaxed), 0);
    }
}
