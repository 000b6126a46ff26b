//! Errors between a tool and its server.

use std::time::Duration;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why there is no reply, or not the expected one. Every variant names its server.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text that is not the address of a server.
    #[error("the endpoint {endpoint} cannot be used: {reason}")]
    Endpoint {
        /// The text as it was given.
        endpoint: String,
        /// The form that would be right.
        reason: String,
    },
    /// A wrong option of the client.
    #[error("{0}")]
    Options(String),
    /// A request that HTTP cannot carry.
    #[error("the request {request} cannot be sent: {reason}")]
    Request {
        /// Method and path.
        request: String,
        /// The error.
        reason: String,
    },
    /// A connection that could not be opened.
    #[error("cannot connect to {endpoint}: {reason}")]
    Connect {
        /// The server.
        endpoint: String,
        /// The system's error.
        reason: String,
    },
    /// A connection that was lost before the reply. The effect of the request is unknown.
    #[error("the connection to {endpoint} broke during {request}: {reason}")]
    Broken {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The error of the system or of HTTP.
        reason: String,
    },
    /// A server that did not reply in time. The effect of the request is unknown.
    #[error("{endpoint} did not answer {request} within {} s", limit.as_secs_f64())]
    TimedOut {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The time-out.
        limit: Duration,
    },
    /// A reply that exceeds the client's limit.
    #[error("the reply of {endpoint} to {request} has more than {limit_bytes} bytes")]
    TooLarge {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The limit.
        limit_bytes: usize,
    },
    /// A reply that cannot be read.
    #[error("the reply of {endpoint} to {request} cannot be read: {reason}")]
    Reply {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The error.
        reason: String,
    },
    /// A reply that reports an error.
    #[error("{0}")]
    Server(ServerError),
}

/// An error that the server reports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{endpoint} answers {request} with {status}, error {number}: {message}")]
pub struct ServerError {
    /// The server.
    pub endpoint: String,
    /// Method and path.
    pub request: String,
    /// The HTTP status.
    pub status: u16,
    /// ArangoDB's `errorNum`, or the status if the reply has none.
    pub number: u64,
    /// ArangoDB's `errorMessage`, or the beginning of the body.
    pub message: String,
}

impl Error {
    /// Returns the server's error, if this is one.
    pub fn server(&self) -> Option<&ServerError> {
        match self {
            Error::Server(error) => Some(error),
            _ => None,
        }
    }

    /// Returns ArangoDB's number of the server's error.
    pub fn number(&self) -> Option<u64> {
        self.server().map(|error| error.number)
    }

    /// Returns true if the connection is the cause, not the server or the request.
    pub fn is_connection(&self) -> bool {
        matches!(self, Error::Connect { .. } | Error::Broken { .. } | Error::TimedOut { .. })
    }
}
