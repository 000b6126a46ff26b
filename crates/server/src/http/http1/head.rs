//! The head of a request that the loop answers itself.
//!
//! The loop takes a strict subset of what RFC 9112 allows, in which no two readers can disagree
//! about the end of a request. Everything else, well-formed or not, is for hyper.

use std::mem::MaybeUninit;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri, Version};
use smallvec::SmallVec;

use crate::http::body::RequestBody;

/// Maximum size in bytes of a head.
pub(super) const MAX_HEAD_BYTES: usize = 16 << 10;

/// Maximum size in bytes of a body.
pub(super) const MAX_BODY_BYTES: usize = 64 << 10;

/// Maximum number of headers.
const MAX_HEADERS: usize = 48;

/// Digits of a content length that the loop reads.
const MAX_LENGTH_DIGITS: usize = 9;

/// The bytes at the beginning of a connection's input.
pub(super) enum Parsed {
    /// The beginning of a head.
    Partial,
    /// The head of a request for the loop.
    Head(Head),
    /// Not for the loop.
    Other,
}

/// A head, as places in the bytes that it was read from.
pub(super) struct Head {
    method: Method,
    target: Place,
    /// Names and values.
    headers: SmallVec<[(Place, Place); 12]>,
    head_bytes: usize,
    body_bytes: usize,
}

/// The place of a part in the bytes of a head, which are fewer than 2^16.
#[derive(Clone, Copy)]
struct Place {
    begin: u16,
    end: u16,
}

impl Place {
    fn of(part: &[u8], head: &[u8]) -> Option<Self> {
        let begin = part.as_ptr().addr().checked_sub(head.as_ptr().addr())?;
        let end = begin.checked_add(part.len())?;
        Some(Place { begin: begin.try_into().ok()?, end: end.try_into().ok()? })
    }

    fn in_message(self, message: &Bytes) -> Option<Bytes> {
        let part = message.get(usize::from(self.begin)..usize::from(self.end))?;
        Some(message.slice_ref(part))
    }
}

/// Parses the head of the next request.
pub(super) fn parse(input: &[u8]) -> Parsed {
    if input.is_empty() {
        return Parsed::Partial;
    }
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(input, &mut headers) {
        Ok(httparse::Status::Complete(head_bytes)) => {
            checked(input, head_bytes, &request).map_or(Parsed::Other, Parsed::Head)
        }
        // The parser skips empty lines before a request.
        Ok(httparse::Status::Partial) if input.len() < MAX_HEAD_BYTES && is_letter(input.first()) => {
            Parsed::Partial
        }
        Ok(httparse::Status::Partial) | Err(_) => Parsed::Other,
    }
}

fn is_letter(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_uppercase)
}

/// Returns the head if it is for the loop.
fn checked(input: &[u8], head_bytes: usize, request: &httparse::Request<'_, '_>) -> Option<Head> {
    let head = input.get(..head_bytes)?;
    if head_bytes > MAX_HEAD_BYTES || request.version != Some(1) || !is_letter(head.first()) {
        return None;
    }
    if !ends_all_lines_with_crlf(head) {
        return None;
    }
    let target = request.path.filter(|target| target.starts_with('/'))?;
    let mut body_bytes = None;
    let mut headers = SmallVec::new();
    for header in request.headers.iter() {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        match header.name.len() {
            14 if is("content-length") && body_bytes.is_some() => return None,
            14 if is("content-length") => body_bytes = Some(length(header.value)?),
            10 if is("connection") && !header.value.eq_ignore_ascii_case(b"keep-alive") => return None,
            17 if is("transfer-encoding") => return None,
            2 | 6 | 7 if is("te") || is("expect") || is("upgrade") || is("trailer") => return None,
            _ => {}
        }
        headers.push((Place::of(header.name.as_bytes(), head)?, Place::of(header.value, head)?));
    }
    Some(Head {
        method: method(request.method?)?,
        target: Place::of(target.as_bytes(), head)?,
        headers,
        head_bytes,
        body_bytes: body_bytes.unwrap_or(0),
    })
}

/// Returns true if each line ends with CR LF. Readers disagree about lines that end with LF alone.
fn ends_all_lines_with_crlf(head: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', head).all(|at| at > 0 && head.get(at - 1) == Some(&b'\r'))
}

fn method(name: &str) -> Option<Method> {
    Some(match name {
        "GET" => Method::GET,
        "HEAD" => Method::HEAD,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "DELETE" => Method::DELETE,
        _ => return None,
    })
}

/// Returns the length of a body that is short enough.
fn length(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > MAX_LENGTH_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let length = digits.iter().fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
    (length <= MAX_BODY_BYTES).then_some(length)
}

impl Head {
    /// Returns the bytes of the whole request.
    pub(super) fn request_bytes(&self) -> usize {
        self.head_bytes + self.body_bytes
    }

    /// Returns the request whose bytes are `message`; `None` if it is not well-formed after all.
    pub(super) fn request(self, message: &Bytes) -> Option<Request<RequestBody>> {
        let mut headers = HeaderMap::with_capacity(self.headers.len());
        for (name, value) in &self.headers {
            let name = HeaderName::from_bytes(&name.in_message(message)?).ok()?;
            headers.append(name, HeaderValue::from_maybe_shared(value.in_message(message)?).ok()?);
        }
        let body = match self.body_bytes {
            0 => Bytes::new(),
            _ => message.slice(self.head_bytes..),
        };
        let mut request = Request::new(RequestBody::Whole(body));
        *request.method_mut() = self.method;
        *request.uri_mut() = Uri::from_maybe_shared(self.target.in_message(message)?).ok()?;
        *request.version_mut() = Version::HTTP_11;
        *request.headers_mut() = headers;
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(input: &str) -> Option<Request<RequestBody>> {
        match parse(input.as_bytes()) {
            Parsed::Head(head) => {
                assert_eq!(head.request_bytes(), input.len());
                head.request(&Bytes::copy_from_slice(input.as_bytes()))
            }
            Parsed::Partial | Parsed::Other => None,
        }
    }

    fn is_other(input: &str) -> bool {
        matches!(parse(input.as_bytes()), Parsed::Other)
    }

    #[test]
    fn a_request_has_method_target_headers_and_body() {
        let text =
            "POST /_api/cursor?a=%20 HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\n{}";
        let request = request(text).unwrap();
        assert_eq!(
            (request.method(), request.uri().to_string()),
            (&Method::POST, "/_api/cursor?a=%20".into())
        );
        let values: Vec<_> = request.headers().get_all("x-a").iter().collect();
        assert_eq!(values, ["1", "2"]);
        assert!(matches!(request.body(), RequestBody::Whole(body) if body == "{}"));
    }

    #[test]
    fn every_prefix_of_a_head_is_partial() {
        let text = "GET /_api/version HTTP/1.1\r\nHost: x\r\n\r\n";
        for length in 0..text.len() {
            assert!(matches!(parse(&text.as_bytes()[..length]), Parsed::Partial), "{length}");
        }
        assert!(request(text).is_some());
    }

    #[test]
    fn what_readers_may_disagree_about_is_for_hyper() {
        let with = |header: &str| format!("POST / HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n");
        for header in [
            "Content-Length: 1\r\nContent-Length: 1",
            "Content-Length: 1, 1",
            "Content-Length: +1",
            "Content-Length: 0x1",
            "Content-Length:",
            "Content-Length: 65537",
            "Content-Length: 18446744073709551617",
            "Transfer-Encoding: chunked",
            "Content-Length: 1\r\nTransfer-Encoding: chunked",
            "Connection: close",
            "Connection: keep-alive, upgrade",
            "Expect: 100-continue",
            "Upgrade: h2c",
            "A: 1\nB: 2",
            "A: 1\r\n folded",
            "A : 1",
            " A: 1",
        ] {
            assert!(is_other(&with(header)), "{header}");
        }
        for line in ["GET / HTTP/1.0", "OPTIONS / HTTP/1.1", "GET http://x/ HTTP/1.1", "GET * HTTP/1.1"] {
            assert!(is_other(&format!("{line}\r\nHost: x\r\n\r\n")), "{line}");
        }
        assert!(is_other("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
        assert!(is_other("\r\nGET / HTTP/1.1\r\n\r\n"));
        assert!(is_other(&format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(MAX_HEAD_BYTES))));
    }
}
