//! A bucket: its options and the client of its server.

use std::collections::BTreeMap;
use std::time::Duration;

use client::{Client, ClientOptions, Endpoint, RetryOptions, TlsOptions};

use crate::error::Result;
use crate::options::BucketOptions;

/// The time limit of a request, or between two pieces of a reply. A part of 8 MiB needs 70 kB/s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size in bytes of an object that is read as a whole.
const OBJECT_BYTES_MAX: usize = 256 << 20;

/// The objects of a bucket below one prefix. Keys are without that prefix.
#[derive(Clone)]
pub struct Bucket {
    pub(crate) client: Client,
    pub(crate) options: BucketOptions,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Bucket").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Bucket {
    /// Returns the objects below a prefix. It sends nothing before the first request.
    ///
    /// Errors: an encrypted endpoint on a system without certificates of authorities.
    pub fn new(options: BucketOptions) -> Result<Self> {
        let mut settings = ClientOptions::new(endpoint(&options));
        settings.connection_timeout = CONNECTION_TIMEOUT;
        settings.request_timeout = REQUEST_TIMEOUT;
        settings.max_response_bytes = OBJECT_BYTES_MAX;
        // Every attempt has a signature of its own.
        settings.retries = RetryOptions { count: 0, ..RetryOptions::default() };
        if matches!(options.endpoint, Endpoint::Tls { .. }) {
            settings.tls = TlsOptions::trusting_the_system()?;
        }
        Ok(Bucket { client: Client::new(settings)?, options })
    }

    /// Returns `s3://BUCKET/PREFIX`, for messages.
    pub fn name(&self) -> String {
        format!("s3://{}/{}", self.options.bucket, self.options.prefix)
    }

    /// Returns the key as the storage has it.
    pub(crate) fn key(&self, key: &str) -> String {
        match self.options.prefix.is_empty() {
            true => key.to_owned(),
            false => format!("{}/{key}", self.options.prefix),
        }
    }
}

/// Returns the server that is connected to: the bucket's, if the host names the bucket.
fn endpoint(options: &BucketOptions) -> Endpoint {
    let name = |host: &str| format!("{}.{host}", options.bucket);
    match &options.endpoint {
        Endpoint::Tcp { host, port } if !options.path_style => {
            Endpoint::Tcp { host: name(host), port: *port }
        }
        Endpoint::Tls { host, port } if !options.path_style => {
            Endpoint::Tls { host: name(host), port: *port }
        }
        other => other.clone(),
    }
}

impl BucketOptions {
    /// Reads a location `s3://BUCKET/PREFIX` with the settings of this process's environment.
    pub fn from_environment(location: &str) -> Result<Self> {
        let path = location.strip_prefix("s3:").unwrap_or(location);
        let settings: BTreeMap<String, String> = crate::environment();
        Self::read(path, &settings)
    }
}
