//! Requests to a server.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::{Error, Result};

/// The characters that need no escape in a path segment or a query string.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns a name as one segment of a path.
pub fn encode_segment(name: &str) -> Cow<'_, str> {
    utf8_percent_encode(name, ENCODED).into()
}

/// A request: method, path, parameters, headers, body. It is cheap to clone.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    /// The path and query string, without the database.
    pub(crate) target: String,
    pub(crate) database: Option<String>,
    /// True if the path names no database at all.
    pub(crate) is_plain: bool,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
    pub(crate) is_repeatable: bool,
    pub(crate) keeps_encoding: bool,
    /// The longest time in which nothing of the reply arrives, if it differs from the client's.
    pub(crate) patience: Option<Duration>,
    /// A header value that HTTP cannot carry.
    pub(crate) mistake: Option<String>,
    has_query: bool,
}

impl Request {
    fn new(method: Method, path: &str) -> Self {
        Request {
            is_repeatable: matches!(method, Method::GET | Method::HEAD | Method::OPTIONS),
            method,
            has_query: path.contains('?'),
            target: path.to_owned(),
            database: None,
            is_plain: false,
            headers: Vec::new(),
            body: Bytes::new(),
            keeps_encoding: false,
            patience: None,
            mistake: None,
        }
    }

    /// Returns a GET request.
    ///
    /// `path` begins with a slash, is percent-encoded and names no database.
    pub fn get(path: &str) -> Self {
        Self::new(Method::GET, path)
    }

    /// Returns a HEAD request, which reads the headers only.
    pub fn head(path: &str) -> Self {
        Self::new(Method::HEAD, path)
    }

    /// Returns a request with any method. Error: the method is not one of HTTP's tokens.
    pub fn with_method(method: &str, path: &str) -> Result<Self> {
        match Method::from_bytes(method.as_bytes()) {
            Ok(method) => Ok(Self::new(method, path)),
            Err(error) => {
                Err(Error::Request { request: format!("{method} {path}"), reason: error.to_string() })
            }
        }
    }

    /// Returns a POST request.
    pub fn post(path: &str) -> Self {
        Self::new(Method::POST, path)
    }

    /// Returns a PUT request.
    pub fn put(path: &str) -> Self {
        Self::new(Method::PUT, path)
    }

    /// Returns a PATCH request.
    pub fn patch(path: &str) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// Returns a DELETE request.
    pub fn delete(path: &str) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Adds a segment to the path, percent-encoded. It must come before any parameter.
    #[must_use]
    pub fn segment(mut self, name: &str) -> Self {
        if !self.target.ends_with('/') {
            self.target.push('/');
        }
        self.target.extend(utf8_percent_encode(name, ENCODED));
        self
    }

    /// Adds a parameter to the query string, percent-encoded.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.target.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        self.target.extend(utf8_percent_encode(name, ENCODED));
        self.target.push('=');
        self.target.extend(utf8_percent_encode(value, ENCODED));
        self
    }

    /// Selects a database instead of the client's.
    #[must_use]
    pub fn database(mut self, name: &str) -> Self {
        self.database = Some(name.to_owned());
        self
    }

    /// Sends the path as it is, for servers that know no databases.
    #[must_use]
    pub fn without_database(mut self) -> Self {
        self.is_plain = true;
        self
    }

    /// Adds a header. The name is in lower case.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => self.headers.push((HeaderName::from_static(name), value)),
            Err(_) => self.mistake = Some(format!("HTTP cannot carry {value:?} in the header {name}")),
        }
        self
    }

    /// Adds a header with any name.
    #[must_use]
    pub fn any_header(mut self, name: &str, value: &str) -> Self {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => self.headers.push((name, value)),
            _ => self.mistake = Some(format!("HTTP cannot carry the header {name:?} with {value:?}")),
        }
        self
    }

    /// Sets the body. The headers state its content type.
    #[must_use]
    pub fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the body and its content type.
    #[must_use]
    pub fn body(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.headers.push((CONTENT_TYPE, HeaderValue::from_static(content_type)));
        self.body = body.into();
        self
    }

    /// Sets a body of JSON.
    #[must_use]
    pub fn json(self, body: impl Into<Bytes>) -> Self {
        self.body("application/json", body)
    }

    /// Declares that a second attempt has no further effect, so that a broken connection is
    /// retried.
    ///
    /// Requests that only read are always repeatable.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        self
    }

    /// Declares that a second attempt has an effect of its own, so that a broken connection is not
    /// retried.
    #[must_use]
    pub fn unrepeatable(mut self) -> Self {
        self.is_repeatable = false;
        self
    }

    /// Keeps the encoding of a compressed body.
    ///
    /// It applies if the reply is read as a whole and is not an error. The header
    /// `content-encoding` names the encoding.
    #[must_use]
    pub fn keep_encoding(mut self) -> Self {
        self.keeps_encoding = true;
        self
    }

    /// Limits the time in which nothing of the reply arrives: until its head, and between two
    /// pieces of its body. The client's limit for a whole reply also holds.
    #[must_use]
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = Some(limit);
        self
    }

    /// Returns method and path, for messages.
    pub(crate) fn label(&self) -> String {
        let path = self.target.split('?').next().unwrap_or_default();
        format!("{} {path}", self.method)
    }
}
