//! The options of HTTP.

use std::time::Duration;

use super::cors::TrustedOrigins;
use crate::placement::logins::DEFAULT_MAX_DELAY;

/// The options of HTTP.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Maximum size in bytes of a request's body, before and after decompression.
    pub max_body_bytes: usize,
    /// Bytes of memory for the bodies of all requests together. Requests beyond them wait.
    pub request_memory_bytes: usize,
    /// Bytes that all connections together may have received before requests take them.
    pub unread_max_bytes: u64,
    /// Idle time after which a connection is closed.
    pub keep_alive: Duration,
    /// The maximum delay of a check of a password after failures; zero for none.
    pub failed_login_max_delay: Duration,
    /// Bytes from which a reply's body is compressed for clients that accept it; 0 disables
    /// compression.
    pub compress_response_threshold_bytes: usize,
    /// Maximum number of open connections. Further ones wait to be accepted.
    pub max_connections: usize,
    /// True if replies report how long requests wait for a thread.
    pub return_queue_time_header: bool,
    /// The origins whose pages may send credentials.
    pub trusted_origins: TrustedOrigins,
    /// True if clients need a user only for the paths of the system, which begin with `/_`.
    /// Services answer the others.
    pub authenticates_system_only: bool,
    /// True if short requests of HTTP/1.1 are answered in a loop of the server's own, false if
    /// hyper answers all. Tests compare the two.
    pub has_own_loop: bool,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions {
            // ArangoDB's 1 GB.
            max_body_bytes: 1 << 30,
            request_memory_bytes: 1 << 30,
            unread_max_bytes: 256 << 20,
            keep_alive: Duration::from_secs(300),
            failed_login_max_delay: DEFAULT_MAX_DELAY,
            compress_response_threshold_bytes: 0,
            max_connections: 16_384,
            return_queue_time_header: true,
            trusted_origins: TrustedOrigins::default(),
            authenticates_system_only: true,
            has_own_loop: true,
        }
    }
}
