//! The errors of encryption. None of them contains a part of a key.

use std::path::{Path, PathBuf};

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("{action} {}: {reason}", .path.display())]
    File {
        /// The action, such as `reading`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason of the operating system.
        reason: String,
    },
    /// A secret has another length than 32 bytes.
    #[error("{place} must have exactly 32 bytes, but has {bytes}{hint}")]
    SecretLength {
        /// The file or program that the secret comes from.
        place: String,
        /// Its bytes; 33 for more.
        bytes: usize,
        /// A likely reason.
        hint: &'static str,
    },
    /// A program that prints a secret failed.
    #[error("the program {program} for the encryption key {reason}")]
    Program {
        /// The program.
        program: String,
        /// The failure.
        reason: String,
    },
    /// None of the given secrets is one of those that protect the data.
    #[error(
        "none of the {given} given encryption keys opens {}; it opens with a key whose SHA-256 is {known}", 
        .path.display()
    )]
    WrongSecrets {
        /// The keyring.
        path: PathBuf,
        /// The number of secrets that were tried.
        given: usize,
        /// The digests of those that would be right, with commas.
        known: String,
    },
    /// The keyring is not what this program writes.
    #[error("{} is damaged: {reason}", .path.display())]
    Keyring {
        /// The keyring.
        path: PathBuf,
        /// The damage.
        reason: &'static str,
    },
    /// The header of a file is not one for this master key.
    #[error("the file {reason}")]
    Header {
        /// The reason.
        reason: &'static str,
    },
    /// The operating system has no random bytes.
    #[error("random bytes cannot be had: {0}")]
    Random(String),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Error::File { action, path: path.to_owned(), reason: error.to_string() }
    }
}
