//! The thread that deletes what changes of definitions have given up, where the deletion of each
//! key costs a part of a message.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use catalog::ObjectId;
use errors::Result;
use kv::Engine;
use kv::background::{BackgroundThread, Task};

use crate::store_core::deletion;

/// The pause after a deletion that has failed.
const PAUSE: Duration = Duration::from_secs(5);

/// The deletions that are left to the thread.
pub(crate) struct Cleaner {
    engine: Arc<dyn Engine>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<ObjectId>>,
    is_working: bool,
    is_stopped: bool,
}

impl Cleaner {
    pub(crate) fn new(engine: Arc<dyn Engine>) -> Self {
        Cleaner { engine, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Starts the thread. Errors: those of the operating system.
    pub(crate) fn start(self: &Arc<Self>) -> Result<BackgroundThread> {
        Ok(BackgroundThread::start("cleaner", Arc::<Cleaner>::clone(self))?)
    }

    /// Leaves objects, which are recorded as pending and used by nobody, to the thread.
    pub(crate) fn add(&self, objects: &[ObjectId]) {
        if !objects.is_empty() {
            self.state().waiting.push_back(objects.to_vec());
            self.changed.notify_all();
        }
    }

    /// Returns true if nothing is left to the thread.
    pub(crate) fn is_done(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && !state.is_working
    }

    /// Waits for the next objects; `None` once the thread must end.
    fn next(&self) -> Option<Vec<ObjectId>> {
        let mut state = self.state();
        loop {
            if state.is_stopped {
                return None;
            }
            if let Some(objects) = state.waiting.pop_front() {
                state.is_working = true;
                return Some(objects);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, failed: Option<Vec<ObjectId>>) {
        let mut state = self.state();
        state.is_working = false;
        if let Some(objects) = failed {
            state.waiting.push_back(objects);
            let paused = self.changed.wait_timeout_while(state, PAUSE, |state| !state.is_stopped);
            drop(paused);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task for Cleaner {
    /// Objects that are left at the end stay recorded. Another server deletes them.
    fn run(&self) {
        while let Some(objects) = self.next() {
            let failed = deletion::finish(self.engine.as_ref(), &objects).is_err();
            self.end(failed.then_some(objects));
        }
    }

    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }
}
