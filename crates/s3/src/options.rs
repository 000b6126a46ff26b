//! The options of a bucket, with the names that rclone gives them.

use std::collections::BTreeMap;
use std::fmt;

use client::Endpoint;

use crate::error::{Error, Result};

/// The region of requests without another one.
const DEFAULT_REGION: &str = "us-east-1";

/// The settings that have headers of their own in requests that make objects.
const HEADERS: &[(&str, &str)] = &[
    ("acl", "x-amz-acl"),
    ("server_side_encryption", "x-amz-server-side-encryption"),
    ("sse_kms_key_id", "x-amz-server-side-encryption-aws-kms-key-id"),
    ("storage_class", "x-amz-storage-class"),
];

/// The settings that say how rclone works, or how it makes buckets. They change nothing here.
const WITHOUT_EFFECT: &[&str] = &[
    "bucket_acl",
    "chunk_size",
    "location_constraint",
    "no_check_bucket",
    "type",
    "upload_concurrency",
    "upload_cutoff",
];

/// The settings that [`BucketOptions::read`] reads.
const READ: &[&str] = &[
    "access_key_id",
    "endpoint",
    "env_auth",
    "force_path_style",
    "provider",
    "region",
    "secret_access_key",
    "session_token",
];

/// The variables of the environment that hold settings, as AWS's own programs name them. The first
/// that is there counts.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("AWS_ACCESS_KEY_ID", "access_key_id"),
    ("AWS_SECRET_ACCESS_KEY", "secret_access_key"),
    ("AWS_SESSION_TOKEN", "session_token"),
    ("AWS_REGION", "region"),
    ("AWS_DEFAULT_REGION", "region"),
    ("AWS_ENDPOINT_URL_S3", "endpoint"),
    ("AWS_ENDPOINT_URL", "endpoint"),
];

/// The key pair that signs requests.
#[derive(Clone)]
pub struct Credentials {
    /// The name of the key.
    pub access_key: String,
    /// The secret of the key.
    pub secret_key: String,
    /// The token of a session with a limited time.
    pub session_token: Option<String>,
}

impl fmt::Debug for Credentials {
    /// Formats the credentials without their secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credentials({})", self.access_key)
    }
}

/// The place of objects, and the right to them.
#[derive(Clone, Debug)]
pub struct BucketOptions {
    /// The server.
    pub endpoint: Endpoint,
    /// The region that signatures name.
    pub region: String,
    /// The bucket.
    pub bucket: String,
    /// The beginning of all keys, without slashes at its ends.
    pub prefix: String,
    /// The key pair.
    pub credentials: Credentials,
    /// True if the path names the bucket, false if the host does.
    pub path_style: bool,
    /// The headers of requests that make objects.
    pub headers: Vec<(&'static str, String)>,
}

/// Returns the settings that the environment of this process has.
pub fn environment() -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for (variable, name) in ENVIRONMENT {
        if let Ok(value) = std::env::var(variable) {
            settings.entry((*name).to_owned()).or_insert(value);
        }
    }
    settings
}

impl BucketOptions {
    /// Reads the settings of a section of rclone's configuration. `path` is `BUCKET/PREFIX`.
    ///
    /// With `env_auth`, settings that are missing come from the environment of this process.
    /// Errors: a missing, unknown or wrong setting.
    pub fn read(path: &str, settings: &BTreeMap<String, String>) -> Result<Self> {
        let (bucket, prefix) = bucket_and_prefix(path)?;
        let mut settings = settings.clone();
        settings.retain(|_, value| !value.is_empty());
        if flag(&settings, "env_auth", false)? {
            for (name, value) in environment() {
                settings.entry(name).or_insert(value);
            }
        }
        let is_known = |name: &str| {
            READ.contains(&name)
                || WITHOUT_EFFECT.contains(&name)
                || HEADERS.iter().any(|(known, _)| *known == name)
        };
        if let Some(unknown) = settings.keys().find(|name| !is_known(name)) {
            return Err(wrong(format!("the setting '{unknown}' of object storage is not supported")));
        }
        let required = |name: &str| {
            let missing = || {
                wrong(format!(
                    "the setting '{name}' is missing; with \"env_auth\": \"true\" it comes from the environment"
                ))
            };
            settings.get(name).cloned().ok_or_else(missing)
        };
        let credentials = Credentials {
            access_key: required("access_key_id")?,
            secret_key: required("secret_access_key")?,
            session_token: settings.get("session_token").cloned(),
        };
        let region = settings.get("region").map_or(DEFAULT_REGION, String::as_str).to_owned();
        let headers =
            HEADERS.iter().filter_map(|(name, header)| Some((*header, settings.get(*name)?.clone())));
        Ok(BucketOptions {
            endpoint: endpoint(&settings, &region)?,
            bucket,
            prefix,
            credentials,
            path_style: flag(&settings, "force_path_style", true)?,
            headers: headers.collect(),
            region,
        })
    }
}

fn wrong(message: String) -> Error {
    Error::Options(message)
}

fn flag(settings: &BTreeMap<String, String>, name: &str, default: bool) -> Result<bool> {
    match settings.get(name).map(|value| value.to_ascii_lowercase()).as_deref() {
        None => Ok(default),
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(other) => Err(wrong(format!("the setting '{name}' is {other:?}; it must be true or false"))),
    }
}

/// Returns the server: the one that is named, or Amazon's of the region.
fn endpoint(settings: &BTreeMap<String, String>, region: &str) -> Result<Endpoint> {
    let is_amazon = settings.get("provider").is_none_or(|provider| provider.eq_ignore_ascii_case("aws"));
    let text = match settings.get("endpoint") {
        Some(endpoint) if endpoint.contains("://") => endpoint.clone(),
        Some(endpoint) => format!("https://{endpoint}"),
        None if is_amazon => format!("https://s3.{region}.amazonaws.com"),
        None => return Err(wrong("the setting 'endpoint' is missing: https://HOST:PORT".to_owned())),
    };
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    let default_port = match scheme {
        "http" => 80,
        "https" => 443,
        other => return Err(wrong(format!("the scheme {other:?} of the endpoint must be http or https"))),
    };
    let host = authority.rsplit_once(']').map_or(authority, |(_, behind)| behind);
    let has_port = host.contains(':');
    let text = if has_port { text.clone() } else { format!("{scheme}://{authority}:{default_port}") };
    Endpoint::parse(&text).map_err(|error| wrong(error.to_string()))
}

/// Splits `BUCKET/PREFIX`, with any number of slashes between segments.
fn bucket_and_prefix(path: &str) -> Result<(String, String)> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    let is_bucket = |name: &&str| {
        (3..=63).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
    };
    let bucket = segments.next().filter(is_bucket);
    let bucket = bucket.ok_or_else(|| {
        wrong(format!(
            "{path:?} names no bucket; it must be BUCKET/PREFIX with 3 to 63 letters, digits and hyphens"
        ))
    })?;
    let prefix: Vec<&str> = segments.collect();
    if prefix.iter().any(|segment| matches!(*segment, "." | "..")) {
        return Err(wrong(format!("{path:?} must not have the segments . and ..")));
    }
    Ok((bucket.to_owned(), prefix.join("/")))
}
