//! The errors of a store, classified by the caller's possible reactions.

use std::path::PathBuf;

use errors::ErrorCode;

/// The result of everything that may fail in a store.
pub type Result<T> = std::result::Result<T, Error>;

/// The classes of errors.
///
/// The class tells the caller what to do. The text tells a person what was wrong, where, and what
/// would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another transaction holds the key, or wrote it after this transaction's snapshot.
    ///
    /// The transaction is as it was before the call. A new transaction may succeed.
    #[error("another transaction writes or has just written the same key; start the transaction again")]
    Conflict,

    /// The owner of the transaction ended while it waited for another transaction.
    ///
    /// The transaction is as it was before the call.
    #[error("the request was ended while it waited for another transaction")]
    Interrupted,

    /// A key that had to be absent is present.
    #[error("the key is already present")]
    Exists,

    /// Nothing was done, and the same call may succeed a little later: a disk is busy, or a remote
    /// store refuses the call for the moment.
    #[error("the store cannot do this at the moment: {reason}; try again")]
    Transient {
        /// The engine's message.
        reason: String,
    },

    /// A remote store did not answer in time: a process of it has died, or cannot be reached.
    /// Nothing was done. Calls succeed again once the store answers.
    #[error("the shared store does not answer: {reason}; try again in some seconds")]
    Unavailable {
        /// The reason of the last attempt.
        reason: String,
    },

    /// The outcome of a commit is unknown: after a restart the whole commit is there, or nothing of
    /// it.
    #[error("it is not known whether the commit took place: {reason}; read the data to find out")]
    Undetermined {
        /// The engine's message.
        reason: String,
    },

    /// A transaction's writes exceed [`crate::TransactionOptions::max_bytes`], or a single pair
    /// exceeds the engine's limit.
    ///
    /// The write that would have exceeded the limit did not take place.
    #[error("the writes exceed the limit of {limit_bytes} bytes; use several smaller transactions")]
    TooLarge {
        /// The limit that would have been exceeded.
        limit_bytes: usize,
    },

    /// A key is longer than the engine's limit ([`crate::LocalStore::key_bytes_max`]). It was not
    /// written.
    #[error(
        "a key of {bytes} bytes is too long: the store has a limit of {limit_bytes} bytes; use shorter values in indexes"
    )]
    KeyTooLong {
        /// The bytes of the key.
        bytes: usize,
        /// The greatest length.
        limit_bytes: usize,
    },

    /// The snapshot is older than the oldest state that the store still keeps.
    #[error("the snapshot is older than what the store keeps; read again from a new snapshot")]
    SnapshotExpired,

    /// The files contradict their checksums or each other.
    #[error("the store's files are damaged: {reason}; restore them from a backup or a dump")]
    Corrupt {
        /// The damage that the engine found, and the file if it is known.
        reason: String,
    },

    /// The write-ahead log is damaged before its end, so acknowledged commits would be lost.
    ///
    /// Nothing was changed.
    #[error("the write-ahead log {} is damaged: {reason}", path.display())]
    DamagedLog {
        /// The damaged or missing file.
        path: PathBuf,
        /// The damage, its extent, and the possible remedies.
        reason: String,
    },

    /// The disk or the user's quota is full. Reads continue; writes succeed again when there is
    /// space.
    #[error("there is no space left for the store: {reason}; free some space")]
    Full {
        /// The engine's message.
        reason: String,
    },

    /// Another process has the store open.
    #[error("{} is in use by another process; stop that process or choose another folder", path.display())]
    Locked {
        /// The store's folder.
        path: PathBuf,
    },

    /// The store's folder cannot be created or written.
    #[error("{} cannot be written: {reason}", path.display())]
    NotWritable {
        /// The folder or file.
        path: PathBuf,
        /// The operating system's message, and the remedy.
        reason: String,
    },

    /// The files were written by a newer version of this software.
    #[error(
        "the store has format {found}, this version reads formats up to {supported}; use a newer version"
    )]
    NewerFormat {
        /// The format of the files.
        found: u32,
        /// The newest format that this version reads.
        supported: u32,
    },

    /// The store is another one than the options say, or cannot be reached, or another server uses
    /// it.
    #[error("{store} cannot be opened: {reason}")]
    CannotOpen {
        /// The name and the address of the store.
        store: String,
        /// The obstacle, and the remedy.
        reason: String,
    },

    /// The lease of this process on a shared store has ended: see [`crate::Sharing`].
    #[error("the lease of this server on the shared store has ended; start the server again")]
    LeaseEnded,

    /// The store was closed.
    #[error("the store is closed")]
    Closed,

    /// The engine does not support this operation.
    #[error("{operation} is not possible: {reason}")]
    Unsupported {
        /// The requested operation.
        operation: &'static str,
        /// The reason why the engine does not support it.
        reason: &'static str,
    },

    /// The caller broke a rule of the trait. This is a defect of the caller; nothing was written.
    #[error("wrong use of the store: {reason}")]
    Misuse {
        /// The rule.
        reason: String,
    },

    /// Any other failure of the operating system or the engine.
    #[error("{action} failed: {reason}")]
    Io {
        /// The action that failed, and its file if that is known.
        action: String,
        /// The message of the operating system or the engine.
        reason: String,
    },
}

impl Error {
    /// Wraps an error of the operating system. `action` names what failed, and with which file.
    pub fn io(action: impl Into<String>, source: &std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Error::Full { reason: format!("{}: {source}", action.into()) }
            }
            _ => Error::Io { action: action.into(), reason: source.to_string() },
        }
    }

    /// Returns true if the whole transaction may succeed when it is run again from its start.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Error::Conflict | Error::Transient { .. } | Error::Unavailable { .. } | Error::SnapshotExpired
        )
    }
}

/// The error as the layers above know it.
///
/// A caller may simply retry most errors. After an undetermined commit it must read the data first.
impl From<Error> for errors::Error {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::Conflict => ErrorCode::Conflict,
            Error::Interrupted => return errors::Error::killed(),
            Error::Exists => ErrorCode::UniqueConstraintViolated,
            Error::Unavailable { .. } => ErrorCode::ClusterBackendUnavailable,
            Error::Undetermined { .. } => ErrorCode::TransactionInternal,
            Error::TooLarge { .. } => ErrorCode::ResourceLimit,
            Error::KeyTooLong { .. } => ErrorCode::DocumentTooLarge,
            Error::Corrupt { .. } | Error::DamagedLog { .. } => ErrorCode::CorruptedCollection,
            Error::Full { .. } => ErrorCode::FilesystemFull,
            Error::NotWritable { .. } => ErrorCode::DatadirNotWritable,
            Error::SnapshotExpired => ErrorCode::IncompleteRead,
            Error::Closed | Error::LeaseEnded => ErrorCode::ShuttingDown,
            Error::NewerFormat { .. } => ErrorCode::IncompatibleVersion,
            Error::Unsupported { .. } => ErrorCode::NotImplemented,
            _ => ErrorCode::Internal,
        };
        let message = match &error {
            Error::Conflict => "write-write conflict".to_owned(),
            Error::TooLarge { limit_bytes } => format!(
                "resource limit exceeded: aborting transaction because maximal transaction size limit of \
                 {limit_bytes} bytes is reached"
            ),
            Error::SnapshotExpired => format!("incomplete read: {error}"),
            other => other.to_string(),
        };
        let converted = errors::Error::new(code, message);
        if error.is_retryable() { converted.retryable() } else { converted }
    }
}
