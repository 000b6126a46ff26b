//! Errors of the layers below as the client gets them.

use errors::{ConflictingDocument, Error};
use hyper::StatusCode;
use hyper::header::{ETAG, HeaderValue};

use crate::error::ApiError;

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let mut converted = ApiError::with_status(error.status(), error.number(), error.message().to_owned());
        if error.is_retryable() {
            converted = converted.retryable();
        }
        if let Some(document) = error.document() {
            if error.status() == StatusCode::PRECONDITION_FAILED.as_u16()
                && let Some(etag) = etag(document)
            {
                converted = converted.header(ETAG, etag);
            }
            converted = converted.attribute("_id", document.id()).attribute("_key", document.key.clone());
            if let Some(revision) = &document.revision {
                converted = converted.attribute("_rev", revision.clone());
            }
        }
        converted
    }
}

fn etag(document: &ConflictingDocument) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("\"{}\"", document.revision.as_ref()?)).ok()
}
