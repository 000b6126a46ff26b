//! When webhooks are due, and which threads work for them.
//!
//! A webhook that has delivered everything waits for a commit, and takes no thread. One thread
//! waits for commits and times on behalf of all.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hook::Hook;

/// Maximum number of threads that deliver.
const THREADS_MAX: usize = 4;
/// Threads that webhooks whose last attempt failed may take. One is left for those that work.
const RETRYING_MAX: usize = THREADS_MAX - 1;

/// The next moment at which a webhook has work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// At once, after the others that wait.
    Now,
    /// With the first commit after a position.
    AfterCommit(u64),
    /// At a time, or once commits have passed a position.
    At(Instant, u64),
    /// After a failed attempt, at a time.
    Retry(Instant),
    /// When a user changes it.
    Never,
    /// The webhook is gone.
    Removed,
}

/// The webhooks by their due times. All methods may be called from many threads.
#[derive(Default)]
pub(crate) struct Schedule {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    entries: HashMap<u64, Entry>,
    ready: VecDeque<u64>,
    retrying: usize,
    threads: usize,
    idle_threads: usize,
    is_watched: bool,
    is_stopped: bool,
}

struct Entry {
    hook: Arc<Hook>,
    phase: Phase,
    /// The last attempt has failed.
    is_retrying: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting(Next),
    Ready,
    /// `again`: it was changed in the meantime. `retries`: it counts as one that retries.
    Running {
        again: bool,
        retries: bool,
    },
}

impl Schedule {
    /// Adds a webhook, which is looked at once.
    pub(crate) fn insert(&self, hook: Arc<Hook>) {
        let mut table = self.table();
        let id = hook.id;
        table.entries.insert(id, Entry { hook, phase: Phase::Ready, is_retrying: false });
        table.ready.push_back(id);
        self.changed.notify_one();
    }

    /// Makes a webhook due, because it was changed.
    pub(crate) fn wake(&self, id: u64) {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(&id) else { return };
        entry.is_retrying = false;
        match entry.phase {
            Phase::Running { retries, .. } => entry.phase = Phase::Running { again: true, retries },
            Phase::Ready => {}
            Phase::Waiting(_) => table.make_ready(id),
        }
        self.changed.notify_one();
    }

    /// Forgets a webhook.
    pub(crate) fn remove(&self, id: u64) {
        let mut table = self.table();
        if let Some(Entry { phase: Phase::Running { retries: true, .. }, .. }) = table.entries.remove(&id) {
            table.retrying = table.retrying.saturating_sub(1);
        }
    }

    /// Makes the webhooks due whose time has come, or which wait for commits below `resolved`.
    pub(crate) fn advance(&self, resolved: u64, now: Instant) {
        let mut table = self.table();
        let is_due = |entry: &Entry| match entry.phase {
            Phase::Waiting(Next::AfterCommit(known)) => resolved > known.saturating_add(1),
            Phase::Waiting(Next::At(due, full)) => due <= now || resolved > full.saturating_add(1),
            Phase::Waiting(Next::Retry(due)) => due <= now,
            _ => false,
        };
        let due: Vec<u64> =
            table.entries.iter().filter(|(_, entry)| is_due(entry)).map(|(id, _)| *id).collect();
        due.into_iter().for_each(|id| table.make_ready(id));
        self.changed.notify_all();
    }

    /// Returns the time until the next webhook is due, at most `most`. If none waits, it returns
    /// `None`, and the thread that waits must end.
    pub(crate) fn pause(&self, now: Instant, most: Duration) -> Option<Duration> {
        let mut table = self.table();
        let waits = table.entries.values().filter_map(|entry| match entry.phase {
            Phase::Waiting(Next::At(due, _) | Next::Retry(due)) => Some(due.saturating_duration_since(now)),
            Phase::Waiting(Next::AfterCommit(_)) => Some(most),
            _ => None,
        });
        let pause = waits.min().filter(|_| !table.is_stopped);
        table.is_watched = pause.is_some();
        pause.map(|pause| pause.min(most))
    }

    /// Takes the next webhook that is due. Waits for one for at most `patience`.
    pub(crate) fn take(&self, patience: Duration) -> Option<Arc<Hook>> {
        let deadline = Instant::now() + patience;
        let mut table = self.table();
        while !table.is_stopped {
            if let Some(hook) = table.take() {
                return Some(hook);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            table.idle_threads += 1;
            table = self.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
            table.idle_threads -= 1;
        }
        None
    }

    /// Notes the end of a webhook's turn.
    pub(crate) fn end(&self, id: u64, next: Next) {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(&id) else { return };
        let phase = entry.phase;
        entry.is_retrying = matches!(next, Next::Retry(_));
        if let Phase::Running { retries: true, .. } = phase {
            table.retrying = table.retrying.saturating_sub(1);
        }
        match (phase, next) {
            (_, Next::Removed) => drop(table.entries.remove(&id)),
            (Phase::Running { again: true, .. }, _) | (_, Next::Now) => table.make_ready(id),
            (_, next) => {
                if let Some(entry) = table.entries.get_mut(&id) {
                    entry.phase = Phase::Waiting(next);
                }
            }
        }
        self.changed.notify_all();
    }

    /// Returns true if another thread should deliver, and counts it.
    pub(crate) fn add_thread(&self) -> bool {
        let mut table = self.table();
        let is_needed = table.ready.len() > table.idle_threads && table.threads < THREADS_MAX;
        let is_added = is_needed && !table.is_stopped;
        table.threads += usize::from(is_added);
        is_added
    }

    /// Notes that a thread has ended.
    pub(crate) fn end_thread(&self) {
        let mut table = self.table();
        table.threads = table.threads.saturating_sub(1);
        self.changed.notify_all();
    }

    /// Returns true if a thread should wait for commits and times, and notes that there is one.
    pub(crate) fn add_watcher(&self) -> bool {
        let mut table = self.table();
        let waits = |entry: &Entry| matches!(entry.phase, Phase::Waiting(next) if next != Next::Never);
        let is_added = !table.is_watched && !table.is_stopped && table.entries.values().any(waits);
        table.is_watched |= is_added;
        is_added
    }

    /// Notes that the thread that waits ends.
    pub(crate) fn end_watcher(&self) {
        self.table().is_watched = false;
    }

    /// Ends all threads.
    pub(crate) fn stop(&self) {
        self.table().is_stopped = true;
        self.changed.notify_all();
    }

    /// Waits until no thread delivers, at most for a time.
    pub(crate) fn wait_for_threads(&self, timeout: Duration) {
        drop(self.changed.wait_timeout_while(self.table(), timeout, |table| table.threads > 0));
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.table().is_stopped
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn make_ready(&mut self, id: u64) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.phase = Phase::Ready;
            self.ready.push_back(id);
        }
    }

    /// Takes the first webhook that may run.
    fn take(&mut self) -> Option<Arc<Hook>> {
        for _ in 0..self.ready.len() {
            let id = self.ready.pop_front()?;
            let Some(entry) = self.entries.get_mut(&id) else { continue };
            if entry.is_retrying && self.retrying >= RETRYING_MAX {
                self.ready.push_back(id);
                continue;
            }
            self.retrying += usize::from(entry.is_retrying);
            entry.phase = Phase::Running { again: false, retries: entry.is_retrying };
            return Some(Arc::clone(&entry.hook));
        }
        None
    }
}
