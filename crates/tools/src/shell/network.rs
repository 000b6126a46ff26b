//! Requests of scripts to other hosts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use client::{Client, ClientOptions, Endpoint, Response};
use errors::{Error, ErrorCode};
use javascript::{Failure, HostError, HostResult, Network, OutsideRequest, Reply};

/// The certificates that the system trusts, on most distributions.
const SYSTEM_CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The network as the shell reaches it.
pub(super) struct OutsideNetwork {
    pub(super) interrupt: Arc<AtomicBool>,
}

impl Network for OutsideNetwork {
    fn request(&self, request: OutsideRequest<'_>) -> HostResult<Reply> {
        let (endpoint, path) = split(request.url)?;
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

/// Splits a URL into the endpoint, with its port, and the path.
fn split(url: &str) -> Result<(String, String), Error> {
    let wrong =
        || Error::bad_parameter(format!("{url:?} is not a URL with a host, such as http://HOST/PATH"));
    let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
    let port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return Err(wrong()),
    };
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(at);
    let path = path.split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // The last colon of an IPv6 address is within brackets.
    let has_port = host.rsplit(']').next().is_some_and(|behind| behind.contains(':'));
    let host = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    Ok((format!("{scheme}://{host}"), path))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_endpoint_and_path() {
        let cases = [
            ("http://localhost", "http://localhost:80", "/"),
            ("https://a.example/x?y=1#z", "https://a.example:443", "/x?y=1"),
            ("http://a:8529?q", "http://a:8529", "/?q"),
            ("http://[::1]/", "http://[::1]:80", "/"),
            ("http://[::1]:81/", "http://[::1]:81", "/"),
        ];
        for (url, endpoint, path) in cases {
            assert_eq!(split(url).unwrap(), (endpoint.to_owned(), path.to_owned()), "{url}");
        }
        assert!(split("ftp://a/").is_err() && split("a/b").is_err());
    }
}
