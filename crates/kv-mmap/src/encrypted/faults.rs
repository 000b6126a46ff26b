//! Faults of files in tests: all writes in a folder fail.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static FAILING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes writes in a folder fail from now on, or succeed again.
pub(super) fn fail_in(folder: &Path, is_failing: bool) {
    let mut failing = FAILING.lock().unwrap_or_else(PoisonError::into_inner);
    failing.retain(|other| other != folder);
    if is_failing {
        failing.push(folder.to_owned());
    }
}

/// Fails if writes to a file should fail.
pub(super) fn check(path: &Path) -> io::Result<()> {
    let failing = FAILING.lock().unwrap_or_else(PoisonError::into_inner);
    match failing.iter().any(|folder| path.starts_with(folder)) {
        true => Err(io::ErrorKind::StorageFull.into()),
        false => Ok(()),
    }
}
