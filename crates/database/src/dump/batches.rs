//! Batches: the snapshot that a dump works on, held by its client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use catalog::CollectionId;
use storage::Snapshot;

use super::chunks::Chunks;
use super::registry::{InUse, Registry};
use crate::session::Session;
use crate::{Error, Result};

/// Most batches at one time.
const BATCHES_MAX: usize = 1_024;
/// The time to live of a batch that asks for none.
const DEFAULT_TTL: Duration = Duration::from_secs(300);
/// Longer than any client forgets to give a batch back, and means it.
const TTL_MAX: Duration = Duration::from_secs(7 * 86_400);

/// All batches of the server.
pub struct Batches {
    pub(super) registry: Registry<Held>,
}

/// What a batch holds.
pub(super) struct Held {
    pub(super) snapshot: Snapshot,
    pub(super) tick: u64,
    /// How far each collection was read in chunks.
    chunks: Mutex<HashMap<CollectionId, Arc<Mutex<Chunks>>>>,
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

impl Session {
    /// Opens a batch over a snapshot of now. Errors: 10 for the time to live, 32.
    pub fn open_batch(&self, ttl_seconds: Option<f64>) -> Result<Batch> {
        let ttl = ttl(ttl_seconds)?;
        let store = self.instance().store();
        let held = Held { snapshot: store.snapshot()?, tick: store.next_id()?, chunks: Mutex::default() };
        let tick = held.tick;
        let batches = self.instance().batches();
        let batch = batches.registry.insert(store.next_id()?, self.cursor_owner(), ttl, held)?;
        Ok(Batch { id: batch.id(), tick })
    }

    /// Gives a batch a time to live from now. Errors: 1600, 10.
    pub fn extend_batch(&self, id: u64, ttl_seconds: Option<f64>) -> Result<()> {
        self.instance().batches().registry.extend(id, &self.cursor_owner(), ttl(ttl_seconds)?)
    }

    /// Gives a batch back. Errors: 1600.
    pub fn close_batch(&self, id: u64) -> Result<()> {
        self.instance().batches().registry.remove(id, &self.cursor_owner())
    }

    pub(super) fn batch(&self, id: u64) -> Result<InUse<Held>> {
        self.instance().batches().registry.find(id, &self.cursor_owner())
    }
}

fn ttl(seconds: Option<f64>) -> Result<Duration> {
    match seconds {
        None => Ok(DEFAULT_TTL),
        Some(seconds) if seconds > 0.0 && seconds.is_finite() => {
            Ok(Duration::try_from_secs_f64(seconds).unwrap_or(TTL_MAX).min(TTL_MAX))
        }
        Some(_) => Err(Error::bad_parameter("'ttl' must be a number of seconds above 0")),
    }
}
