//! Removal of expired documents by their time-to-live indexes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use catalog::IndexType;
use catalog::index::TypeOptions;
use errors::{Error, ErrorCode, Result};
use storage::{
    BlockLimits, Collection, Durability, Index, IndexBounds, Store, TransactionOptions, WaitPolicy,
    WriteOptions,
};
use velocypack::{Builder, Slice};

/// Documents that one transaction removes: few enough that writers of the same documents hardly
/// wait.
const BATCH_DOCUMENTS: usize = 1000;
/// Shortest time between two runs.
const FREQUENCY_MIN_MS: u64 = 100;

/// The limits of the runs. A client can change them while the server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtlProperties {
    /// True to remove documents.
    pub active: bool,
    /// Milliseconds between two runs; 0 disables the runs.
    pub frequency_ms: u64,
    /// Maximum number of documents that one run removes.
    pub max_total_removes: u64,
    /// Maximum number of documents that one run removes from one collection.
    pub max_collection_removes: u64,
    /// Stored and reported without effect: all collections are open here.
    pub only_loaded_collections: bool,
}

impl Default for TtlProperties {
    fn default() -> Self {
        TtlProperties {
            active: true,
            frequency_ms: 30_000,
            max_total_removes: 1_000_000,
            max_collection_removes: 100_000,
            only_loaded_collections: true,
        }
    }
}

impl TtlProperties {
    /// Returns the properties with a client's changes: an object with the names of
    /// `GET /_api/ttl/properties`.
    ///
    /// Errors: 10 for an attribute of the wrong type or out of bounds. Nothing is changed then.
    pub fn changed(mut self, changes: Slice<'_>) -> Result<Self> {
        if !changes.is_object() {
            return Err(Error::bad_parameter("expecting an object for the properties"));
        }
        change(changes, "active", Slice::as_bool, &mut self.active)?;
        change(changes, "frequency", Slice::as_u64, &mut self.frequency_ms)?;
        change(changes, "maxTotalRemoves", Slice::as_u64, &mut self.max_total_removes)?;
        change(changes, "maxCollectionRemoves", Slice::as_u64, &mut self.max_collection_removes)?;
        change(changes, "onlyLoadedCollections", Slice::as_bool, &mut self.only_loaded_collections)?;
        if self.frequency_ms != 0 && self.frequency_ms < FREQUENCY_MIN_MS {
            let message = format!("too low value for 'frequency': at least {FREQUENCY_MIN_MS}, or 0");
            return Err(Error::bad_parameter(message));
        }
        Ok(self)
    }
}

fn change<'a, T>(
    changes: Slice<'a>,
    name: &str,
    read: impl FnOnce(Slice<'a>) -> Option<T>,
    place: &mut T,
) -> Result<()> {
    let Some(value) = changes.get(name) else { return Ok(()) };
    let wrong = || Error::bad_parameter(format!("invalid value for attribute '{name}'"));
    *place = read(value).ok_or_else(wrong)?;
    Ok(())
}

/// The statistics since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TtlStatistics {
    /// Runs that have ended.
    pub runs: u64,
    /// Documents removed.
    pub documents_removed: u64,
    /// Number of times that a run, or its part for one collection, ended at its limit of removals.
    pub limit_reached: u64,
}

/// The job: properties, statistics, and the time of its last run.
#[derive(Debug, Default)]
pub struct TtlJob {
    properties: Mutex<TtlProperties>,
    last_run: Mutex<Option<Instant>>,
    runs: AtomicU64,
    documents_removed: AtomicU64,
    limit_reached: AtomicU64,
}

impl TtlJob {
    pub(crate) fn new(properties: TtlProperties) -> Self {
        TtlJob { properties: Mutex::new(properties), ..TtlJob::default() }
    }

    /// Returns the limits of the runs.
    pub fn properties(&self) -> TtlProperties {
        *self.properties.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the limits of the next runs; see [`TtlProperties::changed`].
    pub fn change(&self, changes: Slice<'_>) -> Result<TtlProperties> {
        let mut properties = self.properties.lock().unwrap_or_else(PoisonError::into_inner);
        *properties = properties.changed(changes)?;
        Ok(*properties)
    }

    /// Returns the statistics so far.
    pub fn statistics(&self) -> TtlStatistics {
        TtlStatistics {
            runs: self.runs.load(Ordering::Relaxed),
            documents_removed: self.documents_removed.load(Ordering::Relaxed),
            limit_reached: self.limit_reached.load(Ordering::Relaxed),
        }
    }

    /// Runs if a run is due. `is_stopping` is called between batches.
    pub(crate) fn run_if_due(&self, store: &Store, is_stopping: &dyn Fn() -> bool) {
        let properties = self.properties();
        if !properties.active || properties.frequency_ms == 0 || store.is_read_only() {
            return;
        }
        {
            let mut last_run = self.last_run.lock().unwrap_or_else(PoisonError::into_inner);
            // The first run comes one period after the start.
            let last = *last_run.get_or_insert_with(Instant::now);
            if last.elapsed() < Duration::from_millis(properties.frequency_ms) {
                return;
            }
            *last_run = Some(Instant::now());
        }
        self.run(store, now_seconds(), is_stopping);
    }

    /// Removes the documents that have expired at a moment, in seconds since 1970.
    pub(crate) fn run(&self, store: &Store, now_seconds: f64, is_stopping: &dyn Fn() -> bool) {
        let properties = self.properties();
        let mut left = properties.max_total_removes;
        let catalog = store.catalog();
        for collection in catalog.databases().flat_map(|database| database.collections()) {
            let Some(index) = ttl_index(collection) else { continue };
            if is_stopping() {
                return;
            }
            let allowed = left.min(properties.max_collection_removes);
            let removed = remove_expired(store, collection, index, now_seconds, allowed, is_stopping);
            let removed = removed.unwrap_or_else(|error| {
                tracing::warn!(
                    target: "ttl",
                    "cannot remove expired documents of '{}': {error}", collection.name()
                );
                0
            });
            self.documents_removed.fetch_add(removed, Ordering::Relaxed);
            left -= removed.min(left);
            if removed >= allowed && removed > 0 {
                self.limit_reached.fetch_add(1, Ordering::Relaxed);
            }
            if left == 0 {
                break;
            }
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
    }
}

fn ttl_index(collection: &Collection) -> Option<&Arc<Index>> {
    collection.indexes().iter().find(|index| index.index_type() == IndexType::Ttl)
}

fn now_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// Removes at most `allowed` expired documents, batch by batch, and returns their number.
fn remove_expired(
    store: &Store,
    collection: &Arc<Collection>,
    index: &Arc<Index>,
    now_seconds: f64,
    allowed: u64,
    is_stopping: &dyn Fn() -> bool,
) -> Result<u64> {
    let TypeOptions::Ttl { expire_after_ms } = index.definition().properties.options else { return Ok(0) };
    let mut limit = Builder::default();
    limit.add_f64(now_seconds - expire_after_ms as f64 / 1e3)?;
    let mut bounds = IndexBounds::all();
    bounds.set_upper(Slice::new(limit.as_bytes()), None, true);
    let mut removed = 0;
    while removed < allowed && !is_stopping() {
        let batch = usize::try_from(allowed - removed).unwrap_or(usize::MAX).min(BATCH_DOCUMENTS);
        let (found, gone) = remove_batch(store, collection, index, &bounds, batch)?;
        removed += gone;
        // Documents that other transactions are writing are left to the next run.
        if found < batch || gone == 0 {
            break;
        }
    }
    Ok(removed)
}

/// Removes the first documents within the bounds, and returns the numbers of found and of removed
/// ones.
///
/// The removing transaction reads the documents itself. A document that a concurrent write changed
/// is a conflict and stays.
fn remove_batch(
    store: &Store,
    collection: &Arc<Collection>,
    index: &Arc<Index>,
    bounds: &IndexBounds,
    batch: usize,
) -> Result<(usize, u64)> {
    let options =
        TransactionOptions { collection_wait: Some(WaitPolicy::NoWait), ..TransactionOptions::default() };
    let mut transaction = store.begin(&options)?;
    let view = transaction.view();
    let mut scan = view.index_scan(collection, index, bounds, false)?;
    let mut keys: Vec<String> = Vec::new();
    while keys.len() < batch {
        let limits = BlockLimits { rows: batch - keys.len(), bytes: 1 << 20 };
        let Some(entries) = scan.next_block(limits)? else { break };
        keys.extend(entries.keys().map(str::to_owned));
    }
    drop((scan, view));
    let mut gone = 0;
    for key in &keys {
        match transaction.remove(collection, key, Slice::NONE, &WriteOptions::default()) {
            Ok(_) => gone += 1,
            Err(error) if matches!(error.code(), ErrorCode::Conflict | ErrorCode::DocumentNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    transaction.commit(Durability::Buffered)?;
    Ok((keys.len(), gone))
}
