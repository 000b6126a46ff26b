//! Requests to a server.

use std::borrow::Cow;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that stay as they are in a part of a path or of a query string.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A name as one part of a path.
pub fn encode_segment(name: &str) -> Cow<'_, str> {
    utf8_percent_encode(name, ENCODED).into()
}

/// A request: method, path, parameters, headers, body. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    /// Path and query string, without the database.
    pub(crate) target: String,
    pub(crate) database: Option<String>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
    pub(crate) is_repeatable: bool,
    pub(crate) keeps_encoding: bool,
    /// A header's value that HTTP cannot carry.
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
            headers: Vec::new(),
            body: Bytes::new(),
            keeps_encoding: false,
            mistake: None,
        }
    }

    /// Reads. `path` begins with a slash, is percent-encoded and names no database.
    pub fn get(path: &str) -> Self {
        Self::new(Method::GET, path)
    }

    /// Reads the headers only.
    pub fn head(path: &str) -> Self {
        Self::new(Method::HEAD, path)
    }

    /// Creates or does.
    pub fn post(path: &str) -> Self {
        Self::new(Method::POST, path)
    }

    /// Replaces.
    pub fn put(path: &str) -> Self {
        Self::new(Method::PUT, path)
    }

    /// Changes.
    pub fn patch(path: &str) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// Removes.
    pub fn delete(path: &str) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Adds a part to the path, percent-encoded. Before any parameter.
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

    /// Asks in this database instead of the client's.
    #[must_use]
    pub fn database(mut self, name: &str) -> Self {
        self.database = Some(name.to_owned());
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

    /// Sets the body and what it is.
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

    /// Says that the request may be made twice without doing more than once would: then it is tried again when the
    /// connection breaks. Those that only read are so by themselves.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        self
    }

    /// Has a body that arrives compressed handed out as it arrives, if the reply is read as a whole and is no error;
    /// its header `content-encoding` tells.
    #[must_use]
    pub fn keep_encoding(mut self) -> Self {
        self.keeps_encoding = true;
        self
    }

    /// Method and path, for messages.
    pub(crate) fn label(&self) -> String {
        let path = self.target.split('?').next().unwrap_or_default();
        format!("{} {path}", self.method)
    }
}
