//! The background threads of an engine, which run until they are stopped.

use std::sync::Arc;
use std::thread::JoinHandle;

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
