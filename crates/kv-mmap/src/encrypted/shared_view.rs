//! A version of the encrypted tables, as snapshots share it.

use std::sync::{Arc, PoisonError, RwLock};

use kv::{Error, Result};

use super::environment::Environment;
use super::view::View;
use super::{PAIR_BYTES, guarded};

/// A state of the tables that threads share, until it expires.
pub(crate) struct SharedView {
    environment: Environment,
    view: RwLock<Option<Arc<View>>>,
    /// The bytes of the file that hold no pair of this state.
    free_bytes: u64,
}

impl SharedView {
    /// Opens the current state of the tables.
    pub(crate) fn open(environment: &Environment) -> Result<Self> {
        let view = environment.view()?;
        let free_bytes = environment.total_bytes().saturating_sub(view.number(PAIR_BYTES)?);
        Ok(SharedView {
            environment: environment.clone(),
            view: RwLock::new(Some(Arc::new(view))),
            free_bytes,
        })
    }

    /// Returns the bytes of the file that hold no pair of this state.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.environment.total_bytes()
    }

    /// Returns the bytes of decrypted pages in memory.
    pub(crate) fn cached_bytes(&self) -> u64 {
        self.environment.cached_bytes()
    }

    /// Returns true if an operation on the file has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.environment.is_broken()
    }

    /// Reads the state.
    ///
    /// Errors: [`Error::SnapshotExpired`], also after an operation on the file has failed;
    /// [`Error::Corrupt`].
    pub(crate) fn read<T>(&self, read: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        let view = self.view.read().unwrap_or_else(PoisonError::into_inner).clone();
        let view = view.ok_or(Error::SnapshotExpired)?;
        match guarded(|| read(&view)) {
            Err(_) if self.environment.is_broken() => Err(Error::SnapshotExpired),
            read => read,
        }
    }

    /// Makes every later read fail with [`Error::SnapshotExpired`], so that the pages of the state
    /// can be used again.
    pub(crate) fn expire(&self) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
