//! The one error that leaves this crate: ArangoDB's number and message, and the document that a conflict is about.

use std::fmt;

/// Result of everything that a client can cause to fail.
pub type Result<T> = std::result::Result<T, Error>;

/// ArangoDB's error numbers that this crate itself reports; the layers below bring their own.
pub mod number {
    /// A promise between two parts of the server was broken.
    pub const INTERNAL: u32 = 4;
    /// The operating system refused something.
    pub const SYSTEM: u32 = 7;
    /// A parameter has a value out of its range.
    pub const BAD_PARAMETER: u32 = 10;
    /// The user may not do this.
    pub const FORBIDDEN: u32 = 11;
    /// A parameter has a wrong type.
    pub const TYPE_ERROR: u32 = 17;
    /// The server is stopping.
    pub const SHUTTING_DOWN: u32 = 30;
    /// A limit on memory or on the number of something is reached.
    pub const RESOURCE_LIMIT: u32 = 32;
    /// The request as a whole is not what the call takes.
    pub const MALFORMED_REQUEST: u32 = 400;
    /// The body is no valid JSON or VelocyPack.
    pub const CORRUPTED_JSON: u32 = 600;
    /// No collection or view of this name.
    pub const DATA_SOURCE_NOT_FOUND: u32 = 1203;
    /// What is to be stored is no object.
    pub const DOCUMENT_TYPE_INVALID: u32 = 1227;
    /// An edge without `_from` or `_to`.
    pub const INVALID_EDGE_ATTRIBUTE: u32 = 1233;
    /// No database of this name.
    pub const DATABASE_NOT_FOUND: u32 = 1228;
    /// A query without text.
    pub const QUERY_EMPTY: u32 = 1502;
    /// A collection that the query does not name, and would have to.
    pub const QUERY_COLLECTION_LOCK_FAILED: u32 = 1521;
    /// The query's plan cannot be kept as the client asks.
    pub const QUERY_NOT_ELIGIBLE_FOR_PLAN_CACHING: u32 = 1584;
    /// No query of this id is running.
    pub const QUERY_NOT_FOUND: u32 = 1591;
    /// No cursor of this id: never made, finished, deleted or expired.
    pub const CURSOR_NOT_FOUND: u32 = 1600;
    /// The cursor is used by another request.
    pub const CURSOR_BUSY: u32 = 1601;
}

/// What a request ends with when it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// ArangoDB's `errorNum`.
    pub number: u32,
    /// ArangoDB's `errorMessage`: what was wrong, where, and what would be right.
    pub message: String,
    /// The stored document that stands in the way (1200, 1210), which replies name beside the error.
    pub document: Option<DocumentIdentity>,
    /// Whether a 1200 means that the client named another revision than the stored one (HTTP status 412), rather than a
    /// conflict between transactions (409).
    pub is_precondition_failed: bool,
    /// Whether the same request may succeed when it is made again, or with more patience.
    pub is_retryable: bool,
    /// The stage of planning that refused a query ("parsing"), for replies that name it.
    pub stage: Option<&'static str>,
}

/// Which document, in which state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentIdentity {
    /// `collection/key`.
    pub id: String,
    /// `_key`.
    pub key: String,
    /// `_rev`, where it is known.
    pub revision: Option<String>,
}

impl Error {
    /// An error about no document.
    pub fn new(number: u32, message: impl Into<String>) -> Self {
        Error {
            number,
            message: message.into(),
            document: None,
            is_precondition_failed: false,
            is_retryable: false,
            stage: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (error {})", self.message, self.number)
    }
}

impl std::error::Error for Error {}

impl From<aql_value::Error> for Error {
    fn from(error: aql_value::Error) -> Self {
        Error::new(error.number, error.message)
    }
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        let document = error.conflict().map(|conflict| DocumentIdentity {
            id: format!("{}/{}", conflict.collection, conflict.key),
            key: conflict.key.clone(),
            revision: conflict.revision.clone(),
        });
        Error {
            number: error.number(),
            message: error.message().to_owned(),
            document,
            is_precondition_failed: error.is_precondition_failed(),
            is_retryable: error.is_retryable() || error.number() == catalog::error_number::LOCK_TIMEOUT,
            stage: None,
        }
    }
}

impl From<catalog::Error> for Error {
    fn from(error: catalog::Error) -> Self {
        Error::new(error.number, error.message)
    }
}

/// A batch of a dump could not be packed, which no documents can cause.
impl From<gzip_members::Error> for Error {
    fn from(error: gzip_members::Error) -> Self {
        Error::new(number::INTERNAL, format!("internal error: {error}"))
    }
}

/// A reply or a document could not be put together, which no input can cause: what is copied was checked when it came
/// in.
impl From<velocypack::Error> for Error {
    fn from(error: velocypack::Error) -> Self {
        Error::new(number::INTERNAL, format!("internal error: a value could not be built: {error}"))
    }
}
