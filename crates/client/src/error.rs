//! Errors between a tool and its server.

use std::time::Duration;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no reply, or not the one that was hoped for. Every one says which server it is about.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not the address of a server.
    #[error("the endpoint {endpoint} cannot be used: {reason}")]
    Endpoint {
        /// As it was given.
        endpoint: String,
        /// The form that would be right.
        reason: String,
    },
    /// An option of the client is wrong.
    #[error("{0}")]
    Options(String),
    /// A request that HTTP cannot carry.
    #[error("the request {request} cannot be sent: {reason}")]
    Request {
        /// Method and path.
        request: String,
        /// The mistake.
        reason: String,
    },
    /// There is no connection.
    #[error("cannot connect to {endpoint}: {reason}")]
    Connect {
        /// The server.
        endpoint: String,
        /// The system's error.
        reason: String,
    },
    /// The connection was lost before the reply was there. Whether the server has done what it was asked is not known.
    #[error("the connection to {endpoint} broke during {request}: {reason}")]
    Broken {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The error of the system or of HTTP.
        reason: String,
    },
    /// The server did not answer in time. Whether it has done what it was asked is not known.
    #[error("{endpoint} did not answer {request} within {} s", limit.as_secs_f64())]
    TimedOut {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The time-out.
        limit: Duration,
    },
    /// The reply is larger than the client takes.
    #[error("the reply of {endpoint} to {request} has more than {limit_bytes} bytes")]
    TooLarge {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The limit.
        limit_bytes: usize,
    },
    /// The reply cannot be read.
    #[error("the reply of {endpoint} to {request} cannot be read: {reason}")]
    Reply {
        /// The server.
        endpoint: String,
        /// Method and path.
        request: String,
        /// The mistake.
        reason: String,
    },
    /// The server says no.
    #[error("{0}")]
    Server(ServerError),
}

/// An answer of the server that is an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{endpoint} answers {request} with {status}, error {number}: {message}")]
pub struct ServerError {
    /// The server.
    pub endpoint: String,
    /// Method and path.
    pub request: String,
    /// The HTTP status.
    pub status: u16,
    /// ArangoDB's `errorNum`, or the status where the reply has none.
    pub number: u64,
    /// ArangoDB's `errorMessage`, or the beginning of the body.
    pub message: String,
}

impl Error {
    /// The server's answer, if the error is one.
    pub fn server(&self) -> Option<&ServerError> {
        match self {
            Error::Server(error) => Some(error),
            _ => None,
        }
    }

    /// ArangoDB's error number of the server's answer.
    pub fn number(&self) -> Option<u64> {
        self.server().map(|error| error.number)
    }

    /// Returns true if the reason is the connection and not the server or the request.
    pub fn is_connection(&self) -> bool {
        matches!(self, Error::Connect { .. } | Error::Broken { .. } | Error::TimedOut { .. })
    }
}
