//! Revisions and syncing in requests on documents, as several families have them.

use errors::{ConflictingDocument, Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::HeaderValue;
use storage::{Collection, Durability};

use crate::http::request::Request;

/// ArangoDB's message for a document that has another revision than the client expects.
pub(super) const REVISIONS_DIFFER: &str = "conflict, _rev values do not match";

/// Error 1200 with status 412 unless the stored revision is the wanted one, where the client wants one.
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

/// A revision in the form of the header `ETag`.
pub(super) fn etag(revision: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(&format!("\"{revision}\"")).map_err(Error::internal)
}

/// What the parameter `waitForSync` asks a commit to wait for.
pub(super) fn durability(request: &Request) -> Result<Durability> {
    let wait = request.flag("waitForSync", false)?;
    Ok(if wait { Durability::Synced } else { Durability::Buffered })
}

/// Whether a write waits for the disk, by the collection's property or the request's parameter.
pub(super) fn waits_for_sync_in(collection: &Collection, request: &Request) -> Result<bool> {
    Ok(collection.definition().properties.wait_for_sync || request.flag("waitForSync", false)?)
}
