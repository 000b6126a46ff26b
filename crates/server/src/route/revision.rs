//! Revisions and syncing in requests on documents, for several families.

use errors::{ConflictingDocument, Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::HeaderValue;
use storage::{Collection, Durability};

use crate::http::request::Request;

/// ArangoDB's message for a document whose revision is not the expected one.
pub(super) const REVISIONS_DIFFER: &str = "conflict, _rev values do not match";

/// Checks that the stored revision is the wanted one, if a revision is wanted.
///
/// Errors: 1200 with status 412.
pub(super) fn check_revision(wanted: Option<&str>, collection: &str, key: &str, stored: &str) -> Result<()> {
    if wanted.is_none_or(|wanted| wanted == stored) {
        return Ok(());
    }
    let document = ConflictingDocument {
        collection: collection.to_owned(),
        key: key.to_owned(),
        revision: Some(stored.to_owned()),
    };
    let error = Error::new(ErrorCode::Conflict, REVISIONS_DIFFER).with_document(document);
    Err(error.with_status(StatusCode::PRECONDITION_FAILED.as_u16()))
}

/// Returns a revision in the form of the header `ETag`.
pub(super) fn etag(revision: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(&format!("\"{revision}\"")).map_err(Error::internal)
}

/// Returns the durability that the parameter `waitForSync` asks for.
pub(super) fn durability(request: &Request) -> Result<Durability> {
    let wait = request.flag("waitForSync", false)?;
    Ok(if wait { Durability::Synced } else { Durability::Buffered })
}

/// Returns true if the collection's property or the request's parameter makes a write wait for the
/// disk.
pub(super) fn waits_for_sync_in(collection: &Collection, request: &Request) -> Result<bool> {
    Ok(collection.definition().properties.wait_for_sync || request.flag("waitForSync", false)?)
}
