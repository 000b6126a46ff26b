//! The storage layer's error: ArangoDB's error number and message, and what a reply needs besides.

use std::fmt;

use catalog::error_number as number;

/// Result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What a client is told, and what the layers above need to decide.
#[derive(Clone, Debug)]
pub struct Error {
    /// Boxed, so that a `Result` stays small on the hot path.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    number: u32,
    message: String,
    is_precondition: bool,
    is_retryable: bool,
    conflict: Option<ConflictingDocument>,
}

/// The stored document that stands in the way of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictingDocument {
    /// The name of its collection.
    pub collection: String,
    /// Its `_key`.
    pub key: String,
    /// Its `_rev`, where it is known.
    pub revision: Option<String>,
}

impl Error {
    /// Number and message as given.
    pub fn new(number: u32, message: impl Into<String>) -> Self {
        let message = message.into();
        let inner = Inner { number, message, is_precondition: false, is_retryable: false, conflict: None };
        Error { inner: Box::new(inner) }
    }

    /// ArangoDB's `errorNum`.
    pub fn number(&self) -> u32 {
        self.inner.number
    }

    /// The text for `errorMessage`.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// For 1200 and 1210: the document that stands in the way, where it is known.
    pub fn conflict(&self) -> Option<&ConflictingDocument> {
        self.inner.conflict.as_ref()
    }

    /// Whether a 1200 means that a revision that the client named is not the stored one (HTTP 412 on a single document)
    /// rather than a conflict with another transaction (409).
    pub fn is_precondition_failed(&self) -> bool {
        self.inner.is_precondition
    }

    /// Whether the whole transaction may succeed when it is run again from its start.
    pub fn is_retryable(&self) -> bool {
        self.inner.is_retryable
    }

    /// A broken promise between two parts of the server.
    pub(crate) fn internal(what: impl fmt::Display) -> Self {
        Error::new(number::INTERNAL, format!("internal error: {what}"))
    }

    /// Stored bytes that cannot be what was written.
    pub(crate) fn corrupt(what: impl fmt::Display) -> Self {
        Error::new(number::CORRUPTED_COLLECTION, format!("corrupted collection: {what}"))
    }

    pub(crate) fn document_not_found() -> Self {
        Error::new(number::DOCUMENT_NOT_FOUND, "document not found")
    }

    pub(crate) fn collection_not_found(name: &str) -> Self {
        Error::new(number::DATA_SOURCE_NOT_FOUND, format!("collection or view not found: {name}"))
    }

    pub(crate) fn database_not_found() -> Self {
        Error::new(number::DATABASE_NOT_FOUND, "database not found")
    }

    pub(crate) fn lock_timeout(collection: &str) -> Self {
        let message = format!("lock timeout: collection '{collection}' is in use, try again later");
        Error::new(number::LOCK_TIMEOUT, message)
    }

    /// A conflict that is gone when the client tries again.
    fn retryable_conflict(message: String) -> Self {
        let mut error = Error::new(number::CONFLICT, message);
        error.inner.is_retryable = true;
        error
    }

    /// Edges cannot be followed at the time of a snapshot, but can be soon.
    /// The edge index that a restore leaves for later is needed now.
    pub fn lacks_edge_index(collection: &str) -> Self {
        Error::retryable_conflict(format!(
            "the edge index of collection '{collection}', which is being restored, was not built yet"
        ))
    }

    /// Another transaction writes, or wrote since this one began, what `document` names.
    pub(crate) fn write_conflict(document: ConflictingDocument) -> Self {
        let mut error = Error::retryable_conflict(format!("write-write conflict; key: {}", document.key));
        error.inner.conflict = Some(document);
        error
    }

    /// The collection was changed (truncated) since the transaction began.
    pub(crate) fn stale_collection(collection: &str) -> Self {
        Error::retryable_conflict(format!(
            "write-write conflict: collection '{collection}' was changed since the transaction began"
        ))
    }

    /// The stored document has another revision than the one that the client named.
    pub(crate) fn revision_mismatch(document: ConflictingDocument) -> Self {
        let mut error = Error::new(number::CONFLICT, "conflict, _rev values do not match");
        error.inner.is_precondition = true;
        error.inner.conflict = Some(document);
        error
    }

    /// A second document with the same unique values: `index` and `fields` as they are named to clients.
    pub(crate) fn unique_violation(
        index: &str,
        index_type: &str,
        fields: &str,
        document: ConflictingDocument,
    ) -> Self {
        let message = format!(
            "unique constraint violated - in index {index} of type {index_type} over '{fields}'; \
             conflicting key: {}",
            document.key
        );
        let mut error = Error::new(number::UNIQUE_CONSTRAINT_VIOLATED, message);
        error.inner.conflict = Some(document);
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error number {})", self.message(), self.number())
    }
}

impl std::error::Error for Error {}

impl From<catalog::Error> for Error {
    fn from(error: catalog::Error) -> Self {
        Error::new(error.number, error.message)
    }
}

impl From<kv::Error> for Error {
    fn from(error: kv::Error) -> Self {
        let number = match &error {
            kv::Error::Conflict => number::CONFLICT,
            kv::Error::Exists => number::UNIQUE_CONSTRAINT_VIOLATED,
            kv::Error::Undetermined { .. } => number::TRANSACTION_INTERNAL,
            kv::Error::TooLarge { .. } => number::RESOURCE_LIMIT,
            kv::Error::Corrupt { .. } => number::CORRUPTED_COLLECTION,
            kv::Error::Full { .. } => number::FILESYSTEM_FULL,
            kv::Error::Closed => number::SHUTTING_DOWN,
            kv::Error::NewerFormat { .. } => number::INCOMPATIBLE_VERSION,
            kv::Error::Unsupported { .. } => number::NOT_IMPLEMENTED,
            _ => number::INTERNAL,
        };
        let message = match &error {
            kv::Error::Conflict => "write-write conflict".to_owned(),
            kv::Error::TooLarge { limit_bytes } => format!(
                "resource limit exceeded: aborting transaction because maximal transaction size limit of \
                 {limit_bytes} bytes is reached"
            ),
            other => other.to_string(),
        };
        let mut mapped = Error::new(number, message);
        mapped.inner.is_retryable = error.is_retryable();
        mapped
    }
}

impl From<velocypack::Error> for Error {
    fn from(error: velocypack::Error) -> Self {
        let number = match &error {
            velocypack::Error::ObjectExpected { .. } => number::DOCUMENT_TYPE_INVALID,
            velocypack::Error::TooLarge { .. } => number::DOCUMENT_TOO_LARGE,
            velocypack::Error::TooDeep { .. } | velocypack::Error::DuplicateName { .. } => {
                number::BAD_PARAMETER
            }
            _ => number::INTERNAL,
        };
        match &error {
            velocypack::Error::ObjectExpected { .. } => Error::new(number, "invalid document type"),
            other => Error::new(number, other.to_string()),
        }
    }
}
