//! Stores in folders, for engines that keep files.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Fixture;
use crate::Engine;

/// A source of stores in a folder that is removed afterwards.
pub struct Folders<F> {
    folder: tempfile::TempDir,
    stores: AtomicUsize,
    open: F,
}

impl<F: Fn(PathBuf) -> Arc<dyn Engine>> Folders<F> {
    /// Makes a folder. `open` opens a store in a folder that does not exist yet.
    pub fn new(open: F) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Folders { folder, stores: AtomicUsize::new(0), open }
    }
}

impl<F: Fn(PathBuf) -> Arc<dyn Engine>> Fixture for Folders<F> {
    fn engine(&self) -> Arc<dyn Engine> {
        let number = self.stores.fetch_add(1, Ordering::Relaxed);
        (self.open)(self.folder.path().join(number.to_string()))
    }
}
