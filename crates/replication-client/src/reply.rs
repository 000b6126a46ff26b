//! Replies that are not as the protocol has them.

use client::{Client, Error};

/// Returns the error of a reply that lacks something.
pub(crate) fn unexpected(client: &Client, request: &str, reason: impl Into<String>) -> Error {
    Error::Reply {
        endpoint: client.options().endpoint.to_string(),
        request: request.to_owned(),
        reason: reason.into(),
    }
}
