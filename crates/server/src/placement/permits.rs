//! Who may compute on a connection's own task what might take long after all.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Turns, one fewer than the threads that serve connections: one thread is always left to them.
#[derive(Debug, Default)]
pub(crate) struct InlineTurns {
    most: OnceLock<usize>,
    taken: AtomicUsize,
}

/// A turn; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct InlineTurn<'a>(&'a InlineTurns);

impl InlineTurns {
    /// A turn, if there is one and the caller serves a connection.
    pub(crate) fn take(&self) -> Option<InlineTurn<'_>> {
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let most = *self.most.get_or_init(|| runtime.metrics().num_workers().saturating_sub(1));
        if self.taken.fetch_add(1, Ordering::Relaxed) >= most {
            self.taken.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(InlineTurn(self))
    }
}

impl Drop for InlineTurn<'_> {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_left_to_connections() {
        assert!(InlineTurns::default().take().is_none());
        for threads in 1..4 {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build().unwrap();
            let _entered = runtime.enter();
            let turns = InlineTurns::default();
            let mut taken: Vec<_> = std::iter::from_fn(|| turns.take()).collect();
            assert_eq!(taken.len(), threads - 1);
            if taken.pop().is_some() {
                assert!(turns.take().is_some());
            }
        }
    }
}
