//! The error of a request: HTTP status, ArangoDB's number and message, and attributes besides.

use std::borrow::Cow;
use std::fmt;

use hyper::header::{HeaderName, HeaderValue};
use velocypack::Builder;

use crate::error_number::{self, number};

/// Result of a route and of everything that it is made of.
pub type Result<T> = std::result::Result<T, ApiError>;

/// An error as the client gets it. Boxed, so that a `Result` stays small on the hot path.
#[derive(Clone, Debug)]
pub struct ApiError {
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    status: u16,
    number: u32,
    message: Cow<'static, str>,
    attributes: Vec<(&'static str, String)>,
    headers: Vec<(HeaderName, HeaderValue)>,
    is_retryable: bool,
}

impl ApiError {
    /// An error with the status that goes with its number, and its own message.
    pub fn new(number: u32, message: impl Into<Cow<'static, str>>) -> Self {
        Self::with_status(error_number::status_of(number), number, message)
    }

    /// An error with ArangoDB's message for its number.
    pub fn of(number: u32) -> Self {
        Self::new(number, error_number::message_of(number))
    }

    /// An error with a status of its own.
    pub fn with_status(status: u16, number: u32, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        let inner = Inner {
            status,
            number,
            message,
            attributes: Vec::new(),
            headers: Vec::new(),
            is_retryable: false,
        };
        ApiError { inner: Box::new(inner) }
    }

    /// 400 with errorNum 10: a parameter has a wrong value.
    pub fn bad_parameter(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(number::BAD_PARAMETER, message)
    }

    /// 500 with errorNum 4: a promise between two parts of the server was broken.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::new(number::INTERNAL, format!("internal error: {what}"))
    }

    /// The same error with another status.
    pub fn status(mut self, status: u16) -> Self {
        self.inner.status = status;
        self
    }

    /// The same error with one more attribute in its body (`_key` of the document that stands in the way, say).
    pub fn attribute(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.inner.attributes.push((name, value.into()));
        self
    }

    /// The same error with one more response header.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.inner.headers.push((name, value));
        self
    }

    /// The same error, of a request that may succeed when it is made again with more patience.
    pub fn retryable(mut self) -> Self {
        self.inner.is_retryable = true;
        self
    }

    /// Whether the same request may succeed when it is made again with more patience.
    pub fn is_retryable(&self) -> bool {
        self.inner.is_retryable
    }

    /// ArangoDB's `errorNum`.
    pub fn number(&self) -> u32 {
        self.inner.number
    }

    /// ArangoDB's `errorMessage`.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The HTTP status.
    pub fn status_code(&self) -> u16 {
        self.inner.status
    }

    /// Adds `error`, `errorNum` and `errorMessage` to an object that is open in `builder`: how the error of one member
    /// stands in the reply to a request on many. Nothing else is added: drivers take a member with `_id` for a success.
    pub fn print_member(&self, builder: &mut Builder) -> velocypack::Result<()> {
        builder.key("error")?;
        builder.add_bool(true)?;
        builder.key("errorNum")?;
        builder.add_u64(self.inner.number.into())?;
        builder.key("errorMessage")?;
        builder.add_str(&self.inner.message)
    }

    /// The attributes that stand in the body besides number and message.
    pub fn attributes(&self) -> &[(&'static str, String)] {
        &self.inner.attributes
    }

    /// The response headers that come with the error.
    pub fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.inner.headers
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (error {})", self.inner.message, self.inner.number)
    }
}

impl std::error::Error for ApiError {}

/// A reply could not be built, which no input can cause.
impl From<velocypack::Error> for ApiError {
    fn from(error: velocypack::Error) -> Self {
        Self::internal(error)
    }
}
