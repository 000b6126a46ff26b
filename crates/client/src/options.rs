//! The options of a client.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::endpoint::Endpoint;
use crate::error::{Error, Result};

/// All options of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The server.
    pub endpoint: Endpoint,
    /// The database of requests that name none.
    pub database: String,
    /// The credentials of requests.
    pub credentials: Credentials,
    /// The time limit for opening a connection.
    pub connection_timeout: Duration,
    /// The time limit for a whole reply, or between two pieces of a streamed one.
    pub request_timeout: Duration,
    /// The maximum size of a reply in memory, in bytes after decompression.
    pub max_response_bytes: usize,
    /// True if the client asks for compressed replies.
    pub compressed_replies: bool,
    /// The size in bytes from which bodies of requests are compressed with gzip.
    pub compress_requests_from_bytes: Option<usize>,
    /// The retries after a connection that cannot be opened or breaks.
    pub retries: RetryOptions,
    /// The options of TLS, for endpoints that use it.
    pub tls: TlsOptions,
    /// The flag that ends requests: once it is set, they fail within a few milliseconds.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl ClientOptions {
    /// Returns the defaults of ArangoDB's tools.
    ///
    /// They are the database `_system`, 5 seconds to connect, 1200 for a request, and replies up to
    /// 1 GiB.
    pub fn new(endpoint: Endpoint) -> Self {
        ClientOptions {
            endpoint,
            database: "_system".to_owned(),
            credentials: Credentials::None,
            connection_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(1_200),
            max_response_bytes: 1 << 30,
            compressed_replies: false,
            compress_requests_from_bytes: None,
            retries: RetryOptions::default(),
            tls: TlsOptions::default(),
            interrupt: None,
        }
    }
}

/// The credentials of requests.
#[derive(Clone)]
pub enum Credentials {
    /// No credentials.
    None,
    /// A user with a password.
    Basic {
        /// The user's name.
        user: String,
        /// The password, in clear text.
        password: String,
    },
    /// A token that was made elsewhere.
    Token(String),
    /// The server's own secret, which signs a superuser's token.
    JwtSecret(Vec<u8>),
}

impl fmt::Debug for Credentials {
    /// Formats the credentials without their secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credentials::None => formatter.write_str("None"),
            Credentials::Basic { user, .. } => write!(formatter, "Basic({user})"),
            Credentials::Token(_) => formatter.write_str("Token"),
            Credentials::JwtSecret(_) => formatter.write_str("JwtSecret"),
        }
    }
}

/// The retries of a request.
///
/// Only these are retried: connections that could not be opened, connections that were closed while
/// idle, and repeatable requests. See [`crate::Request::repeatable`].
#[derive(Clone, Copy, Debug)]
pub struct RetryOptions {
    /// The maximum number of retries.
    pub count: u32,
    /// The pause before the first retry; it doubles each time.
    pub first_pause: Duration,
    /// The maximum pause.
    pub max_pause: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        RetryOptions { count: 3, first_pause: Duration::from_millis(100), max_pause: Duration::from_secs(5) }
    }
}

/// The options of TLS.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// The PEM file of authorities, one of which must have signed the server's certificate.
    ///
    /// Without it, as with ArangoDB's tools, the server's certificate is not verified. The traffic
    /// is then encrypted, but its recipient may be anybody.
    pub authorities: Option<PathBuf>,
    /// The PEM file with the client's own certificate, its chain and its key, for servers that ask
    /// for one.
    pub identity: Option<PathBuf>,
    /// The allowed versions of the protocol.
    pub versions: TlsVersions,
}

/// The files in which systems keep the certificates of public authorities.
const SYSTEM_AUTHORITIES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The variable of the environment that names another such file.
const AUTHORITIES_VARIABLE: &str = "SSL_CERT_FILE";

impl TlsOptions {
    /// Returns options by which the server's certificate must be signed by an authority that this
    /// system trusts.
    ///
    /// Errors: the system has no certificates of authorities.
    pub fn trusting_the_system() -> Result<Self> {
        let named = std::env::var_os(AUTHORITIES_VARIABLE).map(PathBuf::from);
        let found = || SYSTEM_AUTHORITIES.iter().map(PathBuf::from).find(|path| path.exists());
        let authorities = named.or_else(found).ok_or_else(|| {
            Error::Options(format!(
                "this system has no certificates of authorities; install ca-certificates, or set \
                 {AUTHORITIES_VARIABLE}"
            ))
        })?;
        Ok(TlsOptions { authorities: Some(authorities), ..TlsOptions::default() })
    }
}

/// Versions of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsVersions {
    /// TLS 1.2 and 1.3.
    #[default]
    Both,
    /// TLS 1.2 only.
    Tls12,
    /// TLS 1.3 only.
    Tls13,
}
