//! Batches: the snapshot that a dump works on, held by its client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use catalog::CollectionId;
use storage::Snapshot;

use super::chunks::Chunks;
use super::registry::Registry;

/// Most batches at one time.
const BATCHES_MAX: usize = 1_024;
/// All batches of the server.
pub struct Batches {
    pub(super) registry: Registry<Held>,
}

/// What a batch holds.
pub(super) struct Held {
    pub(super) snapshot: Snapshot,
    pub(super) tick: u64,
    /// How far each collection was read in chunks.
    pub(super) chunks: Mutex<HashMap<CollectionId, Arc<Mutex<Chunks>>>>,
}

impl Held {
    pub(super) fn chunks(&self, collection: CollectionId) -> Arc<Mutex<Chunks>> {
        let mut all = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(collection).or_default())
    }

    /// Lets go of what pins memory in the storage engine, of collections that nobody reads just now.
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
    /// By which it is named.
    pub id: u64,
    /// The server's tick at its moment.
    pub tick: u64,
}

impl Default for Batches {
    fn default() -> Self {
        Batches { registry: Registry::new("dump batch", BATCHES_MAX) }
    }
}

impl Batches {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.registry.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn remove_database(&self, database: &str) {
        self.registry.remove_database(database);
    }

    /// Called by the housekeeping thread.
    pub(crate) fn look_after(&self) {
        self.registry.expire();
        self.registry.for_each(Held::release_idle);
    }
}
