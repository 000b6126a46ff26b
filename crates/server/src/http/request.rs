//! A request in the form that routes see: complete, decoded, and limited in size.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;
use database::{Budget, Charge, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use hyper::header::{AsHeaderName, HeaderMap, IF_MATCH, IF_NONE_MATCH};
use hyper::{Method, Uri};
use velocypack::{Builder, Limits, Slice, json, validate};

use super::api_version::ApiVersion;
use super::body_memory::BodyPermit;
use super::connections::ServerEnd;
use super::format::{self, Format};
use super::path::Path;
use super::pattern::Match;
use super::query::Query;

/// A request with its whole body. A clone is cheap, because it shares the body.
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
    pub(crate) server: ServerEnd,
    /// The version of the API that the address named.
    pub(crate) api_version: ApiVersion,
    /// The time that the request may take on the present thread.
    pub(crate) budget: Budget,
    /// The share of the memory for requests, held as long as the request exists.
    pub(crate) memory: Option<Arc<RequestMemory>>,
}

impl Request {
    /// Returns the method. The routes of GET also answer HEAD, which they see here.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Returns the decoded path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the address as it was sent, with database and query parameters, but without the
    /// version of the API.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns the version of the API that the address named, or the default.
    pub fn api_version(&self) -> ApiVersion {
        self.api_version
    }

    /// Returns the name of the request's database.
    pub fn database(&self) -> &str {
        self.path.database()
    }

    /// Returns the address of the client, if it has one.
    pub fn client(&self) -> Option<SocketAddr> {
        self.client
    }

    /// Returns the decoded segment that `{name}` of the route's pattern stands for.
    ///
    /// It is empty for a name that the pattern lacks.
    pub fn parameter(&self, name: &str) -> &str {
        self.matched.position(name).and_then(|position| self.path.segment(position)).unwrap_or_default()
    }

    /// Returns the segments that `{*}` at the end of the route's pattern stands for.
    pub fn rest(&self) -> impl Iterator<Item = &str> {
        self.path.segments().skip(self.matched.rest())
    }

    /// Returns the query parameters.
    pub fn query(&self) -> Query<'_> {
        Query::new(self.uri.query().unwrap_or_default())
    }

    /// Returns a query parameter that is a bool, or its default.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.query().bool(name)?.unwrap_or(default))
    }

    /// Returns a query parameter that is a number. Errors: 10 if it is not a number.
    pub fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        self.query().number(name)
    }

    /// Returns the text of a query parameter.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'_, str>>> {
        self.query().text(name)
    }

    /// Returns all headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns a header's text, or `None` if it is missing or holds characters beyond ASCII.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the revision in `If-Match`, without quotes.
    pub fn if_match(&self) -> Option<&str> {
        self.header(IF_MATCH).map(unquote)
    }

    /// Returns the revision in `If-None-Match`, without quotes.
    pub fn if_none_match(&self) -> Option<&str> {
        self.header(IF_NONE_MATCH).map(unquote)
    }

    /// Returns the server's end of the connection.
    pub fn server(&self) -> ServerEnd {
        self.server
    }

    /// Returns the time that the request may take on the present thread. Under a limited budget a
    /// handler must not wait.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Returns the same request for a handler without a limit of time.
    pub(crate) fn without_budget(&self) -> Self {
        Request { budget: Budget::UNLIMITED, ..self.clone() }
    }

    /// Returns the format that the client wants for the reply.
    pub fn accepted(&self) -> Format {
        self.accepted
    }

    /// Returns the format of the body.
    pub fn body_format(&self) -> Format {
        format::of_body(&self.headers)
    }

    /// Returns the body as it was sent, after decompression.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the body as one value: parsed JSON, or VelocyPack that is validated and not copied.
    ///
    /// Without a body it is [`Slice::NONE`]. Errors: 600 if the body is neither.
    pub fn body_value(&self) -> Result<BodyValue<'_>> {
        if self.body.is_empty() {
            return Ok(BodyValue { bytes: Cow::Borrowed(&[]), _memory: None });
        }
        let limits = Limits::default();
        let mut memory = None;
        let bytes = match self.body_format() {
            Format::VelocyPack => {
                let value = validate(&self.body, &limits).map_err(corrupted)?;
                Cow::Borrowed(value.bytes())
            }
            Format::Json => {
                memory = self.charge_for_members()?;
                let mut builder = Builder::with_capacity(self.body.len() + 16);
                json::parse_strict(&self.body, &limits, &mut builder).map_err(corrupted)?;
                Cow::Owned(builder.into_vec())
            }
        };
        Ok(BodyValue { bytes, _memory: memory })
    }

    /// Charges the memory of a long body's members: VelocyPack has tables of their positions, which
    /// take more than the text of short members. Errors: 32.
    fn charge_for_members(&self) -> Result<Option<Charge>> {
        /// The bytes of a position in a finished table and in one under construction.
        const POSITION_BYTES: usize = 4 + 8;
        let account = self.memory.as_ref().and_then(|memory| memory.account.as_ref());
        let Some(account) = account else { return Ok(None) };
        let members = memchr::memchr_iter(b',', &self.body).count();
        let mut charge = Charge::new(Arc::clone(account));
        charge.grow((members * POSITION_BYTES) as u64)?;
        Ok(Some(charge))
    }

    /// Returns the body as an object; without a body the empty object. Errors: 600, and 10 for
    /// another type.
    pub fn body_object(&self) -> Result<BodyValue<'_>> {
        let value = self.body_value()?;
        match value.slice() {
            slice if slice.is_object() => Ok(value),
            slice if slice.is_none() => {
                Ok(BodyValue { bytes: Cow::Borrowed(Slice::EMPTY_OBJECT.bytes()), _memory: None })
            }
            _ => Err(Error::bad_parameter("the request body must be an object")),
        }
    }
}

fn unquote(revision: &str) -> &str {
    let revision = revision.trim();
    let within = |quote| revision.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(revision)
}

fn corrupted(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::HttpCorruptedJson, format!("invalid request body: {error}"))
}

/// The memory of a request whose body is counted.
#[derive(Debug)]
pub(crate) struct RequestMemory {
    pub(crate) _body: BodyShare,
    /// The account of further memory that a long body takes.
    pub(crate) account: Option<Arc<MemoryAccount>>,
}

/// The memory of a body and of its VelocyPack, released on drop.
#[derive(Debug)]
pub(crate) enum BodyShare {
    /// A share of the memory for bodies.
    OfBodies(#[expect(dead_code, reason = "held until the request ends")] BodyPermit),
    /// A share of the memory of queries, for a part of a batch that was decompressed.
    OfQueries(#[expect(dead_code, reason = "held until the request ends")] Charge),
}

/// A parsed or validated body.
#[derive(Debug)]
pub struct BodyValue<'a> {
    bytes: Cow<'a, [u8]>,
    _memory: Option<Charge>,
}

impl BodyValue<'_> {
    /// Returns the value.
    pub fn slice(&self) -> Slice<'_> {
        Slice::new(&self.bytes)
    }

    /// Returns the value's bytes, copied only if they are the request's own.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes.into_owned()
    }
}
