//! Addresses to listen on, as ArangoDB writes them.

use std::net::{SocketAddr, ToSocketAddrs};

/// The port of an endpoint that names none.
const DEFAULT_PORT: u16 = 8_529;

/// The address of an endpoint: `tcp://HOST[:PORT]`, or with `http` or `http+tcp` in the place of `tcp`.
pub(crate) fn parse(endpoint: &str) -> Result<SocketAddr, String> {
    let schemes = ["tcp://", "http://", "http+tcp://"];
    let Some(rest) = schemes.iter().find_map(|scheme| endpoint.strip_prefix(scheme)) else {
        let reason = match endpoint.split_once("://").map(|(scheme, _)| scheme) {
            Some("ssl" | "https" | "http+ssl" | "vst+ssl") => "TLS is not there yet",
            Some("unix" | "http+unix") => "sockets in the file system are not there yet",
            _ => "it must be tcp://HOST:PORT",
        };
        return Err(format!("--server.endpoint {endpoint}: {reason}"));
    };
    let rest = rest.trim_end_matches('/');
    let port = rest.rsplit_once(':').filter(|_| !rest.ends_with(']'));
    let address = match port {
        Some(_) => rest.to_owned(),
        None => format!("{rest}:{DEFAULT_PORT}"),
    };
    let found =
        address.to_socket_addrs().map_err(|error| format!("--server.endpoint {endpoint}: {error}"))?;
    found.into_iter().next().ok_or_else(|| format!("--server.endpoint {endpoint}: the host has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_have_many_forms() {
        for (endpoint, address) in [
            ("tcp://127.0.0.1:1234", "127.0.0.1:1234"),
            ("http+tcp://127.0.0.1", "127.0.0.1:8529"),
            ("http://0.0.0.0:80/", "0.0.0.0:80"),
            ("tcp://[::1]:99", "[::1]:99"),
            ("tcp://[::1]", "[::1]:8529"),
        ] {
            assert_eq!(parse(endpoint).unwrap().to_string(), address, "{endpoint}");
        }
    }

    #[test]
    fn what_cannot_be_listened_on_is_named() {
        assert!(parse("ssl://127.0.0.1:1").unwrap_err().contains("TLS"));
        assert!(parse("127.0.0.1:1").unwrap_err().contains("tcp://HOST:PORT"));
        assert!(parse("tcp://127.0.0.1:port").unwrap_err().contains("tcp://127.0.0.1:port"));
    }
}
