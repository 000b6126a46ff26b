//! Addresses of issuers, and the query strings that are sent to them.

use std::net::IpAddr;

use client::Url;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::reader::Result;

/// The characters that are not reserved in URIs (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns pairs as `application/x-www-form-urlencoded`.
pub(crate) fn form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Returns a text with the reserved characters as `%XX`.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Returns the host of a URL, in lower case and without port, or an error.
pub(crate) fn host(url: &str) -> Result<String> {
    let parsed = Url::parse(url).map_err(|error| error.to_string())?;
    let authority = parsed.endpoint.split_once("://").map_or("", |(_, authority)| authority);
    let host = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next(),
        None => authority.split(':').next(),
    };
    let is_plain = |host: &&str| !host.is_empty() && !host.contains(['@', ' ', '\\']);
    host.filter(is_plain).map(str::to_ascii_lowercase).ok_or_else(|| format!("{url} names no host"))
}

/// Checks that a URL is encrypted, or leads to this machine.
pub(crate) fn require_secure(url: &str, allows_insecure: bool) -> Result<()> {
    let host = host(url)?;
    let is_local = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    if url.starts_with("https://") || is_local || allows_insecure {
        return Ok(());
    }
    Err(format!("{url} must begin with https://, unless `allowInsecure` is true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_neither_port_nor_user() {
        assert_eq!(host("https://Login.Example:8443/realms/a").unwrap(), "login.example");
        assert_eq!(host("http://[::1]:80/").unwrap(), "::1");
        assert!(host("https://user@evil.example/").is_err() && host("ldap://a").is_err());
    }

    #[test]
    fn only_this_machine_is_reached_without_encryption() {
        for good in ["https://a.example", "http://127.0.0.1:1/x", "http://localhost", "http://[::1]:2"] {
            assert_eq!(require_secure(good, false), Ok(()), "{good}");
        }
        for bad in ["http://a.example", "http://localhost.a.example", "http://127.0.0.1.a.example"] {
            assert!(require_secure(bad, false).is_err(), "{bad}");
            assert_eq!(require_secure(bad, true), Ok(()), "{bad}");
        }
    }

    #[test]
    fn values_of_a_form_are_escaped() {
        assert_eq!(form(&[("a", "x y&b=ä"), ("c", "~.-_")]), "a=x%20y%26b%3D%C3%A4&c=~.-_");
    }
}
