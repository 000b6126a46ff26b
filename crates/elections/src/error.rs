//! The errors of this crate.

use std::io;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that cannot work.
    #[error("{0}")]
    Options(String),
    /// The folder cannot be read or written.
    #[error("the folder of the elections {folder}: {source}")]
    Folder {
        /// The path of the folder.
        folder: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The journal has bytes that no version of this program wrote, or lacks some that it wrote.
    #[error("the journal of the elections is damaged at byte {at}: {what}; {ADVICE}")]
    Damaged {
        /// The offset in the file.
        at: u64,
        /// The description of the damage.
        what: String,
    },
    /// A message cannot be decoded, or does not fit this member.
    #[error("a message of the elections was refused: {0}")]
    Message(String),
    /// The transport did not deliver a message or its reply.
    #[error("member {to} does not answer: {reason}")]
    Unreachable {
        /// The id of the member.
        to: u64,
        /// The reason as the transport gave it.
        reason: String,
    },
    /// The group, or another member, refused a request.
    #[error("{0}")]
    Refused(String),
    /// No answer came within the time that the caller allows.
    #[error("{0} took longer than allowed")]
    Timeout(&'static str),
    /// The elections do not run: they were stopped, or their folder failed.
    #[error("the elections of this member do not run: {0}")]
    Stopped(String),
}

/// The way out of damage, which every message about damage ends with.
const ADVICE: &str = "remove this member from the group, empty the folder, and add the member again";

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;
