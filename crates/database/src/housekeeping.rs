//! What is done now and then, on a thread of its own that ends with the instance.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::error::{Error, Result, number};
use crate::instance::Instance;

/// How often the thread wakes.
const INTERVAL: Duration = Duration::from_millis(500);
/// How often the store writes what it keeps up in memory.
const MAINTAIN_EVERY: Duration = Duration::from_secs(60);

/// Starts the thread. Error 7 when there can be none.
pub(crate) fn start(instance: &Arc<Instance>) -> Result<()> {
    let watched = Arc::downgrade(instance);
    let thread = std::thread::Builder::new().name("housekeeping".into());
    let started = thread.spawn(move || run(&watched));
    started.map_err(|error| Error::new(number::SYSTEM, format!("no thread could be started: {error}")))?;
    Ok(())
}

fn run(watched: &Weak<Instance>) {
    let mut maintained = Instant::now();
    loop {
        std::thread::sleep(INTERVAL);
        let Some(instance) = watched.upgrade() else { return };
        instance.cursors().release_idle();
        instance.cursors().expire();
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
