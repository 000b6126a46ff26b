//! How far the other members of a group have the log of the leader.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time after which a wait looks whether its reason still holds.
const LOOK: Duration = Duration::from_millis(100);

/// The positions that other members have acknowledged in one epoch.
#[derive(Default)]
pub(crate) struct Acknowledged {
    inner: Mutex<Inner>,
    advanced: Condvar,
}

#[derive(Default)]
struct Inner {
    epoch: u64,
    positions: BTreeMap<u64, u64>,
}

impl Acknowledged {
    /// Begins an epoch: what was acknowledged in another one counts no more.
    pub(crate) fn begin(&self, epoch: u64) {
        let mut inner = self.lock();
        if inner.epoch != epoch {
            *inner = Inner { epoch, positions: BTreeMap::new() };
        }
        self.advanced.notify_all();
    }

    /// Notes that a member has everything up to a position.
    pub(crate) fn note(&self, member: u64, epoch: u64, position: u64) {
        let mut inner = self.lock();
        if inner.epoch != epoch {
            return;
        }
        let known = inner.positions.entry(member).or_default();
        if *known < position {
            *known = position;
            self.advanced.notify_all();
        }
    }

    /// Returns true if so many members have everything up to a position.
    pub(crate) fn has(&self, position: u64, needed: usize) -> bool {
        self.lock().has(position, needed)
    }

    /// Waits until so many members have everything up to a position, for a moment, and at most
    /// until `end`. Returns false if they do not have it yet.
    pub(crate) fn wait(&self, position: u64, needed: usize, end: Instant) -> bool {
        let mut inner = self.lock();
        let end = end.min(Instant::now() + LOOK);
        while !inner.has(position, needed) {
            let Some(rest) = end.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero()) else {
                return false;
            };
            inner = self.advanced.wait_timeout(inner, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Returns the positions by members.
    pub(crate) fn list(&self) -> Vec<(u64, u64)> {
        self.lock().positions.iter().map(|(member, position)| (*member, *position)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn has(&self, position: u64, needed: usize) -> bool {
        self.positions.values().filter(|known| **known >= position).count() >= needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_safe_once_enough_members_have_it() {
        let acknowledged = Acknowledged::default();
        acknowledged.begin(4);
        acknowledged.note(2, 4, 10);
        acknowledged.note(2, 4, 7);
        acknowledged.note(3, 3, 50);
        assert!(acknowledged.has(10, 1) && !acknowledged.has(10, 2) && !acknowledged.has(11, 1));
        assert!(acknowledged.has(11, 0), "a member that is alone is a majority");
        assert!(!acknowledged.wait(11, 1, Instant::now()));
        std::thread::scope(|threads| {
            let waiter = threads.spawn(|| {
                let end = Instant::now() + Duration::from_secs(60);
                while !acknowledged.wait(11, 1, end) {}
            });
            acknowledged.note(3, 4, 12);
            waiter.join().unwrap();
        });
        assert_eq!(acknowledged.list(), [(2, 10), (3, 12)]);
        acknowledged.begin(5);
        assert_eq!(acknowledged.list(), []);
    }
}
