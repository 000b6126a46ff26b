//! Writes of files that fail: a limit on the size of the server's files makes a write first short
//! and then fail.

use std::path::Path;

use harness::Process;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::crash::torn::newest_log;

/// Numbers of errors after which nothing was changed: 1004 (read-only), 1104 (no room), 1224 (not
/// writable).
pub(crate) const REFUSED: [u64; 3] = [1004, 1104, 1224];

/// Numbers of errors that leave the outcome unknown: 1650 for commits, 4 for tables and indexes
/// that bypass the log.
const UNKNOWN: [u64; 2] = [4, 1650];

/// The errors of RocksDB: the first one with the path of the file, and those that follow.
const TEXTS: [(&str, &str); 2] =
    [("File too large", "/data/"), ("syncing the log failed", "Writer has previous error")];

/// Returns true if an error says what is wrong and where, and has a fitting number.
pub(crate) fn is_clear(number: u64, text: &str) -> bool {
    let is_known = REFUSED.contains(&number) || UNKNOWN.contains(&number);
    is_known && TEXTS.iter().any(|(error, place)| text.contains(error) && text.contains(place))
}

/// Limits the files of a process to the size of its log plus `room` bytes, or removes the limit.
/// Errors: text for the user, for example without the right to do so.
pub(crate) fn limit(process: Process, data: &Path, room: Option<u64>) -> Result<(), String> {
    let process = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    let log_bytes = || newest_log(data).and_then(|(_, log)| log.metadata().ok()).map_or(0, |log| log.len());
    let current = room.map(|room| log_bytes() + room);
    let limited = prlimit(process, Resource::Fsize, Rlimit { current, maximum: None });
    limited.map(|_| ()).map_err(|error| format!("the size of files cannot be limited: {error}"))
}
