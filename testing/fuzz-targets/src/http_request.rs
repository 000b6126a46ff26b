//! Any bytes as a request to a running server.
//!
//! The first line is method and path, the second line the content type, and the rest the body. If
//! the first byte is 0, the other bytes are sent as they are. The server replies or closes the
//! connection, never reports an internal error, and continues to serve.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::LazyLock;
use std::time::Duration;

use server::HttpOptions;

use crate::running::{self, Running};

/// The time to wait for a server that must reply, and for one that may be waiting for more input.
const PATIENCE: Duration = Duration::from_secs(20);
const SHORT_PATIENCE: Duration = Duration::from_millis(200);

static SERVER: LazyLock<Running> = LazyLock::new(|| running::start(HttpOptions::default()));

pub(crate) fn run(bytes: &[u8]) {
    if stops_the_server(bytes) {
        return;
    }
    let reply = match bytes {
        [0, raw @ ..] => exchange(raw, SHORT_PATIENCE),
        _ => exchange(&request(bytes), SHORT_PATIENCE),
    };
    assert!(!reply.starts_with(b"HTTP/1.1 500"), "{}", String::from_utf8_lossy(&reply));
    let alive = exchange(b"GET /_api/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", PATIENCE);
    assert!(alive.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&alive));
}

/// Returns true for requests that stop the server or make it sleep: they are not a failure, but
/// would end the fuzzing.
fn stops_the_server(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    ["shutdown", "%", "sleep", "x-arango-async"].iter().any(|word| text.contains(word))
}

fn request(bytes: &[u8]) -> Vec<u8> {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let (head, content_type) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let body = lines.next().unwrap_or_default();
    let mut request = head.to_vec();
    request.extend_from_slice(b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ");
    request.extend_from_slice(content_type);
    request.extend_from_slice(format!("\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
    request.extend_from_slice(body);
    request
}

/// Sends bytes, and reads until the server closes the connection or `timeout` has passed.
///
/// The server may be waiting for more bytes.
fn exchange(bytes: &[u8], timeout: Duration) -> Vec<u8> {
    let mut stream = TcpStream::connect(SERVER.address).unwrap();
    stream.set_read_timeout(Some(timeout)).unwrap();
    let mut reply = Vec::new();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes).and_then(|()| stream.read_to_end(&mut reply).map(drop));
    reply
}
