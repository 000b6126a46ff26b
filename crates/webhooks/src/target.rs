//! The URL of a receiver.

use std::net::Ipv6Addr;

/// Maximum length of a URL in bytes.
const URL_MAX_BYTES: usize = 2_048;
/// Maximum length of a host's name.
const HOST_MAX_BYTES: usize = 253;

/// A parsed URL: `http` or `https`, host, port, path with query string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    is_encrypted: bool,
    /// A name in lower case without a dot at its end, or an address without brackets.
    host: String,
    port: u16,
    path: String,
}

impl Target {
    /// Reads a URL.
    ///
    /// Errors: the reason why it is none, or none that a webhook may have: it has user or password,
    /// a fragment, or other characters than visible ASCII.
    pub fn parse(url: &str) -> Result<Target, String> {
        let wrong = |why: &str| format!("'{}' is no URL of a webhook: {why}", excerpt(url));
        if url.len() > URL_MAX_BYTES {
            return Err(wrong(&format!("it has more than {URL_MAX_BYTES} bytes")));
        }
        if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("it must have visible ASCII characters only"));
        }
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("it must begin with https://"))?;
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(wrong("it must begin with https:// or http://")),
        };
        if url.contains(['#', '\\', '"', '<', '>']) {
            return Err(wrong("fragments, quotes, brackets and backslashes are not accepted"));
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(wrong("user and password are not accepted; use `headers`"));
        }
        let default = if is_encrypted { 443 } else { 80 };
        let (host, port) = host_and_port(authority, default).map_err(wrong)?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Target { is_encrypted, host, port, path: format!("{slash}{path}") })
    }

    /// Returns true for `https`.
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Returns the host: a name, or an address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the path with the query string.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value of the header `host`.
    pub(crate) fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.is_encrypted, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// Returns scheme, host and port, for messages.
    pub fn origin(&self) -> String {
        format!("{}://{}", if self.is_encrypted { "https" } else { "http" }, self.authority())
    }
}

fn host_and_port(authority: &str, default: u16) -> Result<(String, u16), &'static str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("the bracket [ is not closed")?;
            let address: Ipv6Addr = host.parse().map_err(|_| "the brackets have no IPv6 address")?;
            (address.to_string(), rest.strip_prefix(':').or((!rest.is_empty()).then_some("wrong")))
        }
        None => {
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
            if !is_host_name(&host) {
                return Err("it has no valid host");
            }
            (host, port)
        }
    };
    let port = match port {
        None => default,
        Some(port) => {
            let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
            let number = port.parse().ok().filter(|number| is_number && *number > 0);
            number.ok_or("the port must be a number from 1 to 65535")?
        }
    };
    Ok((host, port))
}

/// Returns true for a name of the form that DNS and files of hosts have, and for IPv4 addresses.
pub(crate) fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=63).contains(&label.len()) && label.bytes().all(is_inner)
    };
    name.len() <= HOST_MAX_BYTES && name.split('.').all(is_label)
}

fn excerpt(url: &str) -> String {
    const SHOWN_CHARS: usize = 100;
    url.chars().take(SHOWN_CHARS).flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_host_port_and_path() {
        for (url, host, port, path, authority) in [
            ("https://Example.com", "example.com", 443, "/", "example.com"),
            ("http://example.com./a/b?c=d", "example.com", 80, "/a/b?c=d", "example.com"),
            ("HTTPS://a:8443?x", "a", 8443, "/?x", "a:8443"),
            ("http://127.0.0.1:9/", "127.0.0.1", 9, "/", "127.0.0.1:9"),
            ("https://[::1]:9/", "::1", 9, "/", "[::1]:9"),
            ("https://[FE80::1]", "fe80::1", 443, "/", "[fe80::1]"),
        ] {
            let target = Target::parse(url).unwrap();
            assert_eq!((target.host(), target.port(), target.path()), (host, port, path), "{url}");
            assert_eq!(target.authority(), authority);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let long = format!("https://a/{}", "x".repeat(URL_MAX_BYTES));
        for wrong in [
            "",
            "a",
            "ftp://a/",
            "https://",
            "https:///x",
            "https://a b/",
            "https://u:p@a/",
            "https://a#f",
            "https://a:0/",
            "https://a:x/",
            "https://a:65536/",
            "https://a:+1/",
            "https://[::1",
            "https://[a]/",
            "https://[::1]x/",
            "https://a..b/",
            "https://é.com/",
            "https://a/\r\nx: y",
            "https://a\\b",
            &long,
        ] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
    }
}
