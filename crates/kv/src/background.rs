//! The background threads of an engine, which run until they are stopped.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{Error, Result};

/// The work of a background thread.
pub trait Task: Send + Sync + 'static {
    /// Works until [`Task::stop`] is called.
    fn run(&self);

    /// Makes [`Task::run`] return soon, whether it has begun or not.
    fn stop(&self);
}

/// A running thread. [`BackgroundThread::stop`] or dropping it stops the thread.
pub struct BackgroundThread {
    task: Arc<dyn Task>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundThread {
    /// Starts `task` on a thread with this name.
    pub fn start(name: &str, task: Arc<dyn Task>) -> Result<Self> {
        let running = Arc::clone(&task);
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || running.run());
        let thread = thread.map_err(|error| Error::io(format!("starting the thread '{name}'"), &error))?;
        Ok(BackgroundThread { task, thread: Some(thread) })
    }

    /// Stops the thread and waits until it has ended.
    pub fn stop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.task.stop();
        // The thread does not panic, and a panic could not be handled here.
        let _ = thread.join();
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The pauses of a task that works in rounds. A stop ends the present one.
#[derive(Debug, Default)]
pub struct Pauses {
    is_stopped: Mutex<bool>,
    stopped: Condvar,
}

impl Pauses {
    /// Waits for the next round. Returns false if the task is stopped, before or meanwhile.
    pub fn wait(&self, length: Duration) -> bool {
        let guard = self.is_stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.stopped.wait_timeout_while(guard, length, |is_stopped| !*is_stopped);
        !*waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Ends the present pause, and all later ones.
    pub fn stop(&self) {
        *self.is_stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stopped.notify_all();
    }
}
