//! The transport and the data of a member, for tasks that must not block.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::interface::{Candidate, Transport};
use crate::member::{Member, Position};

/// A value that comes later.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The transport and the data of a member. The methods are those of [`Transport`] and
/// [`Candidate`].
pub(crate) trait Host: Send + Sync + 'static {
    fn call(&self, to: Member, message: Vec<u8>, timeout: Duration) -> Later<'_, Result<Vec<u8>>>;
    fn position(&self) -> Later<'_, Option<Position>>;
    fn catch_up(&self, to: Position, timeout: Duration) -> Later<'_, Result<(), String>>;
    fn stop_writes(&self, timeout: Duration) -> Later<'_, Result<Position, String>>;
    fn resume_writes(&self) -> Later<'_, ()>;
}

/// A transport and a candidate whose calls block, and so run on threads that may.
pub(crate) struct Blocking {
    /// The transport.
    pub(crate) transport: Arc<dyn Transport>,
    /// The data of this member.
    pub(crate) candidate: Arc<dyn Candidate>,
}

/// Runs a call on a thread that may block. A call that panics has failed.
async fn run<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(call).await.map_err(|error| error.to_string())
}

impl Host for Blocking {
    fn call(&self, to: Member, message: Vec<u8>, timeout: Duration) -> Later<'_, Result<Vec<u8>>> {
        let transport = Arc::clone(&self.transport);
        Box::pin(async move {
            let id = to.id;
            let called = run(move || transport.call(&to, message, timeout)).await;
            called.flatten().map_err(|reason| Error::Unreachable { to: id, reason })
        })
    }

    fn position(&self) -> Later<'_, Option<Position>> {
        let candidate = Arc::clone(&self.candidate);
        Box::pin(async move { run(move || candidate.position()).await.ok().flatten() })
    }

    fn catch_up(&self, to: Position, timeout: Duration) -> Later<'_, Result<(), String>> {
        let candidate = Arc::clone(&self.candidate);
        Box::pin(async move { run(move || candidate.catch_up(to, timeout)).await.flatten() })
    }

    fn stop_writes(&self, timeout: Duration) -> Later<'_, Result<Position, String>> {
        let candidate = Arc::clone(&self.candidate);
        Box::pin(async move { run(move || candidate.stop_writes(timeout)).await.flatten() })
    }

    fn resume_writes(&self) -> Later<'_, ()> {
        let candidate = Arc::clone(&self.candidate);
        Box::pin(async move {
            if let Err(error) = run(move || candidate.resume_writes()).await {
                tracing::error!(%error, "writes were not resumed after a handover");
            }
        })
    }
}
