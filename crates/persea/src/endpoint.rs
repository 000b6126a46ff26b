//! Addresses to listen on, in ArangoDB's notation.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use server::http::address::Address;

/// The port of an endpoint that names none.
const DEFAULT_PORT: u16 = 8_529;

/// Parses an endpoint: `tcp://HOST[:PORT]`, `ssl://HOST[:PORT]` or `unix://PATH`. `http` and
/// `http+tcp` mean `tcp`, `https` and `http+ssl` mean `ssl`, `http+unix` means `unix`.
pub(crate) fn parse(endpoint: &str) -> Result<Address, String> {
    let wrong = |reason: &str| format!("--server.endpoint {endpoint}: {reason}");
    let (scheme, rest) = endpoint
        .split_once("://")
        .ok_or_else(|| wrong("it must be tcp://HOST:PORT, ssl://HOST:PORT or unix://PATH"))?;
    match scheme {
        "tcp" | "http" | "http+tcp" => host_and_port(rest).map(Address::Tcp).map_err(|reason| wrong(&reason)),
        "ssl" | "https" | "http+ssl" => {
            host_and_port(rest).map(Address::Tls).map_err(|reason| wrong(&reason))
        }
        "unix" | "http+unix" if !rest.is_empty() => Ok(Address::Unix(PathBuf::from(rest))),
        _ => Err(wrong("it must be tcp://HOST:PORT, ssl://HOST:PORT or unix://PATH")),
    }
}

fn host_and_port(rest: &str) -> Result<SocketAddr, String> {
    let rest = rest.trim_end_matches('/');
    let port = rest.rsplit_once(':').filter(|_| !rest.ends_with(']'));
    let address = match port {
        Some(_) => rest.to_owned(),
        None => format!("{rest}:{DEFAULT_PORT}"),
    };
    let found = address.to_socket_addrs().map_err(|error| error.to_string())?;
    found.into_iter().next().ok_or_else(|| "the host has no address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_have_many_forms() {
        for (endpoint, address) in [
            ("tcp://127.0.0.1:1234", "http://127.0.0.1:1234"),
            ("http+tcp://127.0.0.1", "http://127.0.0.1:8529"),
            ("http://0.0.0.0:80/", "http://0.0.0.0:80"),
            ("tcp://[::1]:99", "http://[::1]:99"),
            ("tcp://[::1]", "http://[::1]:8529"),
            ("ssl://127.0.0.1", "https://127.0.0.1:8529"),
            ("http+ssl://127.0.0.1:1/", "https://127.0.0.1:1"),
            ("unix:///run/persea.sock", "http+unix:///run/persea.sock"),
            ("http+unix://a/b", "http+unix://a/b"),
        ] {
            assert_eq!(parse(endpoint).unwrap().to_string(), address, "{endpoint}");
        }
    }

    #[test]
    fn what_cannot_be_listened_on_is_named() {
        for endpoint in ["127.0.0.1:1", "vst://127.0.0.1:1", "unix://"] {
            let reason = parse(endpoint).unwrap_err();
            assert!(reason.contains("tcp://HOST:PORT") && reason.contains(endpoint), "{reason}");
        }
        assert!(parse("tcp://127.0.0.1:port").unwrap_err().contains("tcp://127.0.0.1:port"));
    }
}
