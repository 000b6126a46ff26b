//! The removal of the log that a start has replayed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use kv::LogRecovery;
use kv::damaged_logs::create_damaged_logs_folder;

use super::files::{Folder, LogFiles};
use super::reader::Judged;

/// The end of a log that an open did not replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DroppedLog {
    /// The number of its bytes.
    pub bytes: u64,
    /// The folder with its files. `None` for a torn end, which is normal after a crash.
    pub kept_in: Option<PathBuf>,
}

impl fmt::Display for DroppedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes;
        match &self.kept_in {
            None => write!(
                f,
                "the log ended with {bytes} bytes that are not a complete commit; they were dropped"
            ),
            Some(folder) => write!(
                f,
                "the log was replayed up to damage, and {bytes} bytes from there on were dropped; its damaged \
                 files are in {}",
                folder.display()
            ),
        }
    }
}

/// Removes the files of a log whose records are in the tables. Returns the number of the next file,
/// and what was dropped.
///
/// [`LogRecovery::Salvage`] moves the files from the first flaw on aside, from the newest to the
/// oldest: if that is interrupted, the remaining log still has its flaw.
pub(crate) fn clear(
    store: &Path,
    folder: &Folder,
    judged: &Judged,
    wanted: LogRecovery,
) -> io::Result<(u64, DroppedLog)> {
    let numbers = folder.numbers()?;
    let next = numbers.last().map_or(1, |last| last + 1);
    let damaged_from = judged.dropped_from.filter(|_| wanted == LogRecovery::Salvage);
    let kept_in = damaged_from.map(|_| create_damaged_logs_folder(store)).transpose()?;
    for number in numbers.into_iter().rev() {
        match &kept_in {
            Some(kept) if damaged_from.is_some_and(|from| number >= from) => folder.move_to(number, kept)?,
            _ => folder.remove(number)?,
        }
    }
    Ok((next, DroppedLog { bytes: judged.dropped_bytes, kept_in }))
}
