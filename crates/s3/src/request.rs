//! Signed requests, and their retries.

use std::thread::sleep;
use std::time::Duration;

use bytes::Bytes;
use client::{Endpoint, Request, Response, StreamedResponse};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::Note;
use crate::bucket::Bucket;
use crate::error::{Error, Result};
use crate::signature::{Scope, Unsigned, authorization, encoded_path, hexadecimal, query_string};
use crate::xml;

/// The number of attempts of a request, and the pauses between them. Together they take about half
/// a minute. By then, an overloaded storage answers again or is down.
const ATTEMPTS: u32 = 7;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The steps of a pause, after each of which the caller may end it.
const PAUSE_STEP: Duration = Duration::from_millis(100);

/// A request to the bucket.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call<'a> {
    pub(crate) method: &'a str,
    /// The key without the prefix of the bucket; `None` for the bucket itself.
    pub(crate) key: Option<&'a str>,
    pub(crate) query: &'a [(&'a str, &'a str)],
    pub(crate) headers: &'a [(&'static str, String)],
    pub(crate) body: Bytes,
}

impl Call<'_> {
    /// Returns method and key, for messages.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.method, self.key.unwrap_or("the bucket"))
    }
}

impl Bucket {
    /// Makes a request and reads the reply. Errors: those of the storage, and no reply.
    pub(crate) fn call(&self, call: &Call<'_>, note: Note<'_>) -> Result<Response> {
        self.repeat(note, || success(call, self.client.send(&self.signed(call)?)?))
    }

    /// Makes a request and returns the reply before its body is read.
    pub(crate) fn stream(&self, call: &Call<'_>) -> Result<StreamedResponse> {
        let reply = self.client.stream(&self.signed(call)?)?;
        let status = reply.status();
        if status < 300 {
            return Ok(reply);
        }
        let mut body = Vec::new();
        // The status says enough if the body breaks off.
        let _ = std::io::Read::read_to_end(&mut std::io::Read::take(reply, 1 << 16), &mut body);
        Err(refused(call, status, &body))
    }

    /// Repeats an attempt as long as that may help, with growing pauses.
    pub(crate) fn repeat<T>(&self, note: Note<'_>, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let mut pause = FIRST_PAUSE;
        for _ in 1..ATTEMPTS {
            match attempt() {
                Err(error) if may_pass(&error) => wait(pause, note)?,
                outcome => return outcome,
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
        attempt()
    }

    /// Returns a request with its signature.
    fn signed(&self, call: &Call<'_>) -> Result<Request> {
        let path = self.path(call.key);
        let body_sha256 = hexadecimal(&Sha256::digest(&call.body));
        let scope = Scope { region: &self.options.region, service: "s3", time: Timestamp::now() };
        let mut headers = vec![
            ("host".to_owned(), self.host()),
            ("x-amz-content-sha256".to_owned(), body_sha256.clone()),
            ("x-amz-date".to_owned(), scope.stamp()),
        ];
        if let Some(token) = &self.options.credentials.session_token {
            headers.push(("x-amz-security-token".to_owned(), token.clone()));
        }
        headers.extend(call.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let unsigned = Unsigned {
            method: call.method,
            path: &path,
            query: call.query,
            headers: &headers,
            body_sha256: &body_sha256,
        };
        let authorization = authorization(&self.options.credentials, &scope, &unsigned);
        let mut target = encoded_path(&path);
        if !call.query.is_empty() {
            target.push('?');
            target.push_str(&query_string(call.query));
        }
        let mut request = Request::with_method(call.method, &target)?.without_database();
        for (name, value) in &headers {
            request = request.any_header(name, value);
        }
        Ok(request.any_header("authorization", &authorization).bytes(call.body.clone()))
    }

    fn path(&self, key: Option<&str>) -> String {
        let mut path = String::from("/");
        if self.options.path_style {
            path.push_str(&self.options.bucket);
        }
        if let Some(key) = key {
            if self.options.path_style {
                path.push('/');
            }
            path.push_str(&self.key(key));
        }
        path
    }

    /// Returns the name of the server, with the port unless it is the protocol's.
    fn host(&self) -> String {
        let (host, port, default) = match &self.options.endpoint {
            Endpoint::Tcp { host, port } => (host.as_str(), *port, 80),
            Endpoint::Tls { host, port } => (host.as_str(), *port, 443),
            Endpoint::Unix { .. } => ("localhost", 80, 80),
        };
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let host = match self.options.path_style {
            true => host,
            false => format!("{}.{host}", self.options.bucket),
        };
        if port == default { host } else { format!("{host}:{port}") }
    }
}

fn success(call: &Call<'_>, reply: Response) -> Result<Response> {
    if reply.status() < 300 { Ok(reply) } else { Err(refused(call, reply.status(), reply.body())) }
}

/// Reads an error of the storage. A HEAD request's has no body.
pub(crate) fn refused(call: &Call<'_>, status: u16, body: &[u8]) -> Error {
    let body = String::from_utf8_lossy(body);
    let text = |name: &str| xml::text(&body, name).unwrap_or_default();
    Error::Refused { request: call.label(), status, code: text("Code"), message: text("Message") }
}

/// Returns true if a second attempt may succeed.
fn may_pass(error: &Error) -> bool {
    match error {
        Error::Client(error) => error.is_connection(),
        Error::Refused { status, code, .. } => {
            matches!(status, 429 | 500 | 502 | 503 | 504)
                || matches!(code.as_str(), "RequestTimeout" | "SlowDown" | "InternalError")
        }
        _ => false,
    }
}

/// Waits, unless the caller ends the transfer.
fn wait(pause: Duration, note: Note<'_>) -> Result<()> {
    let mut left = pause;
    while !left.is_zero() {
        note(0)?;
        let step = left.min(PAUSE_STEP);
        sleep(step);
        left -= step;
    }
    Ok(())
}
