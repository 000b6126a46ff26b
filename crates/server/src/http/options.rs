//! How HTTP is spoken.

use std::time::Duration;

use super::cors::TrustedOrigins;

/// How HTTP is spoken.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Most bytes of a request's body, also when it is decompressed.
    pub max_body_bytes: usize,
    /// Bytes that all long requests together may take; more wait.
    pub request_memory_bytes: usize,
    /// How long a connection without a request is kept.
    pub keep_alive: Duration,
    /// Bytes from which a reply's body is compressed for clients that accept it; 0 is never.
    pub compress_response_threshold_bytes: usize,
    /// Most connections at once; more wait to be accepted.
    pub max_connections: usize,
    /// Whether replies say how long requests wait for a thread.
    pub return_queue_time_header: bool,
    /// Pages from elsewhere that may send credentials.
    pub trusted_origins: TrustedOrigins,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions {
            // ArangoDB's 1 GB.
            max_body_bytes: 1 << 30,
            request_memory_bytes: 1 << 30,
            keep_alive: Duration::from_secs(300),
            compress_response_threshold_bytes: 0,
            max_connections: 16_384,
            return_queue_time_header: true,
            trusted_origins: TrustedOrigins::default(),
        }
    }
}
