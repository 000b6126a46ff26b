//! Requests to issuers: their discovery documents, their keys, and their token endpoints.

use std::time::Duration;

use client::{Client, ClientOptions, Endpoint, Request, RetryOptions, TlsOptions, Url};
use velocypack::Slice;

use crate::jwk::KeySet;
use crate::options::IssuerOptions;
use crate::reader::{Result, parse};
use crate::url::require_secure;

/// Maximum size of a reply in bytes.
const REPLY_MAX_BYTES: usize = 1 << 20;

/// Time limits for a connection and for a whole reply.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// The path of the discovery document, below the issuer's own.
const DISCOVERY: &str = "/.well-known/openid-configuration";

/// The parts of an issuer's discovery document that the sign-in needs.
#[derive(Clone, Debug)]
pub(crate) struct Metadata {
    pub(crate) authorization_endpoint: Option<String>,
    pub(crate) token_endpoint: Option<String>,
    /// True if the secret of a client belongs into the body of a request.
    pub(crate) secret_in_body: bool,
}

/// Fetches the discovery document and the keys of an issuer.
pub(crate) fn discover(options: &IssuerOptions) -> Result<(Metadata, KeySet)> {
    let url = format!("{}{DISCOVERY}", options.issuer.trim_end_matches('/'));
    let document = get(options, &url)?;
    let document = Slice::new(&document);
    let text = |name: &str| document.get(name).and_then(Slice::as_str).map(str::to_owned);
    let named = text("issuer").unwrap_or_default();
    if named != options.issuer {
        let excerpt: String = named.chars().take(200).collect();
        return Err(format!("{url} is of the issuer {excerpt:?}; it must be {:?}", options.issuer));
    }
    let endpoint = |name: &str| -> Result<Option<String>> {
        let Some(url) = text(name) else { return Ok(None) };
        require_secure(&url, options.allows_insecure).map_err(|error| format!("{name}: {error}"))?;
        Ok(Some(url))
    };
    let keys = endpoint("jwks_uri")?.ok_or_else(|| format!("{url} has no `jwks_uri`"))?;
    let methods = document.get("token_endpoint_auth_methods_supported");
    let supports = |name: &str| {
        methods.is_some_and(|methods| methods.elements().any(|method| method.as_str() == Some(name)))
    };
    let metadata = Metadata {
        authorization_endpoint: endpoint("authorization_endpoint")?,
        token_endpoint: endpoint("token_endpoint")?,
        secret_in_body: supports("client_secret_post") && !supports("client_secret_basic"),
    };
    let set = get(options, &keys)?;
    let set = KeySet::read(Slice::new(&set)).map_err(|error| format!("{keys}: {error}"))?;
    if set.len() == 0 {
        return Err(format!("{keys} has no key for RS256 or ES256"));
    }
    Ok((metadata, set))
}

/// The reason why a request has no good reply.
pub(crate) enum Failure {
    /// The issuer refuses it.
    Refused(String),
    /// The issuer does not answer, or not as it should.
    Unavailable(String),
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Failure::Unavailable(reason)
    }
}

fn get(options: &IssuerOptions, url: &str) -> Result<Vec<u8>> {
    send(options, url, &[], None).map_err(|failure| match failure {
        Failure::Refused(reason) | Failure::Unavailable(reason) => reason,
    })
}

/// Sends a form and returns the JSON reply.
pub(crate) fn post(
    options: &IssuerOptions,
    url: &str,
    headers: &[(&str, String)],
    form: &str,
) -> std::result::Result<Vec<u8>, Failure> {
    send(options, url, headers, Some(form))
}

/// Sends a request and returns the JSON reply. Redirects are not followed.
fn send(
    options: &IssuerOptions,
    url: &str,
    headers: &[(&str, String)],
    form: Option<&str>,
) -> std::result::Result<Vec<u8>, Failure> {
    let text = |error: client::Error| error.to_string();
    let target = Url::parse(url).map_err(text)?;
    let mut connection = ClientOptions::new(Endpoint::parse(&target.endpoint).map_err(text)?);
    connection.connection_timeout = CONNECT_TIMEOUT;
    connection.request_timeout = REPLY_TIMEOUT;
    connection.max_response_bytes = REPLY_MAX_BYTES;
    connection.retries = RetryOptions { count: 0, ..RetryOptions::default() };
    if matches!(connection.endpoint, Endpoint::Tls { .. }) {
        connection.tls = match &options.ca_file {
            Some(file) => TlsOptions { authorities: Some(file.clone()), ..TlsOptions::default() },
            None => TlsOptions::trusting_the_system().map_err(text)?,
        };
    }
    let method = if form.is_some() { "POST" } else { "GET" };
    let mut request = Request::with_method(method, &target.path).map_err(text)?.without_database();
    request = request.any_header("accept", "application/json");
    for (name, value) in headers {
        request = request.any_header(name, value);
    }
    if let Some(form) = form {
        request = request.body("application/x-www-form-urlencoded", form.as_bytes().to_vec());
    }
    let reply = Client::new(connection).map_err(text)?.send(&request).map_err(text)?;
    let parsed = parse(reply.body(), REPLY_MAX_BYTES);
    if reply.status() != 200 {
        // Token endpoints describe errors by two members (RFC 6749, section 5.2).
        let described = parsed.ok().and_then(|body| {
            let body = Slice::new(&body);
            let text = |name: &str| body.get(name).and_then(Slice::as_str).unwrap_or_default();
            let error: String = text("error").chars().take(100).collect();
            let details: String = text("error_description").chars().take(300).collect();
            (!error.is_empty()).then(|| format!(": {error:?} {details:?}"))
        });
        let reason = format!("{url} answers with {}{}", reply.status(), described.unwrap_or_default());
        return Err(match reply.status() {
            400 | 401 | 403 => Failure::Refused(reason),
            _ => Failure::Unavailable(reason),
        });
    }
    let parsed = parsed.map_err(|error| format!("{url}: {error}"))?;
    if !Slice::new(&parsed).is_object() {
        return Err(format!("{url}: the reply must be a JSON object").into());
    }
    Ok(parsed)
}
