//! The key ranges that loads of a collection hold.
//!
//! Two loads with overlapping ranges take turns. Each holds its ranges from the check that its keys
//! are free until its documents are visible. All other loads run concurrently, so batches of a
//! sorted dump do not wait for each other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aql_value::Waiting;

/// The loads of one collection that are in progress, shared by all its versions.
#[derive(Debug, Default)]
pub(crate) struct RunningLoads {
    running: Mutex<Vec<Range>>,
    ended: Condvar,
}

/// The first and the last key of a part of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Range {
    pub(crate) fn new(first: &[u8], last: &[u8]) -> Self {
        debug_assert!(first <= last, "a range of a load ends before it begins");
        Range { first: first.to_vec(), last: last.to_vec() }
    }

    fn overlaps(&self, other: &Range) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl RunningLoads {
    /// Waits until no other load holds overlapping ranges, and then holds these. It takes all
    /// ranges in one step, so that no load waits while it holds some of its ranges.
    pub(crate) fn enter(self: &Arc<Self>, ranges: Vec<Range>) -> RangesGuard {
        let (mut running, mut waiting) = (self.lock(), None);
        while running.iter().any(|other| ranges.iter().any(|range| other.overlaps(range))) {
            waiting.get_or_insert_with(Waiting::begin);
            running = self.ended.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
        running.extend(ranges.iter().cloned());
        RangesGuard { loads: Arc::clone(self), ranges }
    }

    /// Locks the list. No code that can panic runs under this lock.
    fn lock(&self) -> MutexGuard<'_, Vec<Range>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps other loads out of ranges of keys until it is dropped.
#[derive(Debug)]
pub(crate) struct RangesGuard {
    loads: Arc<RunningLoads>,
    ranges: Vec<Range>,
}

impl Drop for RangesGuard {
    fn drop(&mut self) {
        let mut running = self.loads.lock();
        // Concurrent ranges have no keys in common, so no range is in the list twice.
        running.retain(|range| !self.ranges.contains(range));
        drop(running);
        self.loads.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_loads_of_common_keys_wait_for_each_other() {
        let loads = Arc::new(RunningLoads::default());
        let enter = |loads: &Arc<RunningLoads>, ranges: &[(&str, &str)]| {
            let range = |(first, last): &(&str, &str)| Range::new(first.as_bytes(), last.as_bytes());
            loads.enter(ranges.iter().map(range).collect())
        };
        let first = enter(&loads, &[("a", "c"), ("m", "p")]);
        drop(enter(&loads, &[("d", "f"), ("q", "z")]));
        let entered = Arc::new(AtomicBool::new(false));
        let waiting = std::thread::spawn({
            let (loads, entered) = (Arc::clone(&loads), Arc::clone(&entered));
            move || {
                let _guard = enter(&loads, &[("d", "e"), ("n", "n")]);
                entered.store(true, Ordering::SeqCst);
            }
        });
        // It would enter in this time.
        std::thread::sleep(Duration::from_millis(20));
        assert!(!entered.load(Ordering::SeqCst));
        drop(first);
        waiting.join().unwrap();
        assert!(entered.load(Ordering::SeqCst));
    }
}
