//! Background work of an instance, on threads that end with it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use errors::{Error, ErrorCode, Result};
use storage::Store;

use crate::background::broken_restores::LeftBehind;
use crate::background::index_training::train_indexes;
use crate::background::query_log;
use crate::background::search_upkeep::{index_due, merge_due};
use crate::changes;
use crate::definitions::view::take_over_settings;
use crate::instance::{Instance, InstanceOptions};

/// Time between two rounds of the thread.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time between two checks of whether expired documents must be removed.
const TTL_INTERVAL: Duration = Duration::from_millis(100);
/// Time between two searches for indexes to train.
const TRAIN_EVERY: Duration = Duration::from_millis(500);
/// Time between two checks of the text indexes that are due: the precision of their commit
/// interval.
const INDEX_EVERY: Duration = Duration::from_millis(50);
/// Time between two searches for segments to save and to merge.
const MERGE_EVERY: Duration = Duration::from_millis(250);
/// Time between two writes of the statistics that the store keeps in memory.
const MAINTAIN_EVERY: Duration = Duration::from_secs(60);
/// Time between two searches for collections that an interrupted restore left without their edge
/// index.
const LOOK_EVERY: Duration = Duration::from_secs(5);

impl Instance {
    /// Creates an instance over an open store and starts its background threads.
    ///
    /// The threads end with the last handle. Errors: those of the store, and 7 if no thread can be
    /// started.
    pub fn new(store: Arc<Store>, options: InstanceOptions) -> Result<Arc<Self>> {
        let instance = Instance::without_threads(store, options)?;
        take_over_settings(&instance)?;
        start_thread("housekeeping", &instance, run)?;
        // A thread of its own: removing many documents must not delay the care of cursors.
        start_thread("ttl", &instance, remove_expired)?;
        // A training may take minutes.
        start_thread("training", &instance, train)?;
        start_thread("search", &instance, index)?;
        // A merge may take minutes, and documents must become visible during that time.
        start_thread("search merge", &instance, merge)?;
        if instance.query_log().is_some() {
            start_thread("query log", &instance, query_log::run)?;
        }
        changes::follow_webhooks(&instance)?;
        Ok(instance)
    }
}

/// Warns once that this server does not follow the others of its store, which wait for it.
fn warn_of_distance(instance: &Instance, is_known: &mut bool) {
    let error = instance.store().following_error();
    if let Some(error) = error.as_ref().filter(|_| !*is_known) {
        tracing::warn!(target: "cluster", "other servers wait because this one cannot follow them: {error}");
    }
    *is_known = error.is_some();
}

fn start_thread(name: &str, instance: &Arc<Instance>, run: fn(&Weak<Instance>)) -> Result<()> {
    let watched = Arc::downgrade(instance);
    let thread = std::thread::Builder::new().name(name.into());
    let started = thread.spawn(move || run(&watched));
    started
        .map_err(|error| Error::new(ErrorCode::IllegalOption, format!("cannot start a thread: {error}")))?;
    Ok(())
}

fn remove_expired(watched: &Weak<Instance>) {
    loop {
        std::thread::sleep(TTL_INTERVAL);
        let Some(instance) = watched.upgrade() else { return };
        if !instance.store().is_first_server() {
            continue;
        }
        instance.ttl().run_if_due(instance.store(), &|| instance.is_stopping());
    }
}

fn train(watched: &Weak<Instance>) {
    loop {
        std::thread::sleep(TRAIN_EVERY);
        let Some(instance) = watched.upgrade() else { return };
        if !instance.store().is_first_server() {
            continue;
        }
        // The index of a copy is trained here: the log does not have its centroids.
        let _permit = instance.store().is_following().then(|| instance.store().permit_writes());
        train_indexes(instance.store(), &|| instance.is_stopping());
    }
}

fn index(watched: &Weak<Instance>) {
    loop {
        std::thread::sleep(INDEX_EVERY);
        let Some(instance) = watched.upgrade() else { return };
        index_due(instance.store(), &|| instance.is_stopping());
    }
}

fn merge(watched: &Weak<Instance>) {
    loop {
        std::thread::sleep(MERGE_EVERY);
        let Some(instance) = watched.upgrade() else { return };
        merge_due(instance.store(), &|| instance.is_stopping());
    }
}

fn run(watched: &Weak<Instance>) {
    let mut maintained = Instant::now();
    let mut looked = Instant::now();
    let mut left_behind = LeftBehind::default();
    let mut is_distance_known = false;
    loop {
        std::thread::sleep(INTERVAL);
        let Some(instance) = watched.upgrade() else { return };
        warn_of_distance(&instance, &mut is_distance_known);
        instance.cursors().release_idle();
        instance.cursors().expire();
        let records = instance.store().cursor_records();
        records.iter().for_each(|records| instance.cursors().remove_records(records));
        instance.transactions().expire();
        instance.analytics().expire();
        instance.dump_contexts().look_after();
        instance.batches().look_after();
        if looked.elapsed() >= LOOK_EVERY.min(instance.options().broken_restore_after) {
            looked = Instant::now();
            if let Err(error) = changes::follow_webhooks(&instance) {
                tracing::warn!(target: "webhooks", "cannot begin to deliver: {error}");
            }
            if instance.store().is_first_server() {
                left_behind.look_after(&instance);
            }
        }
        if maintained.elapsed() >= MAINTAIN_EVERY {
            maintained = Instant::now();
            maintain(&instance);
        }
    }
}

/// Writes the store's statistics, and removes old changes.
///
/// A failure loses nothing, since they are estimates. An error that matters recurs in a request,
/// which can report it.
fn maintain(instance: &Arc<Instance>) {
    if let Err(error) = instance.store().maintain() {
        tracing::warn!(target: "engines", "cannot write index estimates: {error}");
    }
    if let Some(records) = instance.store().cursor_records().filter(|_| instance.store().is_first_server())
        && let Err(error) = records.remove_expired()
    {
        tracing::warn!(target: "cluster", "cannot remove records of expired cursors: {error}");
    }
    changes::trim(instance);
}
