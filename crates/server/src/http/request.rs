//! A request as routes see it: complete, decoded, and bounded.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;
use database::Budget;
use errors::{Error, ErrorCode, Result};
use hyper::header::{AsHeaderName, HeaderMap, IF_MATCH, IF_NONE_MATCH};
use hyper::{Method, Uri};
use velocypack::{Builder, Limits, Slice, json, validate};

use super::body_memory::BodyPermit;
use super::format::{self, Format};
use super::path::Path;
use super::pattern::Match;
use super::query::Query;

/// A request with its whole body. Cheap to clone: the body is shared.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) path: Path,
    pub(crate) matched: Match,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) accepted: Format,
    pub(crate) client: Option<SocketAddr>,
    /// The time that the request may take where it is.
    pub(crate) budget: Budget,
    /// What the body and all that is made of it takes of the memory for requests, for as long as the request is there.
    pub(crate) memory: Option<Arc<BodyPermit>>,
}

impl Request {
    /// The method; the routes of GET answer HEAD, too, and see it here.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The decoded path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The address as it was sent, with database and query parameters.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The name of the database that the request is about.
    pub fn database(&self) -> &str {
        self.path.database()
    }

    /// The address of the client, where it has one.
    pub fn client(&self) -> Option<SocketAddr> {
        self.client
    }

    /// The decoded text that stands in the path where the route's pattern has `{name}`; empty for a name that the
    /// pattern does not have.
    pub fn parameter(&self, name: &str) -> &str {
        self.matched.position(name).and_then(|position| self.path.segment(position)).unwrap_or_default()
    }

    /// The parts of the path that the `{*}` at the end of the route's pattern stands for.
    pub fn rest(&self) -> impl Iterator<Item = &str> {
        self.path.segments().skip(self.matched.rest())
    }

    /// The parameters behind the question mark.
    pub fn query(&self) -> Query<'_> {
        Query::new(self.uri.query().unwrap_or_default())
    }

    /// A query parameter that is a bool, and its default.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.query().bool(name)?.unwrap_or(default))
    }

    /// A query parameter that is a number. Error 10 when it is none.
    pub fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        self.query().number(name)
    }

    /// A query parameter's text.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'_, str>>> {
        self.query().text(name)
    }

    /// All headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// A header's text; none when it is missing or has characters beyond ASCII.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The revision in `If-Match`, without quotes.
    pub fn if_match(&self) -> Option<&str> {
        self.header(IF_MATCH).map(unquote)
    }

    /// The revision in `If-None-Match`, without quotes.
    pub fn if_none_match(&self) -> Option<&str> {
        self.header(IF_NONE_MATCH).map(unquote)
    }

    /// The time that the request may take where it is. Where it has limits, nobody may wait.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The same request for a handler that may take its time.
    pub(crate) fn without_budget(&self) -> Self {
        Request { budget: Budget::UNLIMITED, ..self.clone() }
    }

    /// In which format the client wants the reply.
    pub fn accepted(&self) -> Format {
        self.accepted
    }

    /// In which format the body is.
    pub fn body_format(&self) -> Format {
        format::of_body(&self.headers)
    }

    /// The body as it was sent (but decompressed).
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body as one value, from JSON or, checked and not copied, from VelocyPack. Error 600 when it is neither;
    /// [`Slice::NONE`] when there is no body.
    pub fn body_value(&self) -> Result<BodyValue<'_>> {
        if self.body.is_empty() {
            return Ok(BodyValue { bytes: Cow::Borrowed(&[]) });
        }
        let limits = Limits::default();
        let bytes = match self.body_format() {
            Format::VelocyPack => {
                let value = validate(&self.body, &limits).map_err(corrupted)?;
                Cow::Borrowed(value.bytes())
            }
            Format::Json => {
                let mut builder = Builder::with_capacity(self.body.len() + 16);
                json::parse_strict(&self.body, &limits, &mut builder).map_err(corrupted)?;
                Cow::Owned(builder.into_vec())
            }
        };
        Ok(BodyValue { bytes })
    }

    /// The body as an object; without a body the empty one. Errors: 600, and 10 when it is something else.
    pub fn body_object(&self) -> Result<BodyValue<'_>> {
        let value = self.body_value()?;
        match value.slice() {
            slice if slice.is_object() => Ok(value),
            slice if slice.is_none() => Ok(BodyValue { bytes: Cow::Borrowed(Slice::EMPTY_OBJECT.bytes()) }),
            _ => Err(Error::bad_parameter("the request body must be an object")),
        }
    }
}

fn unquote(revision: &str) -> &str {
    let revision = revision.trim();
    revision.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(revision)
}

fn corrupted(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::HttpCorruptedJson, format!("invalid request body: {error}"))
}

/// A body that was read and checked.
#[derive(Clone, Debug)]
pub struct BodyValue<'a> {
    bytes: Cow<'a, [u8]>,
}

impl BodyValue<'_> {
    /// The value.
    pub fn slice(&self) -> Slice<'_> {
        Slice::new(&self.bytes)
    }

    /// The value's bytes, copied only where they are the request's own.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes.into_owned()
    }
}
