//! The threads that deliver. They run while there is work, and end with the instance.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use errors::{Error, Result};

use super::super::kept::own_session;
use super::documents::load;
use super::turn;
use crate::instance::Instance;
use crate::state::webhooks::{Next, Schedule, Webhooks};

/// The time that a thread waits for work before it ends.
const LINGER: Duration = Duration::from_secs(1);
/// The longest wait for a commit, after which the thread looks whether the server stops.
const LOOK: Duration = Duration::from_millis(500);
/// The time in which commits are collected before webhooks look at them.
const COLLECT: Duration = Duration::from_millis(2);
/// The pause of a webhook whose turn panicked.
const AFTER_PANIC: Duration = Duration::from_secs(60);

/// Loads the webhooks of all databases, and begins to deliver. Where several servers share a store,
/// the first one does. The caller calls this again from time to time: another server takes over
/// when the first one is gone, and the first one stops when one with a lower number has come.
///
/// Errors: those of the engine, 4 if no thread can be started.
pub(crate) fn follow_first(instance: &Arc<Instance>) -> Result<()> {
    let webhooks = instance.webhooks();
    let delivers = webhooks.is_enabled && instance.store().is_first_server();
    if delivers == webhooks.set_delivering(delivers) {
        forget_dropped(instance);
        return Ok(());
    }
    if !delivers {
        webhooks.forget_all();
        return Ok(());
    }
    let loaded = load_all(instance);
    if loaded.is_err() {
        webhooks.forget_all();
        webhooks.set_delivering(false);
    }
    loaded
}

/// Forgets the webhooks of databases that another server has dropped.
fn forget_dropped(instance: &Instance) {
    let catalog = instance.catalog();
    let is_present = |id| catalog.databases().any(|database| database.definition().id == id);
    for hook in instance.webhooks().all() {
        if !is_present(hook.database_id) {
            instance.webhooks().remove_database(hook.database_id);
        }
    }
}

fn load_all(instance: &Arc<Instance>) -> Result<()> {
    let webhooks = instance.webhooks();
    let catalog = instance.catalog();
    for database in catalog.databases() {
        let session = own_session(instance, database.name())?;
        load(&session, |hook| webhooks.insert(Arc::new(hook)))?;
    }
    wake(instance);
    Ok(())
}

/// Starts the threads that the present work needs.
pub(super) fn wake(instance: &Arc<Instance>) {
    let webhooks = instance.webhooks();
    while webhooks.schedule.add_thread() {
        let guard = ThreadGuard(Arc::clone(webhooks));
        let watched = Arc::downgrade(instance);
        if spawn("webhooks", move || work(&guard.0, &watched)).is_err() {
            return;
        }
    }
    if webhooks.schedule.add_watcher() {
        let guard = WatcherGuard(Arc::clone(webhooks));
        let watched = Arc::downgrade(instance);
        // Without a thread, the next change of a webhook tries again.
        drop(spawn("webhook news", move || watch(&guard.0, &watched)));
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = std::thread::Builder::new().name(name.into()).spawn(run);
    started.map(drop).map_err(|error| {
        tracing::warn!(target: "webhooks", "cannot start a thread: {error}");
        Error::internal(format!("cannot start a thread: {error}"))
    })
}

/// Counts a thread that delivers.
struct ThreadGuard(Arc<Webhooks>);

impl Drop for ThreadGuard {
    fn drop(&mut self) {
        self.0.schedule.end_thread();
    }
}

/// Counts the thread that waits for commits.
struct WatcherGuard(Arc<Webhooks>);

impl Drop for WatcherGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.schedule.end_watcher();
        }
    }
}

/// Notes the end of a turn, however it ends.
struct TurnGuard<'a> {
    schedule: &'a Schedule,
    id: u64,
    next: Next,
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        self.schedule.end(self.id, self.next);
    }
}

fn work(webhooks: &Webhooks, watched: &Weak<Instance>) {
    while let Some(hook) = webhooks.schedule.take(LINGER) {
        let next = Next::Retry(Instant::now() + AFTER_PANIC);
        let mut guard = TurnGuard { schedule: &webhooks.schedule, id: hook.id, next };
        let Some(instance) = watched.upgrade() else { return };
        guard.next = turn::run(&instance, &hook);
        if guard.next == Next::Removed {
            webhooks.remove(&hook);
        }
        drop(guard);
        wake(&instance);
    }
}

fn watch(webhooks: &Webhooks, watched: &Weak<Instance>) {
    let mut known = 0;
    loop {
        let Some(instance) = watched.upgrade() else { return };
        let Some(pause) = webhooks.schedule.pause(Instant::now(), LOOK) else { return };
        known = instance.store().wait_for_changes(known, pause);
        webhooks.schedule.advance(known, Instant::now());
        wake(&instance);
        drop(instance);
        std::thread::sleep(COLLECT);
    }
}
