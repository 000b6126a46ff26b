//! Dump contexts: collections that many requests fetch at once, in batches of any order.
//!
//! A collection is divided into ranges of keys when a second client comes. Whoever makes a batch takes the first
//! range that nobody else has, reads on in it, and puts it back; so batches come nearly in the order of keys, and a
//! context that one client reads gives them in that order exactly. While a client takes in a batch, the next ones are
//! made ahead, within bounds of number and bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Context;
use super::registry::{InUse, Registry};

/// Most contexts at one time.
const CONTEXTS_MAX: usize = 1_024;
/// What a client asks for.
#[derive(Clone, Debug)]
pub struct DumpRequest {
    /// Names of collections.
    pub collections: Vec<String>,
    /// Bytes after which a batch ends.
    pub batch_bytes: u64,
    /// Batches that are made ahead.
    pub prefetch: u64,
    /// Threads that make them.
    pub parallelism: u64,
    /// Whether batches are VelocyPack arrays rather than lines of JSON.
    pub velocypack: bool,
    /// Whether batches are packed, each as one member of gzip that says how long it is ([`gzip_members`]).
    pub packed: bool,
    /// The batch whose snapshot is read. Without one, that of the newest batch that the same user has open in the
    /// database, so that all contexts of a dump that began with one show the same moment; without any, a new snapshot.
    pub batch: Option<u64>,
}

/// All contexts of the server.
pub struct DumpContexts {
    pub(super) registry: Registry<Arc<Context>>,
}

/// Batches that are about to be made ahead. Dropped before it is run, it leaves them to others.
pub struct DumpReadAhead {
    pub(super) context: InUse<Arc<Context>>,
    pub(super) has_begun: bool,
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
    /// How many there are.
    pub fn len(&self) -> usize {
        self.registry.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of batches that wait for clients.
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

    /// Called by the housekeeping thread.
    pub(crate) fn look_after(&self) {
        self.registry.expire();
        self.registry.for_each(|context| context.release_idle());
    }
}

impl DumpReadAhead {
    /// Makes batches until enough are ready. `more` is called when more jobs could do the same.
    pub fn run(mut self, more: &dyn Fn()) {
        self.has_begun = true;
        self.context.make_ahead(more);
    }
}
