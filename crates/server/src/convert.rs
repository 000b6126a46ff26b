//! Errors of the layers below as the client gets them.

use crate::error::ApiError;

/// 412 for a document that has another revision than the client expects; the status of the number for everything else.
const PRECONDITION_FAILED: u16 = 412;

impl From<storage::Error> for ApiError {
    fn from(error: storage::Error) -> Self {
        let mut converted = ApiError::new(error.number(), error.message().to_owned());
        if error.is_precondition_failed() {
            converted = converted.status(PRECONDITION_FAILED);
        }
        if let Some(document) = error.conflict() {
            converted = converted
                .attribute("_id", format!("{}/{}", document.collection, document.key))
                .attribute("_key", document.key.clone());
            if let Some(revision) = &document.revision {
                converted = converted.attribute("_rev", revision.clone());
            }
        }
        converted
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
