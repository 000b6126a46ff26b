//! URLs of requests to other hosts.

/// The certificates that the system trusts, on most distributions.
pub(crate) const SYSTEM_CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Splits a URL into the endpoint, with its port, and the path. `None` if it is not a URL of HTTP
/// with a host.
pub(crate) fn split(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(at);
    if host.is_empty() {
        return None;
    }
    let path = path.split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // The last colon of an IPv6 address is within brackets.
    let has_port = host.rsplit(']').next().is_some_and(|behind| behind.contains(':'));
    let host = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    Some((format!("{scheme}://{host}"), path))
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
            assert_eq!(split(url), Some((endpoint.to_owned(), path.to_owned())), "{url}");
        }
        for wrong in ["ftp://a/", "a/b", "http:///a"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }
}
