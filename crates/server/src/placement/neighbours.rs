//! The connections of a thread, which wait for each other.

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

thread_local! {
    static OPEN: OnceCell<Arc<AtomicUsize>> = const { OnceCell::new() };
}

/// Says how many connections the calling thread serves. The first call on a thread counts.
pub(crate) fn set(open: Arc<AtomicUsize>) {
    OPEN.with(|own| drop(own.set(open)));
}

/// Returns true if the calling thread serves one connection and no other.
pub(crate) fn is_alone() -> bool {
    OPEN.with(|open| open.get().is_some_and(|open| open.load(Ordering::Relaxed) == 1))
}

/// Returns the share of a connection of this thread: `all`, divided by the number of connections,
/// and at least `least`.
pub(super) fn share(all: Duration, least: Duration) -> Duration {
    OPEN.with(|open| match open.get() {
        Some(open) => {
            let connections = u32::try_from(open.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
            (all / connections.max(1)).max(least)
        }
        None => least,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_share_the_time_of_their_thread() {
        let share = || share(Duration::from_millis(1), Duration::from_micros(100));
        std::thread::spawn(move || {
            assert_eq!(share(), Duration::from_micros(100), "not a thread of connections");
            let open = Arc::new(AtomicUsize::new(1));
            set(Arc::clone(&open));
            assert_eq!(share(), Duration::from_millis(1));
            assert!(is_alone());
            open.store(4, Ordering::Relaxed);
            assert_eq!(share(), Duration::from_micros(250));
            assert!(!is_alone());
            open.store(1_000, Ordering::Relaxed);
            assert_eq!(share(), Duration::from_micros(100));
        })
        .join()
        .unwrap();
    }
}
