//! Query parameters that several families share.

use errors::{Error, ErrorCode, Result};

use crate::http::request::Request;

/// Returns the query parameter `collection`. Errors: 1204 with status 400 if it is missing or
/// empty.
pub(super) fn collection(request: &Request) -> Result<String> {
    match request.text("collection")? {
        Some(name) if !name.is_empty() => Ok(name.into_owned()),
        _ => {
            let message = "parameter 'collection' not found: expecting ?collection=<name>";
            Err(Error::new(ErrorCode::CollectionParameterMissing, message))
        }
    }
}
