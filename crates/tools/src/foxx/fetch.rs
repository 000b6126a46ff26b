//! Downloads of sources from other hosts.

use std::path::PathBuf;

use client::{Client, ClientOptions, Endpoint, Request};

use super::archive::PACKED_BYTES_MAX;
use crate::Failure;
use crate::url::{SYSTEM_CERTIFICATES, split};

/// Maximum number of redirections.
const REDIRECTS_MAX: usize = 5;

/// Returns true if a source is a URL.
pub(super) fn is_url(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

/// Downloads a URL, and follows redirections except from HTTPS to HTTP.
///
/// Certificates of servers are verified by those that the system trusts.
pub(super) fn fetch(url: &str) -> Result<Vec<u8>, Failure> {
    let mut current = url.to_owned();
    for _ in 0..=REDIRECTS_MAX {
        let (endpoint, path) = split(&current).ok_or_else(|| {
            Failure::new(format!("{current:?} is not a URL with a host, such as http://HOST/PATH"))
        })?;
        let mut options = ClientOptions::new(Endpoint::parse(&endpoint)?);
        options.max_response_bytes = usize::try_from(PACKED_BYTES_MAX).unwrap_or(usize::MAX);
        options.tls.authorities = Some(PathBuf::from(SYSTEM_CERTIFICATES));
        let reply = Client::new(options)?.send(&Request::get(&path).without_database())?;
        match reply.status() {
            200 => return Ok(reply.into_body().to_vec()),
            301 | 302 | 303 | 307 | 308 => {
                let location = reply.header("location").unwrap_or_default();
                current = resolve(&endpoint, location).ok_or_else(|| {
                    Failure::new(format!("{current} redirects to {location:?}, which is refused"))
                })?;
            }
            status => return Err(Failure::new(format!("{current} answers with {status}, not with a file"))),
        }
    }
    Err(Failure::new(format!("{url} redirects more than {REDIRECTS_MAX} times")))
}

/// Returns the URL that an endpoint redirects to; `None` if it leaves HTTPS or is no URL.
fn resolve(endpoint: &str, location: &str) -> Option<String> {
    let is_secure = endpoint.starts_with("https://");
    if is_url(location) {
        return (!is_secure || location.starts_with("https://")).then(|| location.to_owned());
    }
    if location.starts_with("//") {
        return Some(format!("{}:{location}", if is_secure { "https" } else { "http" }));
    }
    location.starts_with('/').then(|| format!("{endpoint}{location}"))
}
