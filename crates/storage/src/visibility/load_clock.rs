//! Numbers of loads, in the order in which they become visible.
//!
//! A load claims no keys. So the conflict table does not find a transaction that began before the
//! load and writes one of its keys. Such a transaction compares numbers instead.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a load; the first one since the store opened is 1.
pub(crate) type LoadNumber = u64;

/// Numbers the loads of a store.
#[derive(Debug, Default)]
pub(crate) struct LoadClock(AtomicU64);

/// The last load of a collection that became visible.
#[derive(Debug, Default)]
pub(crate) struct LastLoad(AtomicU64);

impl LoadClock {
    /// Returns the number of the last load that became visible; 0 if there was none.
    pub(crate) fn now(&self) -> LoadNumber {
        self.0.load(Ordering::SeqCst)
    }

    /// Numbers a load that became visible.
    pub(super) fn advance(&self) -> LoadNumber {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl LastLoad {
    /// Returns the number of the collection's last load; 0 if there was none.
    pub(crate) fn number(&self) -> LoadNumber {
        self.0.load(Ordering::SeqCst)
    }

    /// Records a load. The caller must do so before writers may use the collection again.
    pub(super) fn note(&self, number: LoadNumber) {
        self.0.fetch_max(number, Ordering::SeqCst);
    }
}
