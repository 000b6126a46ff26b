//! A reply that is in memory as a whole.

use bytes::Bytes;
use hyper::HeaderMap;
use velocypack::{Builder, Limits, Slice, json};

use crate::error::{Error, Result, ServerError};

/// The maximum number of characters of a body in an error message.
const MAX_EXCERPT_CHARS: usize = 300;

/// A reply of any status.
#[derive(Debug)]
pub struct Response {
    pub(crate) endpoint: String,
    pub(crate) request: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Response {
    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the first value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns names, in lower case, and values of the headers that are text.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// Returns the body, decompressed unless the request says otherwise.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the body, decompressed unless the request says otherwise.
    pub fn into_body(self) -> Bytes {
        self.body
    }

    /// Returns the reply, or the error that the server reports.
    pub fn success(self) -> Result<Self> {
        if self.status < 400 { Ok(self) } else { Err(Error::Server(self.as_error())) }
    }

    /// Returns the body, JSON or VelocyPack, as VelocyPack.
    pub fn value(&self) -> Result<Vec<u8>> {
        value(self.header("content-type"), &self.body).map_err(|reason| Error::Reply {
            endpoint: self.endpoint.clone(),
            request: self.request.clone(),
            reason,
        })
    }

    fn as_error(&self) -> ServerError {
        let value = self.value().unwrap_or_default();
        let says = (!value.is_empty()).then(|| Slice::new(&value));
        let number = says.and_then(|value| value.get("errorNum")?.as_u64());
        let message = says.and_then(|value| Some(value.get("errorMessage")?.as_str()?.to_owned()));
        ServerError {
            endpoint: self.endpoint.clone(),
            request: self.request.clone(),
            status: self.status,
            number: number.unwrap_or(u64::from(self.status)),
            message: message.unwrap_or_else(|| {
                String::from_utf8_lossy(&self.body).chars().take(MAX_EXCERPT_CHARS).collect()
            }),
        }
    }
}

fn value(content_type: Option<&str>, body: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let limits = Limits::default();
    if content_type.is_some_and(|kind| kind.starts_with("application/x-velocypack")) {
        velocypack::validate(body, &limits).map_err(|error| error.to_string())?;
        return Ok(body.to_vec());
    }
    let mut builder = Builder::new();
    json::parse(body, &limits, &mut builder).map_err(|error| error.to_string())?;
    Ok(builder.into_vec())
}
