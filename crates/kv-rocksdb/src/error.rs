//! RocksDB's errors as the trait's classes.

use std::path::Path;

use kv::Error;
use rust_rocksdb::ErrorKind;

/// What the operating system says when there is no space. RocksDB passes on its text and not its number.
const NO_SPACE: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// What it says when a folder or file may not be written.
const NO_PERMISSION: [&str; 3] = ["Permission denied", "Read-only file system", "Operation not permitted"];

/// The class of `error`, which came up while doing `action`.
pub(crate) fn map(action: &'static str) -> impl Fn(rust_rocksdb::Error) -> Error {
    move |error| {
        let reason = error.as_ref().to_owned();
        match error.kind() {
            ErrorKind::Corruption => Error::Corrupt { reason },
            ErrorKind::ShutdownInProgress => Error::Closed,
            // Incomplete: a write that must not wait would have had to.
            ErrorKind::Busy | ErrorKind::TryAgain | ErrorKind::TimedOut | ErrorKind::Incomplete => {
                Error::Transient { reason }
            }
            _ if is_one_of(&reason, &NO_SPACE) => Error::Full { reason },
            _ => Error::Io { action: action.to_owned(), reason },
        }
    }
}

/// The class of an error that a commit got. When the log could not be written for another reason than missing space,
/// the batch may be in it or not.
pub(crate) fn map_commit(error: rust_rocksdb::Error) -> Error {
    match map("writing the log")(error) {
        Error::Io { reason, .. } => Error::Undetermined { reason },
        other => other,
    }
}

/// The class of an error that opening the store in `folder` got.
pub(crate) fn map_open(error: &rust_rocksdb::Error, folder: &Path) -> Error {
    let reason = error.as_ref();
    // "While lock file: .../LOCK: Resource temporarily unavailable", "lock hold by current process, ...".
    let is_lock = reason.contains("While lock file") || reason.contains("lock hold by current process");
    if is_lock && !is_one_of(reason, &NO_PERMISSION) {
        return Error::Locked { path: folder.to_owned() };
    }
    if is_one_of(reason, &NO_PERMISSION) {
        return Error::NotWritable { path: folder.to_owned(), reason: reason.to_owned() };
    }
    map("opening the store")(error.clone())
}

/// The class of an error of the operating system at opening.
pub(crate) fn map_open_io(action: &str, path: &Path, error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{NotADirectory, PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem | NotADirectory => {
            Error::NotWritable { path: path.to_owned(), reason: error.to_string() }
        }
        _ => Error::io(format!("{action} {}", path.display()), error),
    }
}

fn is_one_of(reason: &str, texts: &[&str]) -> bool {
    texts.iter().any(|text| reason.contains(text))
}
