//! `/_api/batch`: many requests in one, run one after the other and answered in their order.
//!
//! The body is multipart: each part is a whole HTTP request of any kind but a batch. Nothing is run before the whole body
//! was taken apart. A part that fails stops no other, and there is no transaction around them. All parts use the database
//! that the batch's own address names. The user is the batch's own, too, unless a part brings an `authorization` of its
//! own.

use bytes::Bytes;
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use hyper::{Method, StatusCode, Uri};

use crate::auth::{Look, not_authorized};
use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::compression::decompress;
use crate::http::dispatch::{self, AsyncMode, Job};
use crate::http::format;
use crate::http::multipart::{self, Head, Part, line_at};
use crate::http::request::Request;
use crate::http::response::{Body, Encoded, Response};
use crate::http::router::{Route, Verb};
use crate::session::Session;

const PATTERN: &str = "/_api/batch";
const PART_TYPE: &[u8] = b"application/x-arango-batchpart";
const ERRORS: &str = "x-arango-errors";

/// Once a reply is so large, the parts that follow are refused.
const REPLY_MAX_BYTES: usize = 1 << 30;

/// What is reserved for the reply to a part: a document's metadata with its head.
const PART_REPLY_BYTES: usize = 384;

pub(super) const ROUTES: &[Route] = &[Route::pool(Verb::Post, PATTERN, run)];

fn run(session: &Session, request: &Request) -> Result<Response> {
    let content_type = request.header(CONTENT_TYPE);
    let malformed =
        |error: multipart::MultipartError| ApiError::new(number::HTTP_BAD_PARAMETER, error.to_string());
    let boundary = multipart::boundary(content_type, request.body()).map_err(malformed)?;
    let parts = multipart::split(request.body(), &boundary).map_err(malformed)?;
    check_types(&parts)?;
    let mut reply = Reply { bytes: Vec::with_capacity(parts.len() * PART_REPLY_BYTES), boundary: &boundary };
    let mut failed = 0;
    for part in &parts {
        let (answer, has_body) = answer(session, request, part, reply.bytes.len());
        failed += usize::from(answer.status.as_u16() >= 400);
        reply.push(part.header("content-id"), &answer, has_body);
    }
    let response = Response::bytes(StatusCode::OK, form_data(&boundary)?, reply.finish());
    if failed == 0 { Ok(response) } else { response.text_header(ERRORS, &failed.to_string()) }
}

fn check_types(parts: &[Part]) -> Result<()> {
    for (position, part) in (1..).zip(parts) {
        let given = part.header("content-type").unwrap_or_default();
        let media_type = given.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        if !media_type.eq_ignore_ascii_case(PART_TYPE) {
            let message = format!(
                "part {position} of the batch has the content type '{}', expecting '{}'",
                String::from_utf8_lossy(media_type),
                String::from_utf8_lossy(PART_TYPE)
            );
            return Err(ApiError::new(number::HTTP_BAD_PARAMETER, message));
        }
    }
    Ok(())
}

fn form_data(boundary: &[u8]) -> Result<HeaderValue> {
    let value = [b"multipart/form-data; boundary=", boundary].concat();
    HeaderValue::from_bytes(&value)
        .map_err(|_| ApiError::bad_parameter("the boundary has control characters"))
}

/// The answer to a part, and whether its body is sent.
fn answer(session: &Session, batch: &Request, part: &Part, reply_bytes: usize) -> (Answer, bool) {
    let mut method = Method::GET;
    let mut accepted = batch.accepted();
    let response = if reply_bytes > REPLY_MAX_BYTES {
        let message = format!("the reply to the batch is larger than {REPLY_MAX_BYTES} bytes");
        Err(ApiError::new(number::RESOURCE_LIMIT, message))
    } else {
        part_request(batch, &part.body).and_then(|request| {
            method = request.method.clone();
            accepted = request.accepted;
            run_part(session, batch, request)
        })
    };
    let response = response.unwrap_or_else(ApiError::into_response);
    let answer = Answer::of(response, accepted)
        .or_else(|error| Answer::of(error.into_response(), accepted))
        .unwrap_or_else(|_| Answer::broken());
    (answer, method != Method::HEAD)
}

/// A part that was taken apart, before its route is known.
struct PartRequest {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    accepted: format::Format,
}

fn run_part(session: &Session, batch: &Request, part: PartRequest) -> Result<Response> {
    let server = session.server();
    let path = dispatch::parse_path(&part.uri)?;
    let (route, matched) = dispatch::find_route(server, &part.method, &path)?;
    if route.pattern == PATTERN {
        return Err(ApiError::new(number::HTTP_BAD_PARAMETER, "a batch cannot be part of a batch"));
    }
    let job = match dispatch::open_job(&route) {
        Some(job) => job,
        None => user_job(session, &route, path.database(), &part)?,
    };
    let body = decompress(&part.headers, part.body, server.options().http.max_body_bytes)?;
    let later = AsyncMode::of(&part.headers);
    let request = Request {
        method: part.method,
        uri: part.uri,
        path,
        matched,
        headers: part.headers,
        body,
        accepted: part.accepted,
        client: batch.client(),
    };
    match later {
        Some(mode) => dispatch::run_later(server, job, request, mode),
        None => dispatch::run_blocking(server, &job, &request),
    }
}

fn user_job(session: &Session, route: &Route, database: &str, part: &PartRequest) -> Result<Job> {
    let server = session.server();
    if !part.headers.contains_key(AUTHORIZATION) {
        return dispatch::user_job(server, route, database, session.identity().clone());
    }
    let catalog = server.instance().store().catalog();
    let identity = match server.authentication().look(&catalog, &part.headers, part.uri.path())? {
        Look::Known(identity) => identity,
        Look::Password(credentials) => {
            let checked = server.authentication().check(&catalog, &credentials);
            checked.ok_or_else(|| not_authorized(&part.headers))?
        }
    };
    dispatch::user_job(server, route, database, identity)
}

/// Takes a part apart: the request line, headers up to the first empty line, and the body. Any of them may be cut short.
fn part_request(batch: &Request, part: &Bytes) -> Result<PartRequest> {
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
    let uri = part_uri(batch.uri(), line.slice_ref(target))?;
    let (head, body) =
        Head::read(&part.slice(next..)).ok_or_else(|| bad_part("the request has malformed headers"))?;
    let headers = headers(&head)?;
    let accepted = if headers.contains_key(hyper::header::ACCEPT) {
        format::accepted(&headers)
    } else {
        batch.accepted()
    };
    Ok(PartRequest { method, uri, headers, body: body.unwrap_or_default(), accepted })
}

fn headers(head: &Head) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in head.iter() {
        let name =
            HeaderName::from_bytes(&name).map_err(|_| bad_part("the request has malformed headers"))?;
        let value = HeaderValue::from_maybe_shared(value)
            .map_err(|_| bad_part("the request has a header with control characters"))?;
        if name == TRANSFER_ENCODING {
            return Err(bad_part("a part of a batch has no transfer-encoding"));
        }
        headers.append(name, value);
    }
    Ok(headers)
}

/// The part's address, in the database that the batch's own address names.
fn part_uri(batch: &Uri, target: Bytes) -> Result<Uri> {
    const DATABASE: &str = "/_db/";
    let own = batch.path().strip_prefix(DATABASE).and_then(|rest| rest.split('/').next());
    let is_plain = target.starts_with(b"/") && !target.starts_with(DATABASE.as_bytes());
    let malformed = |_| bad_part("the request has a malformed address");
    if own.is_none() && is_plain {
        return Uri::from_maybe_shared(target).map_err(malformed);
    }
    let target = std::str::from_utf8(&target).map_err(|_| bad_part("the request has a malformed address"))?;
    let target = target.strip_prefix('/').unwrap_or(target);
    let target = match target.strip_prefix("_db/") {
        Some(rest) => rest.split_once('/').map_or("", |(_, rest)| rest),
        None => target,
    };
    let prefix = own.map_or_else(String::new, |name| format!("{DATABASE}{name}"));
    Uri::from_maybe_shared(Bytes::from(format!("{prefix}/{target}"))).map_err(malformed)
}

fn bad_part(message: &'static str) -> ApiError {
    ApiError::new(number::HTTP_BAD_PARAMETER, message)
}

/// The reply to a part, with its whole body.
struct Answer {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Encoded,
}

impl Answer {
    fn of(response: Response, accepted: format::Format) -> Result<Self> {
        let (response, encoded) = response.encode(accepted)?;
        let headers = response.headers.into_iter().collect();
        let body = match (encoded, response.body) {
            (Some(body), _) => body,
            (None, Body::Stream { content_type, mut source }) => {
                let mut bytes = Vec::new();
                while let Some(chunk) = source.next_chunk()? {
                    bytes.extend_from_slice(&chunk);
                    if bytes.len() > REPLY_MAX_BYTES {
                        let message = "the reply is too large for a batch: ask for it by itself";
                        return Err(ApiError::new(number::RESOURCE_LIMIT, message));
                    }
                }
                Encoded { content_type: Some(content_type), bytes: bytes.into() }
            }
            (None, _) => Encoded { content_type: None, bytes: Bytes::new() },
        };
        Ok(Answer { status: response.status, headers, body })
    }

    /// When not even an error can be written.
    fn broken() -> Self {
        let body = Encoded { content_type: None, bytes: Bytes::new() };
        Answer { status: StatusCode::INTERNAL_SERVER_ERROR, headers: Vec::new(), body }
    }
}

/// The reply to the batch, being written.
struct Reply<'a> {
    bytes: Vec<u8>,
    boundary: &'a [u8],
}

impl Reply<'_> {
    fn push(&mut self, id: Option<Bytes>, answer: &Answer, has_body: bool) {
        self.text(&[b"--", self.boundary, b"\r\nContent-Type: ", PART_TYPE, b"\r\n"]);
        if let Some(id) = id {
            self.text(&[b"Content-Id: ", &id, b"\r\n"]);
        }
        let reason = answer.status.canonical_reason().unwrap_or_default();
        self.text(&[b"\r\nHTTP/1.1 ", answer.status.as_str().as_bytes(), b" ", reason.as_bytes(), b"\r\n"]);
        let content_type = answer.body.content_type.iter().map(|value| (&CONTENT_TYPE, value));
        for (name, value) in content_type.chain(answer.headers.iter().map(|(name, value)| (name, value))) {
            self.text(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
        }
        let length = answer.body.bytes.len().to_string();
        self.text(&[CONTENT_LENGTH.as_str().as_bytes(), b": ", length.as_bytes(), b"\r\n\r\n"]);
        if has_body {
            self.text(&[&answer.body.bytes]);
        }
        self.text(&[b"\r\n"]);
    }

    fn text(&mut self, pieces: &[&[u8]]) {
        pieces.iter().for_each(|piece| self.bytes.extend_from_slice(piece));
    }

    fn finish(mut self) -> Vec<u8> {
        self.text(&[b"--", self.boundary, b"--\r\n"]);
        self.bytes
    }
}
