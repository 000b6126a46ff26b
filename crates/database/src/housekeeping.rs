//! Background work of an instance, on threads that end with it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use storage::Store;

use crate::instance::{Instance, InstanceOptions};
use crate::restore::edge_indexes::LeftBehind;
use crate::{Error, ErrorCode, Result};

/// How often the thread wakes.
const INTERVAL: Duration = Duration::from_millis(500);
/// How often it is asked whether expired documents should be removed.
const TTL_INTERVAL: Duration = Duration::from_millis(100);
/// How often the store writes what it keeps up in memory.
const MAINTAIN_EVERY: Duration = Duration::from_secs(60);
/// How often it is asked whether a broken restore has left collections without their edge index.
const LOOK_EVERY: Duration = Duration::from_secs(5);

impl Instance {
    /// Makes an instance over an open store, and starts its background threads, which end with the last handle.
    ///
    /// Errors: those of the store, and 7 when no thread can be started.
    pub fn new(store: Arc<Store>, options: InstanceOptions) -> Result<Arc<Self>> {
        let instance = Instance::without_threads(store, options)?;
        start_thread("housekeeping", &instance, run)?;
        // Removing many documents must not keep cursors from being looked after.
        start_thread("ttl", &instance, remove_expired)?;
        Ok(instance)
    }
}

fn start_thread(name: &str, instance: &Arc<Instance>, run: fn(&Weak<Instance>)) -> Result<()> {
    let watched = Arc::downgrade(instance);
    let thread = std::thread::Builder::new().name(name.into());
    let started = thread.spawn(move || run(&watched));
    started.map_err(|error| {
        Error::new(ErrorCode::IllegalOption, format!("no thread could be started: {error}"))
    })?;
    Ok(())
}

fn remove_expired(watched: &Weak<Instance>) {
    loop {
        std::thread::sleep(TTL_INTERVAL);
        let Some(instance) = watched.upgrade() else { return };
        instance.ttl().run_if_due(instance.store(), &|| instance.is_stopping());
    }
}

fn run(watched: &Weak<Instance>) {
    let mut maintained = Instant::now();
    let mut looked = Instant::now();
    let mut left_behind = LeftBehind::default();
    loop {
        std::thread::sleep(INTERVAL);
        let Some(instance) = watched.upgrade() else { return };
        instance.cursors().release_idle();
        instance.cursors().expire();
        instance.dump_contexts().look_after();
        instance.batches().look_after();
        if looked.elapsed() >= LOOK_EVERY.min(instance.options().broken_restore_after) {
            looked = Instant::now();
            left_behind.look_after(&instance);
        }
        if maintained.elapsed() >= MAINTAIN_EVERY {
            maintained = Instant::now();
            maintain(&instance);
        }
    }
}

/// A failure loses nothing: estimates are guesses, and what matters meets the same error where it can be answered.
fn maintain(instance: &Instance) {
    if let Err(error) = instance.store().maintain() {
        tracing::warn!(target: "engines", "estimates of indexes could not be written: {error}");
    }
}
