//! Errors of object storage.

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a request has failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A missing or wrong option of the bucket.
    #[error("{0}")]
    Options(String),
    /// An error that the storage reports.
    #[error("{request}: the storage answers with status {status}, {code}: {message}")]
    Refused {
        /// Method and key.
        request: String,
        /// The HTTP status.
        status: u16,
        /// S3's code, such as `AccessDenied`.
        code: String,
        /// S3's message.
        message: String,
    },
    /// A reply that is not S3's.
    #[error("{request}: the reply is not an S3 reply: {reason}")]
    Reply {
        /// Method and key.
        request: String,
        /// The error.
        reason: String,
    },
    /// A file that changed while it was sent.
    #[error("the content of the file has the SHA-256 {found} instead of {expected}")]
    Changed {
        /// The digest that the caller expects.
        expected: String,
        /// The digest of the bytes that were read.
        found: String,
    },
    /// No reply.
    #[error(transparent)]
    Client(#[from] client::Error),
    /// A local file, or a transfer that its caller has ended.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

impl Error {
    /// Returns true if the storage has no such object.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Error::Refused { status: 404, code, .. } if code != "NoSuchBucket")
    }
}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::File(error) => error,
            other => std::io::Error::other(other),
        }
    }
}
