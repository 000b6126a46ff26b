//! A bucket: small objects as a whole, listings, and removal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use client::{Client, ClientOptions, Endpoint, RetryOptions};
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::error::{Error, Result};
use crate::options::BucketOptions;
use crate::request::Call;
use crate::{request, xml};

/// The time limit of a request, or between two pieces of a reply. A part of 8 MiB needs 70 kB/s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The greatest size in bytes of an object that is read as a whole.
const OBJECT_BYTES_MAX: usize = 256 << 20;

/// The files in which systems keep the certificates of public authorities.
const AUTHORITIES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The variable of the environment that names another such file.
const AUTHORITIES_VARIABLE: &str = "SSL_CERT_FILE";

/// The objects of a bucket below one prefix. Keys are without that prefix.
#[derive(Clone)]
pub struct Bucket {
    pub(crate) client: Client,
    pub(crate) options: BucketOptions,
}

/// An object of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The key.
    pub key: String,
    /// The size in bytes.
    pub size_bytes: u64,
    /// The moment of the last change, by the storage's clock, in seconds since 1970.
    pub modified_seconds: i64,
}

/// The objects whose keys begin with one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The objects, by key.
    pub objects: Vec<Object>,
    /// The moment of the listing, by the storage's clock, in seconds since 1970.
    pub now_seconds: i64,
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
            settings.tls.authorities = Some(authorities()?);
        }
        Ok(Bucket { client: request::client(settings)?, options })
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

    /// Returns the content of an object of at most 256 MiB, or `None` if there is none.
    pub fn get(&self, key: &str) -> Result<Option<Bytes>> {
        let call = Call { method: "GET", key: Some(key), ..Call::default() };
        match self.call(&call, &mut |_| Ok(())) {
            Err(error) if error.is_missing() => Ok(None),
            reply => Ok(Some(reply?.into_body())),
        }
    }

    /// Makes or replaces an object. The storage compares the SHA-256 of what arrives.
    pub fn put(&self, key: &str, body: impl Into<Bytes>) -> Result<()> {
        let headers = &self.options.headers;
        let call = Call { method: "PUT", key: Some(key), headers, body: body.into(), ..Call::default() };
        self.call(&call, &mut |_| Ok(())).map(drop)
    }

    /// Removes an object. It is no error if there is none.
    pub fn delete(&self, key: &str) -> Result<()> {
        let call = Call { method: "DELETE", key: Some(key), ..Call::default() };
        match self.call(&call, &mut |_| Ok(())) {
            Err(error) if !error.is_missing() => Err(error),
            _ => Ok(()),
        }
    }

    /// Lists the objects whose keys begin with `start`.
    pub fn list(&self, start: &str) -> Result<Listing> {
        let prefix = self.key(start);
        let mut listing = Listing::default();
        let mut token: Option<String> = None;
        loop {
            let mut query = vec![("list-type", "2"), ("prefix", prefix.as_str())];
            if let Some(token) = &token {
                query.push(("continuation-token", token));
            }
            let call = Call { method: "GET", query: &query, ..Call::default() };
            let reply = self.call(&call, &mut |_| Ok(()))?;
            listing.now_seconds = reply
                .header("date")
                .and_then(|date| rfc2822::parse(date).ok())
                .map_or_else(Timestamp::now, |date| date.timestamp())
                .as_second();
            let body = String::from_utf8_lossy(reply.body());
            for content in xml::elements(&body, "Contents") {
                listing.objects.push(self.object(content).ok_or_else(|| Error::Reply {
                    request: call.label(),
                    reason: "an object has no key, size or time".to_owned(),
                })?);
            }
            let is_last = xml::text(&body, "IsTruncated").as_deref() != Some("true");
            token = xml::text(&body, "NextContinuationToken").filter(|_| !is_last);
            if token.is_none() {
                return Ok(listing);
            }
        }
    }

    fn object(&self, content: &str) -> Option<Object> {
        let text = |name: &str| xml::text(content, name);
        let key = text("Key")?;
        let key = key.strip_prefix(&self.options.prefix)?.trim_start_matches('/').to_owned();
        let modified_seconds = text("LastModified")?.parse::<Timestamp>().ok()?.as_second();
        Some(Object { key, size_bytes: text("Size")?.parse().ok()?, modified_seconds })
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

/// Returns the file with the certificates of the authorities that this system trusts.
fn authorities() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(AUTHORITIES_VARIABLE) {
        return Ok(PathBuf::from(path));
    }
    let found = AUTHORITIES.iter().map(Path::new).find(|path| path.exists());
    found.map(Path::to_owned).ok_or_else(|| {
        let message = format!(
            "this system has no certificates of authorities; install ca-certificates, or set {AUTHORITIES_VARIABLE}"
        );
        Error::Options(message)
    })
}

impl BucketOptions {
    /// Reads a location `s3://BUCKET/PREFIX` with the settings of this process's environment.
    pub fn from_environment(location: &str) -> Result<Self> {
        let path = location.strip_prefix("s3:").unwrap_or(location);
        let settings: BTreeMap<String, String> = crate::environment();
        Self::read(path, &settings)
    }
}
