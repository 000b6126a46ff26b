//! Helpers of the tests: servers on empty stores, a client that panics on failures, and tools.

pub(crate) mod archive;
pub(crate) mod backups;
pub(crate) mod client;
pub(crate) mod disguise;
pub(crate) mod drivers;
pub(crate) mod dumps;
pub(crate) mod server;
pub(crate) mod tool;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use client::{Client, Reply, post, query};
pub(crate) use server::Server;

/// The tested program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_persea");

/// Raises a flag when it is dropped, so that threads which wait for it end with a test that fails.
pub(crate) struct Raise<'a>(pub(crate) &'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns the repository's folder `tests`.
///
/// Tests run in the folder of their package. A path from the time of compilation would be that of
/// another checkout that shares the folder of compiled crates.
pub(crate) fn tests_folder() -> PathBuf {
    std::fs::canonicalize("../../tests").unwrap()
}
