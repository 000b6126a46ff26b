//! Addresses of servers, in ArangoDB's notation.

use std::fmt;
use std::path::PathBuf;

use crate::error::{Error, Result};

/// The port of an endpoint that names none.
const DEFAULT_PORT: u16 = 8_529;

/// The address of a server and its protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `tcp://HOST[:PORT]`, also with `http` or `http+tcp`.
    Tcp {
        /// A name or an address; an IPv6 address without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// `ssl://HOST[:PORT]`, also with `https` or `http+ssl`.
    Tls {
        /// A name or an address; an IPv6 address without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// `unix://PATH`, also with `http+unix`.
    Unix {
        /// The socket in the file system.
        path: PathBuf,
    },
}

impl Endpoint {
    /// Parses an endpoint. The error says what would be right.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |reason: &str| Error::Endpoint { endpoint: text.to_owned(), reason: reason.to_owned() };
        let (scheme, rest) = text
            .trim()
            .split_once("://")
            .ok_or_else(|| wrong("it must be tcp://HOST:PORT, ssl://HOST:PORT or unix://PATH"))?;
        match scheme.to_ascii_lowercase().as_str() {
            "tcp" | "http" | "http+tcp" => {
                let (host, port) = host_and_port(rest).map_err(|reason| wrong(&reason))?;
                Ok(Endpoint::Tcp { host, port })
            }
            "ssl" | "https" | "http+ssl" => {
                let (host, port) = host_and_port(rest).map_err(|reason| wrong(&reason))?;
                Ok(Endpoint::Tls { host, port })
            }
            "unix" | "http+unix" if rest.is_empty() => Err(wrong("it names no socket; unix://PATH would")),
            "unix" | "http+unix" => Ok(Endpoint::Unix { path: PathBuf::from(rest) }),
            vst if vst.starts_with("vst") => Err(wrong(
                "VelocyStream is no longer supported (ArangoDB removed it in 3.12); use http+tcp, http+ssl or http+unix",
            )),
            other => Err(wrong(&format!(
                "unknown scheme {other:?}; it must be tcp, http, http+tcp, ssl, https, http+ssl, unix or http+unix"
            ))),
        }
    }

    /// Returns the name or address of the host; `None` for a socket in the file system.
    pub fn host(&self) -> Option<&str> {
        match self {
            Endpoint::Tcp { host, .. } | Endpoint::Tls { host, .. } => Some(host),
            Endpoint::Unix { .. } => None,
        }
    }

    /// Returns the header `host`.
    pub(crate) fn host_header(&self) -> String {
        match self {
            Endpoint::Tcp { host, port } | Endpoint::Tls { host, port } => authority(host, *port),
            Endpoint::Unix { .. } => "localhost".to_owned(),
        }
    }
}

/// Splits `HOST[:PORT]`; brackets surround a host with colons.
///
/// A slash may end the text; anything after it is refused.
fn host_and_port(rest: &str) -> std::result::Result<(String, u16), String> {
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match rest.strip_prefix('[') {
        Some(bracketed) => {
            let (host, behind) =
                bracketed.split_once(']').ok_or_else(|| "the bracket [ is not closed".to_owned())?;
            (host, behind.strip_prefix(':').or((!behind.is_empty()).then_some(behind)))
        }
        None => match rest.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    if host.is_empty() || host.contains(['/', '@', '?', '#', ' ']) {
        return Err(format!("{host:?} is not the name or address of a host"));
    }
    let port = match port {
        None => DEFAULT_PORT,
        Some(port) => {
            let number = port.parse().ok().filter(|number| *number > 0);
            number.ok_or_else(|| format!("the port must be a number from 1 to 65535, not {port:?}"))?
        }
    };
    Ok((host.to_owned(), port))
}

fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Tcp { host, port } => write!(formatter, "http://{}", authority(host, *port)),
            Endpoint::Tls { host, port } => write!(formatter, "https://{}", authority(host, *port)),
            Endpoint::Unix { path } => write!(formatter, "http+unix://{}", path.display()),
        }
    }
}
