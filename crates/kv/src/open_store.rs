//! A store for as long as its engine is open.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::background::BackgroundThread;
use crate::{Error, Result};

/// The store of an engine and its background threads, until the engine is closed.
pub struct OpenStore<S> {
    /// `None` once the engine is closed.
    store: RwLock<Option<Arc<S>>>,
    threads: Mutex<Vec<BackgroundThread>>,
}

impl<S> OpenStore<S> {
    /// Holds a store and the threads that work for it.
    pub fn new(store: Arc<S>, threads: Vec<BackgroundThread>) -> Self {
        OpenStore { store: RwLock::new(Some(store)), threads: Mutex::new(threads) }
    }

    /// Returns the store. Errors: [`Error::Closed`] once it is closed.
    pub fn get(&self) -> Result<Arc<S>> {
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        store.as_ref().map(Arc::clone).ok_or(Error::Closed)
    }

    /// Takes the store away from all callers, lets `refuse` make it refuse those that still have
    /// it, and ends the threads. Returns the store, or `None` if it was closed before.
    pub fn close(&self, refuse: impl FnOnce(&S)) -> Option<Arc<S>> {
        let store = self.store.write().unwrap_or_else(PoisonError::into_inner).take()?;
        refuse(&store);
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Some(store)
    }
}
