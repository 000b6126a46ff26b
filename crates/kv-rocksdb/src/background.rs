//! Threads of a store that run until they are told to stop.

use std::sync::Arc;
use std::thread::JoinHandle;

use kv::{Error, Result};

/// What such a thread does.
pub(crate) trait Task: Send + Sync + 'static {
    /// Goes on until [`Task::stop`] is called.
    fn run(&self);

    /// Has [`Task::run`] end soon, whether it has begun or not.
    fn stop(&self);
}

/// A running thread. Stopped by [`BackgroundThread::stop`] or when it is dropped.
pub(crate) struct BackgroundThread {
    task: Arc<dyn Task>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundThread {
    pub(crate) fn start(name: &str, task: Arc<dyn Task>) -> Result<Self> {
        let running = Arc::clone(&task);
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || running.run());
        let thread = thread.map_err(|error| Error::io(format!("starting the thread '{name}'"), &error))?;
        Ok(BackgroundThread { task, thread: Some(thread) })
    }

    /// Stops the thread, and waits until it has.
    pub(crate) fn stop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.task.stop();
        // It does not panic; and if it did there would be nothing to do about it here.
        let _ = thread.join();
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        self.stop();
    }
}
