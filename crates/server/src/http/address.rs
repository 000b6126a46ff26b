//! The addresses that a server listens on.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// An address and its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// HTTP in clear text.
    Tcp(SocketAddr),
    /// HTTP over TLS.
    Tls(SocketAddr),
    /// HTTP in clear text over a socket in the file system.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => write!(formatter, "http://{address}"),
            Address::Tls(address) => write!(formatter, "https://{address}"),
            Address::Unix(path) => write!(formatter, "http+unix://{}", path.display()),
        }
    }
}
