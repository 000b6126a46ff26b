//! Errors of the layers below as the client gets them.

use hyper::header::{ETAG, HeaderValue};

use crate::error::ApiError;

/// 412 for a document that has another revision than the client expects; the status of the number for everything else.
const PRECONDITION_FAILED: u16 = 412;

impl From<database::Error> for ApiError {
    fn from(error: database::Error) -> Self {
        let mut converted = ApiError::new(error.number, error.message);
        if error.is_precondition_failed {
            converted = converted.status(PRECONDITION_FAILED);
            let revision = error.document.as_ref().and_then(|document| document.revision.as_ref());
            let etag = revision.and_then(|revision| HeaderValue::from_str(&format!("\"{revision}\"")).ok());
            if let Some(etag) = etag {
                converted = converted.header(ETAG, etag);
            }
        }
        if error.is_retryable {
            converted = converted.retryable();
        }
        if let Some(document) = error.document {
            converted = converted.attribute("_id", document.id).attribute("_key", document.key);
            if let Some(revision) = document.revision {
                converted = converted.attribute("_rev", revision);
            }
        }
        converted
    }
}

impl From<storage::Error> for ApiError {
    fn from(error: storage::Error) -> Self {
        database::Error::from(error).into()
    }
}

impl From<catalog::Error> for ApiError {
    fn from(error: catalog::Error) -> Self {
        ApiError::new(error.number, error.message)
    }
}

impl From<kv::Error> for ApiError {
    fn from(error: kv::Error) -> Self {
        storage::Error::from(error).into()
    }
}
