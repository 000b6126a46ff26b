//! Requests that a page of another origin makes a browser send in its user's name.
//!
//! A browser that remembers a login, or has a certificate, adds it to every request to the server,
//! whichever page causes the request. The page cannot read the reply, but the server would carry
//! out the request. A browser asks the server first (a preflight request) about all requests except
//! GET, HEAD and a POST of a form's kind, and the answer to that question allows the login to
//! trusted origins only. So this module refuses the POST that needs no preflight.
//!
//! Sources: WHATWG Fetch, "CORS-safelisted method" and "CORS-safelisted request-header"; W3C Fetch
//! Metadata Request Headers.

use errors::{Error, ErrorCode, Result};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Uri};

use super::cors::TrustedOrigins;

/// The browser's own statement of how the page's origin relates to the server's.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// `navigate` if the user opens the address itself.
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The types of bodies that a page may send without a preflight request.
const FORM_TYPES: [&str; 3] = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"];

/// Refuses a request that the page of a foreign origin may send with a login that the browser
/// remembers, or with the certificate that the browser has.
///
/// Errors: 403, which names the option that trusts an origin.
pub(crate) fn refuse(head: &Parts, by_certificate: bool, trusted: &TrustedOrigins) -> Result<()> {
    let headers = &head.headers;
    if head.method != Method::POST || !(by_certificate || has_login(headers)) || was_asked_first(headers) {
        return Ok(());
    }
    let origin = headers.get(ORIGIN);
    if !is_foreign(headers, &head.uri) || origin.is_some_and(|origin| trusted.contains(origin)) {
        return Ok(());
    }
    let origin = origin.map_or("another site".into(), |origin| String::from_utf8_lossy(origin.as_bytes()));
    let message = format!(
        "a page of {origin} may not send this request with a remembered login; \
         --http.trusted-origin allows that"
    );
    Err(Error::new(ErrorCode::HttpForbidden, message))
}

/// Returns true if a script of a page sent the request, not the user who opens an address.
pub(crate) fn is_from_script(headers: &HeaderMap) -> bool {
    let is = |name, value: &str| {
        headers.get(name).is_some_and(|is: &HeaderValue| is.as_bytes() == value.as_bytes())
    };
    match headers.contains_key(FETCH_SITE) {
        true => !is(FETCH_MODE, "navigate"),
        false => headers.contains_key(ORIGIN),
    }
}

/// Returns true if the request has a login that browsers remember: a name with a password.
fn has_login(headers: &HeaderMap) -> bool {
    let scheme = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().get(..6));
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic "))
}

/// Returns true if a browser has asked the server before it sent the request, because of a header
/// that forms do not send. Drivers send such headers.
fn was_asked_first(headers: &HeaderMap) -> bool {
    let is_form = |value: &HeaderValue| {
        let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        essence.is_empty() || FORM_TYPES.iter().any(|form| form.eq_ignore_ascii_case(essence))
    };
    headers.get(CONTENT_TYPE).is_some_and(|value| !is_form(value))
        || headers.keys().any(|name| name.as_str().starts_with("x-arango-"))
}

/// Returns true if the page that caused the request is not the server's own.
fn is_foreign(headers: &HeaderMap, uri: &Uri) -> bool {
    if let Some(site) = headers.get(FETCH_SITE) {
        return !matches!(site.as_bytes(), b"same-origin" | b"none");
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let host = headers.get(HOST).map(HeaderValue::as_bytes);
    let host = host.or_else(|| uri.authority().map(|authority| authority.as_str().as_bytes()));
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    !matches!((origin, host), (Some(origin), Some(host)) if origin.as_bytes().eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn is_refused(method: &str, headers: &[(&str, &str)]) -> bool {
        let request = Request::builder().method(method).uri("/_api/cursor").header("host", "db.example:8529");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        let trusted = TrustedOrigins::new(["https://app.example".to_owned()]);
        refuse(&head, false, &trusted).is_err()
    }

    const LOGIN: (&str, &str) = ("authorization", "Basic cm9vdDo=");
    const FOREIGN: (&str, &str) = ("origin", "https://evil.example");

    #[test]
    fn a_form_of_a_foreign_page_is_refused() {
        assert!(is_refused("POST", &[LOGIN, FOREIGN]));
        assert!(is_refused("POST", &[LOGIN, FOREIGN, ("content-type", "text/plain;charset=UTF-8")]));
        assert!(is_refused("POST", &[LOGIN, ("origin", "null")]));
        assert!(is_refused("POST", &[LOGIN, ("sec-fetch-site", "cross-site")]));
        assert!(is_refused("POST", &[LOGIN, ("sec-fetch-site", "same-site")]));
        assert!(is_refused("POST", &[LOGIN, ("origin", "http://db.example:8530")]));
    }

    #[test]
    fn a_certificate_is_a_remembered_login() {
        let (head, ()) = Request::post("/").header(FOREIGN.0, FOREIGN.1).body(()).unwrap().into_parts();
        let trusted = TrustedOrigins::new(std::iter::empty::<String>());
        assert!(refuse(&head, true, &trusted).is_err());
        assert!(refuse(&head, false, &trusted).is_ok());
    }

    #[test]
    fn own_pages_programs_and_trusted_origins_pass() {
        assert!(!is_refused("POST", &[LOGIN]));
        assert!(!is_refused("POST", &[LOGIN, ("origin", "http://DB.example:8529")]));
        assert!(!is_refused("POST", &[LOGIN, ("origin", "https://app.example")]));
        assert!(!is_refused("POST", &[LOGIN, FOREIGN, ("sec-fetch-site", "same-origin")]));
        assert!(!is_refused("POST", &[FOREIGN, ("authorization", "Bearer x")]));
        assert!(!is_refused("GET", &[LOGIN, FOREIGN]));
    }

    #[test]
    fn a_request_after_a_preflight_passes() {
        assert!(!is_refused("POST", &[LOGIN, FOREIGN, ("content-type", "application/json")]));
        assert!(!is_refused("POST", &[LOGIN, FOREIGN, ("x-arango-driver", "arangojs")]));
        assert!(!is_refused("DELETE", &[LOGIN, FOREIGN]));
    }
}
