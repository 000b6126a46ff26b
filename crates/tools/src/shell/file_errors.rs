//! The errors of files, as scripts see them.

use std::io;

use errors::{Error, ErrorCode};

/// Returns the error of a file that cannot be read.
pub(super) fn reading(path: &str, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::new(ErrorCode::FileNotFound, format!("there is no file {path}")),
        _ => Error::new(ErrorCode::CannotReadFile, format!("{path} cannot be read: {error}")),
    }
}

/// Returns the error of a file that cannot be written.
pub(super) fn writing(path: &str, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::new(ErrorCode::FileNotFound, format!("{path}: {error}")),
        _ => Error::new(ErrorCode::CannotWriteFile, format!("{path} cannot be changed: {error}")),
    }
}
