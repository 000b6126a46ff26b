//! Which keys are being loaded into a collection, and when it was last loaded.
//!
//! Two loads whose ranges of keys overlap take turns between looking whether their keys are free and being visible; all
//! others run beside each other. So batches of a sorted dump do not wait for each other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The loads of one collection, shared by all its pictures.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    running: Mutex<Vec<Range>>,
    ended: Condvar,
    /// The number of the last load that became visible: see [`crate::store::Shared::loads`].
    last: AtomicU64,
}

/// The first and the last key of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Range {
    fn overlaps(&self, other: &Range) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl Loads {
    /// Waits until nobody loads keys between `first` and `last`, and keeps others from it.
    pub(crate) fn enter(self: &Arc<Self>, first: &[u8], last: &[u8]) -> RangeGuard {
        let range = Range { first: first.to_vec(), last: last.to_vec() };
        let mut running = self.lock();
        while running.iter().any(|other| other.overlaps(&range)) {
            running = self.ended.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
        running.push(range.clone());
        RangeGuard { loads: Arc::clone(self), range }
    }

    /// The number of the last load that became visible; 0 if there was none.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::SeqCst)
    }

    /// A load is visible. To be called before writers may pass the gate again.
    pub(crate) fn became_visible(&self, number: u64) {
        self.last.fetch_max(number, Ordering::SeqCst);
    }

    /// No code that can panic runs under this lock.
    fn lock(&self) -> MutexGuard<'_, Vec<Range>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps other loads out of a range of keys until it is dropped.
#[derive(Debug)]
pub(crate) struct RangeGuard {
    loads: Arc<Loads>,
    range: Range,
}

impl Drop for RangeGuard {
    fn drop(&mut self) {
        let mut running = self.loads.lock();
        if let Some(position) = running.iter().position(|range| *range == self.range) {
            running.swap_remove(position);
        }
        drop(running);
        self.loads.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn only_loads_of_common_keys_wait_for_each_other() {
        let loads = Arc::new(Loads::default());
        let first = loads.enter(b"a", b"c");
        drop(loads.enter(b"d", b"f"));
        let entered = Arc::new(AtomicBool::new(false));
        let waiting = std::thread::spawn({
            let (loads, entered) = (Arc::clone(&loads), Arc::clone(&entered));
            move || {
                let _guard = loads.enter(b"c", b"z");
                entered.store(true, Ordering::SeqCst);
            }
        });
        std::thread::sleep(Duration::from_millis(20));
        assert!(!entered.load(Ordering::SeqCst));
        drop(first);
        waiting.join().unwrap();
        assert!(entered.load(Ordering::SeqCst));
    }
}
