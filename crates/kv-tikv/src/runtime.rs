//! The threads that speak with the cluster, and the calls that wait for them.

use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use kv::{Error, Result};
use tokio::runtime::{Builder, Handle, Runtime};

/// The number of threads. They only move messages.
const THREADS: usize = 2;

/// A runtime of its own. A caller on a thread of another runtime may wait for it.
pub(crate) struct Threads {
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl Threads {
    /// Starts the threads.
    pub(crate) fn start() -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("tikv")
            .enable_all()
            .build()
            .map_err(|error| Error::io("starting the threads of the TiKV engine", &error))?;
        Ok(Threads { handle: runtime.handle().clone(), runtime: Mutex::new(Some(runtime)) })
    }

    /// Runs a future on the threads and waits for its result. Errors: [`Error::Closed`] once the
    /// threads have ended.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = sync_channel(1);
        self.handle.spawn(async move {
            // Nobody waits any more if the receiver is gone.
            let _ = sender.send(future.await);
        });
        receiver.recv().map_err(|_| Error::Closed)?
    }

    /// Runs a future on the threads.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(future);
    }

    /// Ends the threads, which leave their work undone.
    pub(crate) fn stop(&self) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.stop();
    }
}
