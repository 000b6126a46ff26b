//! One part of a batch: from its text to its route.

use std::sync::Arc;

use bytes::Bytes;
use database::{Budget, Charge, Identity, MemoryAccount, Session};
use errors::{Error, ErrorCode, Result};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use hyper::{Method, Uri};

use crate::http::api_version::{self, ApiVersion};
use crate::http::body_memory::BYTES_PER_BODY_BYTE;
use crate::http::compression::{bounds_to_try, decompress};
use crate::http::dispatch::{self, Dispatcher, Job};
use crate::http::elsewhere::{Elsewhere, Passed};
use crate::http::format::{self, Format};
use crate::http::forward::HomeServer;
use crate::http::multipart::{Head, line_at};
use crate::http::request::{BodyShare, Request, RequestMemory};
use crate::http::response::Response;
use crate::http::services::{AsyncMode, Identified};
use crate::placement::logins::{Attempt, Logins};
use crate::service::authentication::not_authorized;

/// The services for the requests of parts.
pub(crate) struct PartServices {
    /// All routes except that of batches.
    pub(crate) dispatcher: Dispatcher,
    pub(crate) logins: Arc<Logins>,
    /// The way of requests that belong to another server.
    pub(crate) elsewhere: Arc<Elsewhere>,
    /// Maximum size in bytes of a part's body after decompression.
    pub(crate) max_body_bytes: usize,
}

/// The request of a part, before its route is known.
pub(super) struct PartRequest {
    pub(super) method: Method,
    uri: Uri,
    api_version: ApiVersion,
    headers: HeaderMap,
    body: Bytes,
    pub(super) accepted: Format,
}

impl PartRequest {
    /// Parses a part: the request line, the headers up to the first empty line, and the body.
    ///
    /// The part may end after any of them.
    pub(super) fn read(batch: &Request, part: &Bytes) -> Result<Self> {
        let (line, next) = line_at(part, 0);
        let line = part.slice(line);
        let mut words = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(bad_part("the request line has no method and address"));
        };
        if words.next().is_some_and(|version| !version.starts_with(b"HTTP/1.")) || words.next().is_some() {
            return Err(bad_part("the request line does not end with 'HTTP/1.1'"));
        }
        let method = Method::from_bytes(method).map_err(|_| bad_part("the request has no valid method"))?;
        let target = line.slice_ref(target);
        let (api_version, target) = match std::str::from_utf8(&target).ok().and_then(api_version::split) {
            Some((version, rest)) => (version, target.slice_ref(rest.as_bytes())),
            None => (ApiVersion::default(), target.clone()),
        };
        let uri = part_uri(batch.uri(), target)?;
        let (head, body) =
            Head::read(&part.slice(next..)).ok_or_else(|| bad_part("the request has malformed headers"))?;
        let headers = headers(&head)?;
        let accepted = if headers.contains_key(hyper::header::ACCEPT) {
            format::accepted(&headers)
        } else {
            batch.accepted()
        };
        Ok(PartRequest { method, uri, api_version, headers, body: body.unwrap_or_default(), accepted })
    }

    /// Finds the route of the request and its server, and checks the user's rights. `memory` is the
    /// batch's account.
    pub(super) fn prepare(
        self,
        services: &PartServices,
        session: &Session,
        batch: &Request,
        memory: &Arc<MemoryAccount>,
    ) -> Result<(PreparedPart, HomeServer)> {
        let dispatcher = &services.dispatcher;
        let path = dispatch::parse_path(&self.uri)?;
        let (route, matched) = dispatcher.find_route(&self.method, &path)?;
        let home = dispatcher.home_server(&route, matched, &path, (&self.uri, &self.headers));
        let job = match dispatch::open_job(&route) {
            Some(job) => job,
            None => {
                let identity = self.identity(services, session, batch)?;
                let job = dispatcher.user_job(route, path.database(), identity, &self.headers)?;
                match session.interrupt() {
                    Some(interrupt) => job.ended_by(interrupt),
                    None => job,
                }
            }
        };
        let max_bytes = job.max_body_bytes(services.max_body_bytes);
        let sent = self.body.clone();
        let (body, unpacked) = unpack(&self.headers, self.body, max_bytes, memory)?;
        let later = AsyncMode::of(&self.headers).filter(|_| !job.is_open());
        let mut headers = self.headers;
        // A part without a user has the batch's, also at another server.
        if let Some(value) = batch.headers().get(AUTHORIZATION) {
            headers.entry(AUTHORIZATION).or_insert_with(|| value.clone());
        }
        let request = Request {
            method: self.method,
            uri: self.uri,
            path,
            matched,
            headers,
            body,
            accepted: self.accepted,
            client: batch.client(),
            server: batch.server(),
            api_version: self.api_version,
            budget: Budget::UNLIMITED,
            // The memory of the batch covers a part that was not compressed.
            memory: unpacked.map(Arc::new).or_else(|| batch.memory.clone()),
        };
        Ok((PreparedPart { job, request, later, sent }, home))
    }

    /// Returns the batch's user, unless the part names another.
    ///
    /// A part cannot wait as other logins do. After a failure of its user or address it is refused,
    /// and also while the keys for its token are fetched.
    fn identity(&self, services: &PartServices, session: &Session, batch: &Request) -> Result<Identity> {
        if !self.headers.contains_key(AUTHORIZATION) {
            // A token for the path of batches alone is none for everything.
            if !services.dispatcher.services().allows(batch.headers(), self.uri.path()) {
                return Err(not_authorized(&self.headers));
            }
            return Ok(session.identity().clone());
        }
        match services.dispatcher.services().identify(&self.headers, self.uri.path())? {
            Identified::Known(identity) => Ok(identity),
            Identified::AfterKeys { check, .. } => check(),
            Identified::ByPassword { user, check } => {
                let attempt = Attempt { user, address: batch.client().map(|client| client.ip()) };
                if !services.logins.admits_now(&attempt) {
                    return Err(not_authorized(&self.headers));
                }
                let checked = check();
                services.logins.record(&attempt, checked.is_ok());
                checked
            }
        }
    }
}

/// A part with its route and its user.
pub(super) struct PreparedPart {
    job: Job,
    request: Request,
    later: Option<AsyncMode>,
    /// The body as it was sent.
    sent: Bytes,
}

impl PreparedPart {
    /// Returns the request for another server, in the batch's format if the part names none.
    pub(super) fn passed(&self, batch: &Request) -> Result<Passed> {
        let mut headers = self.request.headers().clone();
        if let Some(value) = batch.headers().get(ACCEPT) {
            headers.entry(ACCEPT).or_insert_with(|| value.clone());
        }
        Passed::new(self.request.method(), self.request.uri(), headers, self.sent.clone())
    }

    /// Runs the request, on the connection's task as far as possible.
    pub(super) fn begin(self, services: &PartServices, batch: &Request) -> Result<Response> {
        let PreparedPart { job, request, later, .. } = self;
        let dispatcher = &services.dispatcher;
        match later {
            Some(mode) => dispatcher.run_later(job, request, mode),
            None if batch.budget().is_unlimited() => dispatcher.run(&job, &request),
            None => dispatcher.begin(job, request),
        }
    }
}

fn headers(head: &Head) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in head.iter() {
        let name =
            HeaderName::from_bytes(&name).map_err(|_| bad_part("the request has malformed headers"))?;
        let value = HeaderValue::from_maybe_shared(value)
            .map_err(|_| bad_part("the request has a header with control characters"))?;
        if name == TRANSFER_ENCODING {
            return Err(bad_part("a part of a batch must not have a transfer-encoding"));
        }
        headers.append(name, value);
    }
    Ok(headers)
}

/// Returns the part's address. A part that names no database is in that of the batch's address.
fn part_uri(batch: &Uri, target: Bytes) -> Result<Uri> {
    const DATABASE: &str = "/_db/";
    let malformed = |_| bad_part("the request has a malformed address");
    let own = batch.path().strip_prefix(DATABASE).and_then(|rest| rest.split('/').next());
    let target = if target.starts_with(b"/") { target } else { [b"/", &*target].concat().into() };
    let Some(own) = own.filter(|_| !target.starts_with(DATABASE.as_bytes())) else {
        return Uri::from_maybe_shared(target).map_err(malformed);
    };
    Uri::from_maybe_shared(Bytes::from([DATABASE.as_bytes(), own.as_bytes(), &target].concat()))
        .map_err(malformed)
}

fn bad_part(message: &'static str) -> Error {
    Error::new(ErrorCode::HttpBadParameter, message)
}

/// Returns a part's body without its `content-encoding`, and the memory that it takes then.
///
/// Errors: 32 if the account has too little memory; those of [`decompress`].
fn unpack(
    headers: &HeaderMap,
    packed: Bytes,
    max_bytes: usize,
    account: &Arc<MemoryAccount>,
) -> Result<(Bytes, Option<RequestMemory>)> {
    let memory_of = |bytes: usize| (bytes * BYTES_PER_BODY_BYTE) as u64;
    if !headers.contains_key(CONTENT_ENCODING) || packed.is_empty() {
        return Ok((packed, None));
    }
    let mut charge = Charge::new(Arc::clone(account));
    for bytes in bounds_to_try(&packed, max_bytes) {
        charge.grow(memory_of(bytes).saturating_sub(charge.bytes()))?;
        match decompress(headers, packed.clone(), bytes) {
            Err(error) if error.status() == 413 && bytes < max_bytes => {}
            unpacked => {
                let body = unpacked?;
                charge.shrink(charge.bytes().saturating_sub(memory_of(body.len())));
                let account = Some(Arc::clone(account));
                return Ok((body, Some(RequestMemory { _body: BodyShare::OfQueries(charge), account })));
            }
        }
    }
    Err(Error::internal("a part was neither decompressed nor refused"))
}
