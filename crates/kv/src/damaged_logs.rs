//! Damaged logs: what an open does about them, and the folder that keeps their files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The folder with one subfolder for each log that was cut.
const DAMAGED_FOLDER: &str = "damaged-logs";

/// The reaction of an open to a log that is damaged before its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogRecovery {
    /// The open fails, and changes nothing.
    #[default]
    Strict,
    /// The open replays the log up to the damage, and moves the rest into `damaged-logs`.
    Salvage,
}

/// Creates a new folder for the damaged files of a store. Its name is the time in seconds since
/// 1970, or a little more if that name is taken.
pub fn create_damaged_logs_folder(store: &Path) -> io::Result<PathBuf> {
    let all = store.join(DAMAGED_FOLDER);
    fs::create_dir_all(&all)?;
    let mut name = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Existing folders are never overwritten.
    while let Err(error) = fs::create_dir(all.join(name.to_string())) {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return Err(error);
        }
        name += 1;
    }
    sync_folder(&all)?;
    sync_folder(store)?;
    Ok(all.join(name.to_string()))
}

/// Makes the names of a folder's files durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
