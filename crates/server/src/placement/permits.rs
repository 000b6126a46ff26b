//! Permits for work on a connection's task that may take long after all.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The permits: one fewer than the threads that serve connections, so that one thread always serves
/// them.
#[derive(Debug, Default)]
pub(crate) struct Permits {
    most: OnceLock<usize>,
    taken: AtomicUsize,
}

/// A permit; it is released on drop.
#[derive(Debug)]
pub(crate) struct Permit<'a>(&'a Permits);

impl Permits {
    /// Takes a permit for a connection's task, if one is left.
    pub(crate) fn take(&self) -> Option<Permit<'_>> {
        let most = *self.most.get_or_init(most);
        if self.taken.fetch_add(1, Ordering::Relaxed) >= most {
            self.taken.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Permit(self))
    }
}

/// Returns one fewer than the threads of the caller's runtime.
fn most() -> usize {
    let runtime = tokio::runtime::Handle::try_current();
    runtime.map_or(0, |runtime| runtime.metrics().num_workers().saturating_sub(1))
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_left_to_connections() {
        assert!(Permits::default().take().is_none());
        for threads in 1..4 {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build().unwrap();
            let _entered = runtime.enter();
            let permits = Permits::default();
            let mut taken: Vec<_> = std::iter::from_fn(|| permits.take()).collect();
            assert_eq!(taken.len(), threads - 1);
            if taken.pop().is_some() {
                assert!(permits.take().is_some());
            }
        }
    }
}
