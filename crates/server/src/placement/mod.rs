//! Where the work of a request runs: on its connection's task or on the worker pool.

pub(crate) mod permits;
pub mod pool;

use std::pin::Pin;
use std::time::Duration;

use errors::{Error, Result};
use tokio::sync::oneshot;

use self::pool::{PATIENCE, WorkerPool};

/// Longest time between two looks at whether the pool is stuck.
const MAX_PATIENCE: Duration = Duration::from_secs(1);

/// Runs work on the pool and waits for it. Boxed, so that what most requests do not need does not make all of them
/// larger. Errors: 503 when the pool's queue is full.
pub(crate) fn on_pool<'a, T: Send + 'static>(
    pool: &'a WorkerPool,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>> {
    Box::pin(wait_for_pool(pool, work))
}

async fn wait_for_pool<T: Send + 'static>(
    pool: &WorkerPool,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, mut receiver) = oneshot::channel();
    pool.submit(Box::new(move || {
        // Nobody listens any more when the client has gone.
        let _ = sender.send(work());
    }))?;
    let mut patience = PATIENCE;
    loop {
        match tokio::time::timeout(patience, &mut receiver).await {
            Ok(Ok(done)) => return done,
            Ok(Err(_)) => return Err(Error::internal("the request ended without an answer")),
            Err(_) => {
                pool.relieve();
                patience = (patience * 2).min(MAX_PATIENCE);
            }
        }
    }
}
