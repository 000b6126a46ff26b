//! Requests of services to other hosts, as far as the operator allows them.

use std::sync::Arc;
use std::time::Duration;

use client::{Fetch, Url, fetch};
use errors::{Error, ErrorCode, Result};
use javascript::{HostResult, Network, OutsideRequest, Reply};
use regex::RegexSet;

/// The time for a reply, unless the service sets one.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The longest time for a reply.
const TIMEOUT_MAX: Duration = Duration::from_secs(300);

/// Maximum size in bytes of a reply.
const REPLY_MAX_BYTES: usize = 16 << 20;

/// The other hosts that services may send requests to.
#[derive(Clone, Debug)]
pub struct ServiceNetwork {
    allowed: Arc<RegexSet>,
    denied: Arc<RegexSet>,
}

impl ServiceNetwork {
    /// Returns the hosts whose endpoint matches one of the expressions in `allowed` and none in
    /// `denied`. An endpoint is a text such as `https://example.com:443`.
    ///
    /// Errors: the expression that is not well-formed.
    pub fn new(allowed: &[String], denied: &[String]) -> std::result::Result<Self, String> {
        let set = |expressions: &[String]| RegexSet::new(expressions).map(Arc::new);
        let made = set(allowed).and_then(|allowed| Ok(ServiceNetwork { allowed, denied: set(denied)? }));
        made.map_err(|error| error.to_string())
    }

    fn check(&self, url: &Url) -> Result<()> {
        // An expression for a host may end with it, without a port.
        let forms = [url.endpoint.as_str(), without_port(&url.endpoint)];
        let matches = |set: &RegexSet| forms.iter().any(|form| set.is_match(form));
        if matches(&self.allowed) && !matches(&self.denied) {
            return Ok(());
        }
        let message = format!(
            "services may not send requests to {}; the operator allows hosts with \
             --javascript.endpoints-allowlist",
            url.endpoint
        );
        Err(Error::new(ErrorCode::Forbidden, message))
    }
}

fn without_port(endpoint: &str) -> &str {
    endpoint.rsplit_once(':').map_or(endpoint, |(host, _)| host)
}

impl Network for ServiceNetwork {
    fn request(&self, request: OutsideRequest<'_>) -> HostResult<Reply> {
        let url = Url::parse(request.url).map_err(|error| Error::bad_parameter(error.to_string()))?;
        self.check(&url)?;
        let response = fetch(Fetch {
            method: request.method,
            url: &url,
            headers: request.headers,
            body: request.body,
            timeout: Some(request.timeout.unwrap_or(TIMEOUT).min(TIMEOUT_MAX)),
            max_response_bytes: Some(REPLY_MAX_BYTES),
            verifies: request.verifies,
            interrupt: None,
        })
        .map_err(|error| Error::new(ErrorCode::ClientUnknownError, error.to_string()))?;
        let headers = response.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(Reply { status: response.status(), headers, body: response.into_body().to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_hosts_are_allowed() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let network = ServiceNetwork::new(
            &texts(&["^https://api\\.example\\.com$", "^http://10\\.", "example\\.org"]),
            &texts(&[":81$"]),
        )
        .unwrap();
        let is_allowed = |url: &str| network.check(&Url::parse(url).unwrap()).is_ok();
        assert!(is_allowed("https://api.example.com/x") && is_allowed("http://10.0.0.1:8080/"));
        assert!(!is_allowed("http://api.example.com/") && !is_allowed("https://api.example.com.evil/"));
        assert!(is_allowed("http://example.org") && !is_allowed("http://example.org:81/"));
        assert!(ServiceNetwork::new(&texts(&["("]), &[]).is_err());
    }
}
