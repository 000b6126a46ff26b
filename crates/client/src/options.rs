//! The options of a client.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::endpoint::Endpoint;

/// Everything about a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The server.
    pub endpoint: Endpoint,
    /// The database of requests that name none.
    pub database: String,
    /// The credentials of requests.
    pub credentials: Credentials,
    /// Longest time for opening a connection.
    pub connection_timeout: Duration,
    /// Longest time for a whole reply, or between two pieces of a streamed one.
    pub request_timeout: Duration,
    /// Most bytes of a reply that is kept in memory, after decompression.
    pub max_response_bytes: usize,
    /// Ask for compressed replies.
    pub compressed_replies: bool,
    /// Compress bodies of requests of at least this many bytes by gzip.
    pub compress_requests_from_bytes: Option<usize>,
    /// Retries after a connection that cannot be opened or breaks.
    pub retries: RetryOptions,
    /// TLS, for endpoints that use it.
    pub tls: TlsOptions,
}

impl ClientOptions {
    /// The defaults of ArangoDB's tools: database `_system`, 5 seconds to connect, 1200 for a request, replies up to
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
        }
    }
}

/// The credentials of requests.
#[derive(Clone)]
pub enum Credentials {
    /// Nobody in particular.
    None,
    /// A user with a password.
    Basic {
        /// The user's name.
        user: String,
        /// The password, in clear.
        password: String,
    },
    /// A token that somebody else has made.
    Token(String),
    /// The server's own secret, from which a token of a superuser is made.
    JwtSecret(Vec<u8>),
}

impl fmt::Debug for Credentials {
    /// Without what is secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credentials::None => formatter.write_str("None"),
            Credentials::Basic { user, .. } => write!(formatter, "Basic({user})"),
            Credentials::Token(_) => formatter.write_str("Token"),
            Credentials::JwtSecret(_) => formatter.write_str("JwtSecret"),
        }
    }
}

/// When a request is made again. Only connections that could not be opened, those that were closed while nobody used
/// them, and requests that may be repeated are tried again; see [`crate::Request::repeatable`].
#[derive(Clone, Copy, Debug)]
pub struct RetryOptions {
    /// The most retries.
    pub count: u32,
    /// Pause before the first; it doubles each time.
    pub first_pause: Duration,
    /// Longest pause.
    pub max_pause: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        RetryOptions { count: 3, first_pause: Duration::from_millis(100), max_pause: Duration::from_secs(5) }
    }
}

/// TLS.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// PEM file of certificates, one of which must have signed the server's. Without it, as with ArangoDB's tools,
    /// the server's certificate is not checked: what is sent is encrypted, but may be sent to anybody.
    pub authorities: Option<PathBuf>,
    /// Which versions of the protocol may be spoken.
    pub versions: TlsVersions,
}

/// Versions of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsVersions {
    /// 1.2 and 1.3.
    #[default]
    Both,
    /// 1.2 alone.
    Tls12,
    /// 1.3 alone.
    Tls13,
}
