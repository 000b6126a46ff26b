//! Errors of LMDB, of redb and of the operating system by their class.

use std::path::Path;

use heed::MdbError;
use kv::Error;

/// Returns a function that maps an error of LMDB to its class. `action` names what failed.
pub(crate) fn map(action: &'static str) -> impl Fn(heed::Error) -> Error {
    move |error| match error {
        heed::Error::Io(error) => Error::io(action, &error),
        heed::Error::Mdb(error) => of_lmdb(action, error),
        other => Error::Io { action: action.to_owned(), reason: other.to_string() },
    }
}

fn of_lmdb(action: &str, error: MdbError) -> Error {
    let reason = format!("{action}: {error}");
    match error {
        MdbError::MapFull => Error::Full {
            reason: format!("{action}: the data reached the size of the map; raise --mmfiles.max-map-size"),
        },
        MdbError::Corrupted | MdbError::PageNotFound | MdbError::Invalid | MdbError::VersionMismatch => {
            Error::Corrupt { reason }
        }
        MdbError::Panic => Error::NotWritable {
            path: "the tables".into(),
            reason: format!("{reason}; writing stopped until the server is started again"),
        },
        _ => Error::Io { action: action.to_owned(), reason: error.to_string() },
    }
}

/// Returns a function that maps an error of redb to its class. `action` names what failed.
pub(crate) fn map_redb<E: Into<redb::Error>>(action: &'static str) -> impl Fn(E) -> Error {
    move |error| match error.into() {
        redb::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Error::Corrupt { reason: format!("{action}: {error}") }
        }
        redb::Error::Io(error) => Error::io(action, &error),
        error @ (redb::Error::Corrupted(_)
        | redb::Error::UpgradeRequired(_)
        | redb::Error::TableTypeMismatch { .. }
        | redb::Error::TypeDefinitionChanged { .. }
        | redb::Error::TableDoesNotExist(_)) => Error::Corrupt { reason: format!("{action}: {error}") },
        other => Error::Io { action: action.to_owned(), reason: other.to_string() },
    }
}

/// Maps an error of LMDB at opening to its class.
pub(crate) fn map_open(path: &Path, error: heed::Error) -> Error {
    match error {
        heed::Error::Io(error) => map_open_io("opening", path, &error),
        heed::Error::EnvAlreadyOpened => Error::Locked { path: path.to_owned() },
        other => map("opening the tables")(other),
    }
}

/// Maps an error of the operating system at opening to its class.
pub(crate) fn map_open_io(action: &str, path: &Path, error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{NotADirectory, OutOfMemory, PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem | NotADirectory => Error::NotWritable {
            path: path.to_owned(),
            reason: format!("{error}; give this user the right to write there"),
        },
        OutOfMemory => Error::Io {
            action: format!("{action} {}", path.display()),
            reason: format!("{error}; the address space is limited: lower --mmfiles.max-map-size"),
        },
        _ => Error::io(format!("{action} {}", path.display()), error),
    }
}
