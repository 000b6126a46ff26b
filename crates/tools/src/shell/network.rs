//! Requests of scripts to other hosts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use client::{Client, ClientOptions, Endpoint, Response};
use errors::{Error, ErrorCode};
use javascript::{Failure, HostError, HostResult, Network, OutsideRequest, Reply};

use crate::url::{SYSTEM_CERTIFICATES, split};

/// The network as the shell reaches it.
pub(super) struct OutsideNetwork {
    pub(super) interrupt: Arc<AtomicBool>,
}

impl Network for OutsideNetwork {
    fn request(&self, request: OutsideRequest<'_>) -> HostResult<Reply> {
        let (endpoint, path) = split(request.url).ok_or_else(|| {
            let url = request.url;
            Error::bad_parameter(format!("{url:?} is not a URL with a host, such as http://HOST/PATH"))
        })?;
        let mut options = ClientOptions::new(Endpoint::parse(&endpoint).map_err(|error| failed(&error))?);
        options.interrupt = Some(Arc::clone(&self.interrupt));
        if let Some(timeout) = request.timeout {
            options.request_timeout = timeout;
            options.connection_timeout = options.connection_timeout.min(timeout);
        }
        options.tls.authorities = request.verifies.then(|| PathBuf::from(SYSTEM_CERTIFICATES));
        let response =
            send(options, &path, &request).map_err(|error| match self.interrupt.load(Ordering::Relaxed) {
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

fn send(options: ClientOptions, path: &str, request: &OutsideRequest<'_>) -> client::Result<Response> {
    let mut message = client::Request::with_method(request.method, path)?.without_database();
    for (name, value) in request.headers {
        message = message.any_header(name, value);
    }
    Client::new(options)?.send(&message.bytes(request.body.to_vec()))
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
