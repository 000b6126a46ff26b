//! Requests of scripts to other hosts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use client::{Fetch, Response, Url, fetch};
use errors::{Error, ErrorCode};
use javascript::{Failure, HostError, HostResult, Network, OutsideRequest, Reply};

/// The network as the shell reaches it.
pub(super) struct OutsideNetwork {
    pub(super) interrupt: Arc<AtomicBool>,
}

impl Network for OutsideNetwork {
    fn request(&self, request: OutsideRequest<'_>) -> HostResult<Reply> {
        let url = Url::parse(request.url).map_err(|error| Error::bad_parameter(error.to_string()))?;
        let fetched = fetch(Fetch {
            method: request.method,
            url: &url,
            headers: request.headers,
            body: request.body,
            timeout: request.timeout,
            max_response_bytes: None,
            verifies: request.verifies,
            interrupt: Some(Arc::clone(&self.interrupt)),
        });
        let response = fetched.map_err(|error| match self.interrupt.load(Ordering::Relaxed) {
            true => HostError::Fatal(Failure::Interrupted),
            false => failed(&error).into(),
        })?;
        Ok(Reply {
            status: response.status(),
            headers: headers(&response),
            body: response.into_body().to_vec(),
        })
    }
}

/// Returns the headers of a reply.
pub(super) fn headers(response: &Response) -> Vec<(String, String)> {
    response.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Returns the error of a request without a reply, as scripts see it.
pub(super) fn failed(error: &client::Error) -> Error {
    let code = match error {
        client::Error::Connect { .. } | client::Error::Endpoint { .. } => ErrorCode::ClientCouldNotConnect,
        client::Error::Request { .. } => ErrorCode::ClientCouldNotWrite,
        client::Error::Broken { .. } | client::Error::TimedOut { .. } | client::Error::Reply { .. } => {
            ErrorCode::ClientCouldNotRead
        }
        _ => ErrorCode::ClientUnknownError,
    };
    Error::new(code, error.to_string())
}
