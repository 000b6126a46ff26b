//! Replies as bytes of HTTP/1.1.

use std::cell::RefCell;
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::body::Body as _;
use hyper::header::{CONNECTION, CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue};
use hyper::http::response::Parts;
use hyper::{Method, StatusCode};

use crate::http::body::ReplyBody;

/// The form in which a body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// There is no body.
    Nothing,
    /// The head says the length.
    Length,
    /// In chunks with their lengths.
    Chunked,
}

/// Appends the head of a reply. Returns the form of its body.
///
/// The rules are hyper's: a reply without a body has the length 0, except for HEAD and for the
/// statuses 204 and 304; the route may set the length itself.
pub(super) fn head(
    out: &mut Vec<u8>,
    method: &Method,
    parts: &Parts,
    body: &ReplyBody,
    is_last: bool,
) -> Framing {
    status_line(out, parts.status);
    for (name, value) in &parts.headers {
        line(out, name, value);
    }
    if is_last && !says_close(&parts.headers) {
        line(out, &CONNECTION, &HeaderValue::from_static("close"));
    }
    let may_have_length = !matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let may_have_body = may_have_length && *method != Method::HEAD;
    let length = if body.is_end_stream() { Some(0) } else { body.size_hint().exact() };
    let framing = match length {
        _ if parts.headers.contains_key(CONTENT_LENGTH) => Framing::Length,
        Some(0) if !may_have_body => Framing::Nothing,
        Some(length) if may_have_length => {
            // Writing into memory does not fail.
            let _ = write!(out, "content-length: {length}\r\n");
            Framing::Length
        }
        None if may_have_body => {
            out.extend_from_slice(b"transfer-encoding: chunked\r\n");
            Framing::Chunked
        }
        _ => Framing::Nothing,
    };
    if !parts.headers.contains_key(DATE) {
        date_line(out);
    }
    out.extend_from_slice(b"\r\n");
    if may_have_body { framing } else { Framing::Nothing }
}

/// Returns true if the headers end the connection.
pub(super) fn says_close(headers: &HeaderMap) -> bool {
    let names = |value: &HeaderValue| {
        value
            .to_str()
            .is_ok_and(|names| names.split(',').any(|name| name.trim().eq_ignore_ascii_case("close")))
    };
    headers.get_all(CONNECTION).iter().any(names)
}

fn status_line(out: &mut Vec<u8>, status: StatusCode) {
    match status {
        StatusCode::OK => out.extend_from_slice(b"HTTP/1.1 200 OK\r\n"),
        StatusCode::CREATED => out.extend_from_slice(b"HTTP/1.1 201 Created\r\n"),
        StatusCode::ACCEPTED => out.extend_from_slice(b"HTTP/1.1 202 Accepted\r\n"),
        status => {
            let reason = status.canonical_reason().unwrap_or("<none>");
            // Writing into memory does not fail.
            let _ = write!(out, "HTTP/1.1 {} {reason}\r\n", status.as_u16());
        }
    }
}

fn line(out: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    out.extend_from_slice(name.as_str().as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Appends the header `date`, which is formatted once a second.
fn date_line(out: &mut Vec<u8>) {
    thread_local! {
        static LINE: RefCell<(u64, Vec<u8>)> = const { RefCell::new((0, Vec::new())) };
    }
    let now = SystemTime::now();
    let second = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    LINE.with_borrow_mut(|(of_second, line)| {
        if *of_second != second || line.is_empty() {
            line.clear();
            // Writing into memory does not fail.
            let _ = write!(line, "date: {}\r\n", httpdate::fmt_http_date(now));
            *of_second = second;
        }
        out.extend_from_slice(line);
    });
}

/// Appends the line before a chunk.
pub(super) fn chunk_begin(out: &mut Vec<u8>, bytes: usize) {
    // Writing into memory does not fail.
    let _ = write!(out, "{bytes:X}\r\n");
}

/// The end of a chunk.
pub(super) const CHUNK_END: &[u8] = b"\r\n";

/// The end of a body in chunks.
pub(super) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
