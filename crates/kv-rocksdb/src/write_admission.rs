//! Admission of writers: at most one thread per processor writes concurrently.
//!
//! Writers in RocksDB spin and yield while they wait for each other, which is fast as long as each
//! has a processor of its own. With more of them they spend more time on that than on writing: with
//! 16 writers on two processors, nearly half of all time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Permits to write, one per processor.
pub(crate) struct WriteAdmission {
    free: Mutex<usize>,
    freed: Condvar,
}

/// The right to write, until it is dropped.
pub(crate) struct WritePermit<'a>(&'a WriteAdmission);

impl WriteAdmission {
    /// Creates as many permits as this machine has processors.
    pub(crate) fn of_this_machine() -> Self {
        WriteAdmission::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn new(count: usize) -> Self {
        WriteAdmission { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Waits for a permit. A thread that arrives while one is free overtakes those that are still
    /// waking up, so that no permit stays idle until then.
    pub(crate) fn acquire(&self) -> WritePermit<'_> {
        let free = self.freed.wait_while(self.lock(), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        WritePermit(self)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WritePermit<'_> {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_threads_write_than_there_are_permits_and_all_get_one() {
        let (admission, inside, most) = (WriteAdmission::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _permit = admission.acquire();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 400);
        assert!(most.into_inner() <= 2);
    }
}
