//! The errors that only storage reports, in ArangoDB's words.

use errors::{ConflictingDocument, Error, ErrorCode};

pub(crate) fn database_not_found() -> Error {
    Error::of(ErrorCode::DatabaseNotFound)
}

pub(crate) fn document_not_found() -> Error {
    Error::of(ErrorCode::DocumentNotFound)
}

/// Converts the error of a client's document or patch that cannot be stored.
pub(crate) fn unfit_document(error: velocypack::Error) -> Error {
    match error {
        velocypack::Error::ObjectExpected { .. } => Error::of(ErrorCode::DocumentTypeInvalid),
        velocypack::Error::TooLarge { .. } => Error::new(ErrorCode::DocumentTooLarge, error.to_string()),
        velocypack::Error::TooDeep { .. } | velocypack::Error::DuplicateName { .. } => {
            Error::bad_parameter(error.to_string())
        }
        other => other.into(),
    }
}

pub(crate) fn lock_timeout(collection: &str) -> Error {
    let message = format!("lock timeout: collection '{collection}' is in use, try again later");
    Error::new(ErrorCode::LockTimeout, message).retryable()
}

/// Returns the retryable error for a collection whose edge index a restore has yet to build.
pub fn lacks_edge_index(collection: &str) -> Error {
    let message =
        format!("the edge index of collection '{collection}', which is being restored, was not built yet");
    Error::new(ErrorCode::Conflict, message).retryable()
}

/// Returns the error for a `document` that another transaction writes, or has written since this
/// one began.
pub(crate) fn write_conflict(document: ConflictingDocument) -> Error {
    let message = format!("write-write conflict; key: {}", document.key);
    Error::new(ErrorCode::Conflict, message).with_document(document).retryable()
}

/// Returns the error for a user whom the rules of a collection keep from something.
pub(crate) fn restricted(collection: &str) -> Error {
    let message = format!("forbidden: the rules of collection '{collection}' restrict the user");
    Error::new(ErrorCode::Forbidden, message)
}

/// Returns the error for a document that the writer may not store or change.
pub(crate) fn not_writable(collection: &str) -> Error {
    let message =
        format!("forbidden: the rules of collection '{collection}' do not let the user write this document");
    Error::new(ErrorCode::Forbidden, message)
}

/// Returns the error for a value that a unique index has already, in a document that the writer may
/// not see. It says no more than the number.
pub(crate) fn concealed_violation() -> Error {
    Error::new(ErrorCode::UniqueConstraintViolated, "unique constraint violated")
}

/// Returns the error for a collection that was changed (truncated) since the transaction began.
pub(crate) fn stale_collection(collection: &str) -> Error {
    let message =
        format!("write-write conflict: collection '{collection}' was changed since the transaction began");
    Error::new(ErrorCode::Conflict, message).retryable()
}

/// The HTTP status of a conflict between a stored revision and the one that the client named.
const PRECONDITION_FAILED: u16 = 412;

/// Returns the error for a stored document that has another revision than the client named.
pub(crate) fn revision_mismatch(document: ConflictingDocument) -> Error {
    let message = "conflict, _rev values do not match";
    Error::new(ErrorCode::Conflict, message).with_document(document).with_status(PRECONDITION_FAILED)
}

/// Returns the error for a second document with the same unique values. Clients see `index` and
/// `fields` as given.
pub(crate) fn unique_violation(
    index: &str,
    index_type: &str,
    fields: &str,
    document: ConflictingDocument,
) -> Error {
    let message = format!(
        "unique constraint violated - in index {index} of type {index_type} over '{fields}'; conflicting key: {}",
        document.key
    );
    Error::new(ErrorCode::UniqueConstraintViolated, message).with_document(document)
}
