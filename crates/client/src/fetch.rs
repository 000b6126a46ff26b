//! One request to any server that a URL names.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;

/// The certificates that the system trusts, on most distributions.
const SYSTEM_CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Maximum number of redirects of a download.
const REDIRECTS_MAX: usize = 5;

/// A URL in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Scheme, host and port, such as `https://example.com:443`.
    pub endpoint: String,
    /// Path and query string.
    pub path: String,
}

impl Url {
    /// Parses a URL with the scheme `http` or `https`.
    ///
    /// Errors: [`Error::Endpoint`].
    pub fn parse(url: &str) -> Result<Self> {
        let wrong = || Error::Endpoint {
            endpoint: url.to_owned(),
            reason: "it must be a URL with a host, such as http://HOST/PATH".to_owned(),
        };
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
        Ok(Url { endpoint: format!("{scheme}://{host}"), path })
    }
}

impl Url {
    /// Returns the URL that a reply redirects to; `None` if it leaves HTTPS or is no URL.
    fn redirected(&self, location: &str) -> Option<String> {
        let is_secure = self.endpoint.starts_with("https://");
        if location.starts_with("http://") || location.starts_with("https://") {
            return (!is_secure || location.starts_with("https://")).then(|| location.to_owned());
        }
        if location.starts_with("//") {
            return Some(format!("{}:{location}", if is_secure { "https" } else { "http" }));
        }
        location.starts_with('/').then(|| format!("{}{location}", self.endpoint))
    }
}

/// A request to the server of a URL.
#[derive(Clone, Debug)]
pub struct Fetch<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The URL.
    pub url: &'a Url,
    /// Names and values of headers.
    pub headers: &'a [(String, String)],
    /// The body.
    pub body: &'a [u8],
    /// The maximum time until the reply.
    pub timeout: Option<Duration>,
    /// The maximum size of the reply in bytes.
    pub max_response_bytes: Option<usize>,
    /// True if the server's certificate must be valid.
    pub verifies: bool,
    /// The flag that ends the request.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Sends a request and reads the reply. Redirects are not followed.
///
/// Errors: those of a [`Client`].
pub fn fetch(request: Fetch<'_>) -> Result<Response> {
    let mut options = ClientOptions::new(Endpoint::parse(&request.url.endpoint)?);
    options.interrupt = request.interrupt;
    if let Some(timeout) = request.timeout {
        options.request_timeout = timeout;
        options.connection_timeout = options.connection_timeout.min(timeout);
    }
    if let Some(most) = request.max_response_bytes {
        options.max_response_bytes = most;
    }
    options.tls.authorities = request.verifies.then(|| PathBuf::from(SYSTEM_CERTIFICATES));
    let mut message = Request::with_method(request.method, &request.url.path)?.without_database();
    for (name, value) in request.headers {
        message = message.any_header(name, value);
    }
    Client::new(options)?.send(&message.bytes(request.body.to_vec()))
}

/// Downloads a file, and follows redirects except from HTTPS to HTTP. Certificates must be valid.
///
/// `timeout` is for each reply. Errors: the reason, as text that names the address.
pub fn download(
    url: &str,
    timeout: Option<Duration>,
    max_bytes: usize,
) -> std::result::Result<Vec<u8>, String> {
    let mut current = url.to_owned();
    for _ in 0..=REDIRECTS_MAX {
        let target = Url::parse(&current).map_err(|error| error.to_string())?;
        let request = Fetch {
            method: "GET",
            url: &target,
            headers: &[],
            body: &[],
            timeout,
            max_response_bytes: Some(max_bytes),
            verifies: true,
            interrupt: None,
        };
        let reply = fetch(request).map_err(|error| format!("cannot download {current}: {error}"))?;
        match reply.status() {
            200 => return Ok(reply.into_body().to_vec()),
            301 | 302 | 303 | 307 | 308 => {
                let location = reply.header("location").unwrap_or_default();
                current = target
                    .redirected(location)
                    .ok_or_else(|| format!("{current} redirects to {location:?}, which is refused"))?;
            }
            status => return Err(format!("{current} answers with {status}, not with a file")),
        }
    }
    Err(format!("{url} redirects more than {REDIRECTS_MAX} times"))
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
            let parsed = Url::parse(url).unwrap();
            assert_eq!((parsed.endpoint.as_str(), parsed.path.as_str()), (endpoint, path), "{url}");
        }
        assert!(Url::parse("ftp://a/").is_err() && Url::parse("a/b").is_err());
    }

    #[test]
    fn a_download_stays_with_https() {
        let secure = Url::parse("https://a.example/x").unwrap();
        let to = |location: &str| secure.redirected(location);
        assert_eq!(to("/y").unwrap(), "https://a.example:443/y");
        assert_eq!(to("//b.example/y").unwrap(), "https://b.example/y");
        assert_eq!(to("https://b.example/").unwrap(), "https://b.example/");
        assert!(to("http://a.example/").is_none() && to("y").is_none() && to("").is_none());
    }
}
