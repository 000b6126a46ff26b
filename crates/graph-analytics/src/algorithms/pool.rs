//! Arrays that threads take for a part of their work and give back.

use std::sync::{Mutex, PoisonError};

use errors::Result;

/// Arrays that are made once for each thread, not for each part of the work.
#[derive(Debug)]
pub(super) struct Pool<T> {
    free: Mutex<Vec<T>>,
}

/// Returns the number of threads that may work at once, for estimates of memory.
pub(super) fn threads() -> u64 {
    rayon::current_num_threads() as u64
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { free: Mutex::new(Vec::new()) }
    }
}

impl<T> Pool<T> {
    /// Calls `work_on` with arrays that nobody else uses. `make` makes them if none are free.
    pub(super) fn with<R>(
        &self,
        make: impl FnOnce() -> Result<T>,
        work_on: impl FnOnce(&mut T) -> Result<R>,
    ) -> Result<R> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut arrays = match free {
            Some(arrays) => arrays,
            None => make()?,
        };
        let result = work_on(&mut arrays);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(arrays);
        result
    }

    /// Returns all arrays, in no order.
    pub(super) fn into_all(self) -> Vec<T> {
        self.free.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
