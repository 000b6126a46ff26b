//! Cross-origin requests: replies to browsers that ask whether a page of another origin may call
//! this server.
//!
//! Source: ArangoDB 3.12 documentation, "HTTP request handling", section "Cross-Origin Resource
//! Sharing".

use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, HeaderMap, HeaderValue, ORIGIN,
};

const METHODS: HeaderValue = HeaderValue::from_static("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT");

/// The headers of replies that a page of another origin may read.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "etag, content-encoding, content-length, location, server, x-arango-errors, x-arango-async-id, \
     x-arango-error-codes, x-arango-queue-time-seconds",
);

/// Seconds for which a browser may remember the answer.
const MAX_AGE: HeaderValue = HeaderValue::from_static("1800");

/// The origins whose pages may send credentials.
#[derive(Clone, Debug, Default)]
pub struct TrustedOrigins {
    origins: Vec<String>,
}

impl TrustedOrigins {
    /// Returns the origins in `--http.trusted-origin`; `*` trusts every page.
    pub fn new(origins: impl IntoIterator<Item = String>) -> Self {
        let without_slash = |origin: String| origin.trim_end_matches('/').to_owned();
        TrustedOrigins { origins: origins.into_iter().map(without_slash).collect() }
    }

    /// Returns true if the pages of an origin may send credentials.
    pub(crate) fn contains(&self, origin: &HeaderValue) -> bool {
        let origin = origin.as_bytes();
        let origin = origin.strip_suffix(b"/").unwrap_or(origin);
        self.origins.iter().any(|trusted| trusted == "*" || trusted.as_bytes() == origin)
    }
}

/// Adds the headers that a browser expects, if the request comes from a browser.
pub(crate) fn add_headers(request: &HeaderMap, trusted: &TrustedOrigins, reply: &mut HeaderMap) {
    let Some(origin) = request.get(ORIGIN) else { return };
    let credentials = if trusted.contains(origin) { "true" } else { "false" };
    reply.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    reply.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static(credentials));
    reply.entry(ACCESS_CONTROL_EXPOSE_HEADERS).or_insert(EXPOSED);
}

/// Adds the headers of the reply to OPTIONS.
pub(crate) fn preflight(request: &HeaderMap, trusted: &TrustedOrigins, reply: &mut HeaderMap) {
    reply.insert(ALLOW, METHODS);
    if !request.contains_key(ORIGIN) {
        return;
    }
    add_headers(request, trusted, reply);
    if let Some(wanted) = request.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        reply.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    reply.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    reply.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
}
