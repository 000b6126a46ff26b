//! Dump contexts: collections that many requests fetch concurrently, in batches of any order.
//!
//! A collection is divided into ranges of keys when a second client comes. A thread that makes a
//! batch takes the first free range, reads on in it, and puts the rest back. Batches therefore come
//! nearly in the order of keys, and exactly in that order if the context has one client. While a
//! client receives a batch, the next ones are made ahead, within limits of number and bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Context;
use super::registry::{InUse, Registry};

/// Maximum number of open contexts.
const CONTEXTS_MAX: usize = 1_024;
/// A client's request for a context.
#[derive(Clone, Debug)]
pub struct DumpRequest {
    /// Names of collections.
    pub collections: Vec<String>,
    /// Bytes after which a batch ends.
    pub batch_bytes: u64,
    /// Batches that are made ahead.
    pub prefetch: u64,
    /// Threads that make batches.
    pub parallelism: u64,
    /// True for VelocyPack arrays, false for lines of JSON.
    pub velocypack: bool,
    /// True to pack each batch as one gzip member that records its own length ([`gzip_members`]).
    pub packed: bool,
    /// The batch whose snapshot is read.
    ///
    /// The default is the newest batch that the same user has open in the database, so that all
    /// contexts of a dump show the same moment. Without any batch, the context takes a new
    /// snapshot.
    pub batch: Option<u64>,
}

/// All contexts of the server.
pub struct DumpContexts {
    pub(crate) registry: Registry<Arc<Context>>,
}

/// A job that makes batches ahead. If it is dropped before it runs, other jobs make them.
pub struct DumpReadAhead {
    pub(crate) context: InUse<Arc<Context>>,
    pub(crate) has_begun: bool,
}

impl Drop for DumpReadAhead {
    fn drop(&mut self) {
        if !self.has_begun {
            self.context.cancel_job();
        }
    }
}

impl Default for DumpContexts {
    fn default() -> Self {
        DumpContexts { registry: Registry::new("dump context", CONTEXTS_MAX) }
    }
}

impl DumpContexts {
    /// Returns the number of open contexts.
    pub fn len(&self) -> usize {
        self.registry.len()
    }

    /// Returns true if no context is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of batches that are ready or kept for clients.
    pub fn memory_bytes(&self) -> u64 {
        let bytes = AtomicU64::new(0);
        self.registry.for_each(|context| {
            bytes.fetch_add(context.memory_bytes(), Ordering::Relaxed);
        });
        bytes.into_inner()
    }

    pub(crate) fn remove_database(&self, database: &str) {
        self.registry.remove_database(database);
    }

    /// Forgets expired contexts and releases idle ones. The housekeeping thread calls it.
    pub(crate) fn look_after(&self) {
        self.registry.expire();
        self.registry.for_each(|context| context.release_idle());
    }
}

impl DumpReadAhead {
    /// Makes batches until enough are ready. `more` is called when another job could read on.
    pub fn run(mut self, more: &dyn Fn()) {
        self.has_begun = true;
        self.context.make_ahead(more);
    }
}
