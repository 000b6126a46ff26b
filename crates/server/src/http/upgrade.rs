//! The way from HTTP/1.1 to HTTP/2 on a connection that has begun (`Upgrade: h2c`, RFC 7540, section 3.2).
//!
//! The request that asks for it is answered on stream 1 of the new protocol. So the bytes that the client sends after
//! our `101 Switching Protocols` are handed to the HTTP/2 server with that request put in, behind the client's first
//! frame: to the HTTP/2 server it looks as if the client had known all along.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::{Buf, Bytes};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, UPGRADE};
use hyper::upgrade::Upgraded;
use hyper::{Request, StatusCode, Version};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::body::{ReplyBody, collect};
use super::connection::{self, Connection};
use super::service::HttpReply;
use crate::server::Server;

/// The payload of a SETTINGS frame, encoded.
const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

/// What a client sends first on HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes of a frame's head: length (3), type, flags, stream (4).
const FRAME_HEAD_BYTES: usize = 9;

/// Longest payload of a frame before anything else is agreed upon.
const MAX_FRAME_BYTES: usize = 16 << 10;

/// Longest body that fits the window of a stream before anything else is agreed upon. A request with a longer one is
/// answered on HTTP/1.1, as the standard allows.
const MAX_BODY_BYTES: usize = 65_535;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A request's complete wish for HTTP/2.
pub(crate) struct Wish {
    settings: Vec<u8>,
    header_block: Vec<u8>,
}

impl Wish {
    /// The wish of a request; none for nearly all requests, after one look at one header.
    pub(crate) fn of(request: &Request<Incoming>) -> Option<Self> {
        let settings = wanted_settings(request)?;
        let header_block = header_block(request.method().as_str(), request)?;
        Some(Wish { settings, header_block })
    }
}

/// Answers 101 to a request that asks for HTTP/2, and goes on with HTTP/2.
pub(crate) async fn accept(
    server: &Arc<Server>,
    connection: &Arc<Connection>,
    mut request: Request<Incoming>,
    wish: Wish,
) -> HttpReply {
    let upgraded = hyper::upgrade::on(&mut request);
    let body = match collect(request.into_body(), MAX_BODY_BYTES, server.body_memory()).await {
        Ok(body) => body.bytes,
        Err(error) => return plain(error.status_code()),
    };
    let opening = Opening { settings: wish.settings, header_block: wish.header_block, body };
    let (own, client) = (Arc::clone(server), connection.client);
    let task = tokio::spawn(async move {
        if let Ok(upgraded) = upgraded.await {
            let stream = Switched {
                stream: TokioIo::new(upgraded),
                opening: Some(opening),
                ready: Bytes::new(),
                held: Vec::new(),
            };
            go_on(own, stream, client).await;
        }
    });
    connection.keep_upgraded(task);
    let mut reply = plain(StatusCode::SWITCHING_PROTOCOLS.as_u16());
    reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    reply.headers_mut().insert(UPGRADE, HeaderValue::from_static("h2c"));
    reply
}

/// Serves the rest of the connection. Boxed, since it leads back to where it came from.
fn go_on(
    server: Arc<Server>,
    stream: Switched,
    client: Option<std::net::SocketAddr>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(connection::serve(server, stream, client))
}

fn plain(status: u16) -> HttpReply {
    let mut reply = hyper::Response::new(ReplyBody::Whole(Bytes::new()));
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    reply
}

/// The settings that a client sends with the wish for HTTP/2; none without a complete wish.
fn wanted_settings(request: &Request<Incoming>) -> Option<Vec<u8>> {
    let headers = request.headers();
    let mut settings = headers.get_all(HTTP2_SETTINGS).iter();
    let (settings, None) = (settings.next()?, settings.next()) else { return None };
    let names = |name: HeaderName, token: &str| {
        let list = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        list.split(',').any(|item| item.trim().eq_ignore_ascii_case(token))
    };
    let asks = request.version() == Version::HTTP_11
        && names(UPGRADE, "h2c")
        && names(CONNECTION, "upgrade")
        && names(CONNECTION, HTTP2_SETTINGS.as_str());
    let is_short = request.body().size_hint().upper().is_some_and(|upper| upper <= MAX_BODY_BYTES as u64);
    if !asks || !is_short {
        return None;
    }
    let settings = URL_SAFE_NO_PAD.decode(settings.to_str().ok()?.trim_end_matches('=')).ok()?;
    // Six bytes a setting.
    (settings.len() % 6 == 0 && settings.len() <= MAX_FRAME_BYTES / 2).then_some(settings)
}

/// The request's head as HPACK (RFC 7541) without compression; none when it does not fit one frame.
fn header_block<B>(method: &str, request: &Request<B>) -> Option<Vec<u8>> {
    let mut block = Vec::with_capacity(512);
    push_header(&mut block, b":method", method.as_bytes());
    push_header(&mut block, b":scheme", b"http");
    push_header(&mut block, b":path", request.uri().path_and_query()?.as_str().as_bytes());
    if let Some(host) = request.headers().get(HOST) {
        push_header(&mut block, b":authority", host.as_bytes());
    }
    for (name, value) in request.headers() {
        if !belongs_to_http1(name) {
            push_header(&mut block, name.as_str().as_bytes(), value.as_bytes());
        }
    }
    (block.len() <= MAX_FRAME_BYTES).then_some(block)
}

/// Headers about the connection, which HTTP/2 forbids.
fn belongs_to_http1(name: &HeaderName) -> bool {
    [CONNECTION, UPGRADE, HOST, TRANSFER_ENCODING, HTTP2_SETTINGS].contains(name)
        || matches!(name.as_str(), "keep-alive" | "proxy-connection" | "te")
}

/// A literal header field without indexing, with a new name (RFC 7541, section 6.2.2).
fn push_header(block: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    block.push(0);
    push_string(block, name);
    push_string(block, value);
}

/// A string literal without Huffman coding: its length with a 7-bit prefix (section 5.1), and its bytes.
fn push_string(block: &mut Vec<u8>, text: &[u8]) {
    const PREFIX: usize = 127;
    if text.len() < PREFIX {
        block.push(text.len() as u8);
    } else {
        block.push(PREFIX as u8);
        let mut rest = text.len() - PREFIX;
        while rest >= 128 {
            block.push((rest % 128) as u8 | 128);
            rest /= 128;
        }
        block.push(rest as u8);
    }
    block.extend_from_slice(text);
}

fn push_frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u8, payload: &[&[u8]]) {
    let length: usize = payload.iter().map(|part| part.len()).sum();
    let [.., a, b, c] = length.to_be_bytes();
    out.extend_from_slice(&[a, b, c, kind, flags, 0, 0, 0, stream]);
    payload.iter().for_each(|part| out.extend_from_slice(part));
}

/// What is put in behind the client's first bytes.
struct Opening {
    settings: Vec<u8>,
    header_block: Vec<u8>,
    body: Bytes,
}

/// What to do with the bytes that a client has sent so far.
enum Begun {
    /// There are too few to tell.
    More,
    /// This is what the HTTP/2 server gets.
    Ready(Vec<u8>),
}

impl Opening {
    /// Puts the request in once the preface and the first frame have arrived. Bytes that are something else are passed
    /// on as they are, to be refused by the HTTP/2 server.
    fn insert(&self, received: &[u8]) -> Begun {
        let known = received.len().min(PREFACE.len());
        if received.get(..known) != PREFACE.get(..known) {
            return Begun::Ready(received.to_vec());
        }
        let Some(frame) = received.get(PREFACE.len()..) else { return Begun::More };
        let Some((&[a, b, c, kind, flags, ..], payload)) = frame.split_at_checked(FRAME_HEAD_BYTES) else {
            return Begun::More;
        };
        let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        if kind != SETTINGS || flags != 0 || length > MAX_FRAME_BYTES / 2 {
            return Begun::Ready(received.to_vec());
        }
        match payload.split_at_checked(length) {
            None => Begun::More,
            Some((settings, rest)) => Begun::Ready(self.assemble(settings, rest)),
        }
    }

    fn assemble(&self, settings: &[u8], rest: &[u8]) -> Vec<u8> {
        let mut out = PREFACE.to_vec();
        // Those of the request count as sent before; one frame, since one is acknowledged.
        push_frame(&mut out, SETTINGS, 0, 0, &[&self.settings, settings]);
        let end = if self.body.is_empty() { END_STREAM } else { 0 };
        push_frame(&mut out, HEADERS, END_HEADERS | end, 1, &[&self.header_block]);
        let mut chunks = self.body.chunks(MAX_FRAME_BYTES).peekable();
        while let Some(chunk) = chunks.next() {
            push_frame(&mut out, DATA, if chunks.peek().is_none() { END_STREAM } else { 0 }, 1, &[chunk]);
        }
        out.extend_from_slice(rest);
        out
    }
}

/// A connection that goes on with HTTP/2.
struct Switched {
    stream: TokioIo<Upgraded>,
    /// None once the request has been put in.
    opening: Option<Opening>,
    /// What was received before that.
    held: Vec<u8>,
    /// What is to be read before the stream goes on.
    ready: Bytes,
}

impl AsyncRead for Switched {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        while let Some(opening) = &this.opening {
            let mut space = [0; 1_024];
            let mut received = ReadBuf::new(&mut space);
            match Pin::new(&mut this.stream).poll_read(context, &mut received) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) if received.filled().is_empty() => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(())) => {}
            }
            this.held.extend_from_slice(received.filled());
            if let Begun::Ready(bytes) = opening.insert(&this.held) {
                this.ready = bytes.into();
                this.opening = None;
                this.held = Vec::new();
            }
        }
        if this.ready.is_empty() {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        }
        let count = this.ready.len().min(buffer.remaining());
        buffer.put_slice(this.ready.get(..count).unwrap_or_default());
        this.ready.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Switched {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(body: &'static [u8]) -> Opening {
        let request = Request::builder().uri("/_api/version").header("host", "x").body(()).unwrap();
        let header_block = header_block("GET", &request).unwrap();
        Opening { settings: vec![0, 3, 0, 0, 0, 100], header_block, body: Bytes::from_static(body) }
    }

    fn insert(opening: &Opening, received: &[u8]) -> Option<Vec<u8>> {
        match opening.insert(received) {
            Begun::More => None,
            Begun::Ready(bytes) => Some(bytes),
        }
    }

    #[test]
    fn the_request_is_put_in_behind_the_first_frame() {
        let opening = opening(b"body");
        let mut received = PREFACE.to_vec();
        push_frame(&mut received, SETTINGS, 0, 0, &[&[0, 4, 0, 1, 0, 0]]);
        let first_frame_ends = received.len();
        received.extend_from_slice(b"more");
        for end in 0..first_frame_ends {
            assert_eq!(insert(&opening, &received[..end]), None, "{end}");
        }
        let mut expected = PREFACE.to_vec();
        push_frame(&mut expected, SETTINGS, 0, 0, &[&[0, 3, 0, 0, 0, 100, 0, 4, 0, 1, 0, 0]]);
        push_frame(&mut expected, HEADERS, END_HEADERS, 1, &[&opening.header_block]);
        push_frame(&mut expected, DATA, END_STREAM, 1, &[b"body"]);
        expected.extend_from_slice(b"more");
        assert_eq!(insert(&opening, &received), Some(expected));
    }

    #[test]
    fn what_is_not_http2_is_passed_on() {
        let opening = opening(b"");
        assert_eq!(insert(&opening, b"GET / HTTP/1.1"), Some(b"GET / HTTP/1.1".to_vec()));
        let mut wrong_frame = PREFACE.to_vec();
        push_frame(&mut wrong_frame, HEADERS, 0, 1, &[b"x"]);
        assert_eq!(insert(&opening, &wrong_frame), Some(wrong_frame.clone()));
    }

    #[test]
    fn strings_of_any_length_have_their_length_before_them() {
        for (length, head) in
            [(0, vec![0]), (126, vec![126]), (127, vec![127, 0]), (1_337, vec![127, 186, 9])]
        {
            let mut block = Vec::new();
            push_string(&mut block, &vec![b'x'; length]);
            assert_eq!(block[..head.len()], head);
            assert_eq!(block.len(), head.len() + length);
        }
    }
}
