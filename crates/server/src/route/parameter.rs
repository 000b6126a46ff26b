//! Parameters that several families share.

use hyper::StatusCode;

use crate::error::{ApiError, Result};
use crate::http::request::Request;

/// ArangoDB's number for a request that names no collection.
const COLLECTION_PARAMETER_MISSING: u32 = 1204;

/// The query parameter `collection`. Errors: 1204 with status 400 when it is missing or empty.
pub(super) fn collection(request: &Request) -> Result<String> {
    match request.text("collection")? {
        Some(name) if !name.is_empty() => Ok(name.into_owned()),
        _ => {
            let message = "parameter 'collection' not found: expecting ?collection=<name>";
            Err(ApiError::with_status(
                StatusCode::BAD_REQUEST.as_u16(),
                COLLECTION_PARAMETER_MISSING,
                message,
            ))
        }
    }
}
