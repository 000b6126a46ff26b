//! The mapping of RocksDB's errors to the classes of the trait.

use std::path::Path;

use kv::Error;
use rust_rocksdb::ErrorKind;

/// Messages of the operating system when there is no space. RocksDB passes on the text without the
/// number.
const NO_SPACE: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// Messages of the operating system when a folder or file is not writable.
const NO_PERMISSION: [&str; 3] = ["Permission denied", "Read-only file system", "Operation not permitted"];

/// Returns a function that maps an error of `action` to its class.
pub(crate) fn map(action: &'static str) -> impl Fn(rust_rocksdb::Error) -> Error {
    move |error| {
        let reason = error.as_ref().to_owned();
        match error.kind() {
            ErrorKind::Corruption => Error::Corrupt { reason },
            ErrorKind::ShutdownInProgress => Error::Closed,
            // Incomplete: a write that must not wait would have had to wait.
            ErrorKind::Busy | ErrorKind::TryAgain | ErrorKind::TimedOut | ErrorKind::Incomplete => {
                Error::Transient { reason }
            }
            _ if is_one_of(&reason, &NO_SPACE) => Error::Full { reason },
            _ => Error::Io { action: action.to_owned(), reason },
        }
    }
}

/// Maps an error of a commit to its class.
///
/// If the log could not be written for another reason than missing space, it is unknown whether it
/// contains the batch.
pub(crate) fn map_commit(error: rust_rocksdb::Error) -> Error {
    match map("writing the log")(error) {
        Error::Io { reason, .. } => Error::Undetermined { reason },
        other => other,
    }
}

/// Maps an error of opening the store in `folder` to its class.
pub(crate) fn map_open(error: &rust_rocksdb::Error, folder: &Path) -> Error {
    let reason = error.as_ref();
    // Examples: "While lock file: .../LOCK: Resource temporarily unavailable", "lock hold by
    // current process, ...".
    let is_lock = reason.contains("While lock file") || reason.contains("lock hold by current process");
    if is_lock && !is_one_of(reason, &NO_PERMISSION) {
        return Error::Locked { path: folder.to_owned() };
    }
    if is_one_of(reason, &NO_PERMISSION) {
        return no_right(folder, reason);
    }
    map("opening the store")(error.clone())
}

/// Maps an error of the operating system at opening to its class.
pub(crate) fn map_open_io(action: &str, path: &Path, error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{NotADirectory, PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem | NotADirectory => no_right(path, error),
        _ => Error::io(format!("{action} {}", path.display()), error),
    }
}

fn no_right(path: &Path, error: impl std::fmt::Display) -> Error {
    let reason = format!("{error}; give this user the right to write there");
    Error::NotWritable { path: path.to_owned(), reason }
}

fn is_one_of(reason: &str, texts: &[&str]) -> bool {
    texts.iter().any(|text| reason.contains(text))
}
