//! Batches: snapshots of the store that clients hold while they dump.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use catalog::CollectionId;
use storage::Snapshot;

use super::chunks::Chunks;
use super::registry::Registry;

/// Maximum number of open batches.
const BATCHES_MAX: usize = 1_024;
/// All batches of the server.
pub struct Batches {
    pub(crate) registry: Registry<Held>,
}

/// The contents of a batch: its snapshot, and the progress of each collection.
pub(crate) struct Held {
    pub(crate) snapshot: Snapshot,
    pub(crate) tick: u64,
    /// The progress of each collection that is read in chunks.
    pub(crate) chunks: Mutex<HashMap<CollectionId, Arc<Mutex<Chunks>>>>,
}

impl Held {
    pub(crate) fn chunks(&self, collection: CollectionId) -> Arc<Mutex<Chunks>> {
        let mut all = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(collection).or_default())
    }

    /// Releases the memory that idle collections pin in the storage engine.
    fn release_idle(&self) {
        let all = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        for chunks in all.values() {
            if let Ok(mut chunks) = chunks.try_lock() {
                chunks.release();
            }
        }
    }
}

/// A batch as its client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The number by which clients name it.
    pub id: u64,
    /// The server's tick at the moment of the snapshot.
    pub tick: u64,
}

impl Default for Batches {
    fn default() -> Self {
        Batches { registry: Registry::new("dump batch", BATCHES_MAX) }
    }
}

impl Batches {
    /// Returns the number of open batches.
    pub fn len(&self) -> usize {
        self.registry.len()
    }

    /// Returns true if no batch is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn remove_database(&self, database: &str) {
        self.registry.remove_database(database);
    }

    /// Forgets expired batches and releases idle ones. The housekeeping thread calls it.
    pub(crate) fn look_after(&self) {
        self.registry.expire();
        self.registry.for_each(Held::release_idle);
    }
}
