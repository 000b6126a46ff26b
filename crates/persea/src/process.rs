//! The process itself: its limits, its number.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of file descriptors to what the system allows. Answers how many that are.
pub(crate) fn raise_descriptor_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // A limit that cannot be raised stays as it is.
    let current = match setrlimit(Resource::Nofile, wanted) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    current.unwrap_or(u64::MAX)
}

/// A file with the number of this process, removed at the end.
pub(crate) struct PidFile {
    path: PathBuf,
}

impl PidFile {
    /// Writes the file.
    pub(crate) fn write(path: &Path) -> io::Result<Self> {
        fs::write(path, format!("{}\n", std::process::id()))?;
        Ok(PidFile { path: path.to_owned() })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // It is only a hint for scripts; that it stays is no reason to end with an error.
        let _ = fs::remove_file(&self.path);
    }
}
