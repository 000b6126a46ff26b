//! Any bytes on a connection, to a server that answers short requests in a loop of its own and to
//! one that leaves all to hyper: both send the same replies, and end the connection after the same
//! one.
//!
//! A byte below the number of [`PIECES`] stands for a piece, [`PAUSE`] ends what is sent at once,
//! and every other byte stands for itself.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use server::HttpOptions;

use crate::running::{self, Running};

/// Parts of requests, and what readers of HTTP have disagreed about.
const PIECES: &[&[u8]] = &[
    b"GET /_admin/echo HTTP/1.1\r\n",
    b"POST /_admin/echo HTTP/1.1\r\n",
    b"HEAD /_api/version HTTP/1.1\r\n",
    b"DELETE /_api/nothing HTTP/1.1\r\n",
    b"OPTIONS /_api/version HTTP/1.1\r\n",
    b"GET /_api/version HTTP/1.0\r\n",
    b"GET http://x/_api/version HTTP/1.1\r\n",
    b"PRI * HTTP/2.0\r\n",
    b"Host: x\r\n",
    b"\r\n",
    b"\n",
    b"Content-Length: 0\r\n",
    b"Content-Length: 3\r\n",
    b"content-length: 12\r\n",
    b"Content-Length: 3, 3\r\n",
    b"Content-Length: +3\r\n",
    b"Content-Length : 3\r\n",
    b"Content-Length: 99999999999999999999\r\n",
    b"Content-Length: 70000\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"3\r\nabc\r\n",
    b"0\r\n\r\n",
    b"Connection: close\r\n",
    b"Connection: Keep-Alive\r\n",
    b"Connection: upgrade\r\nUpgrade: h2c\r\n",
    b"Expect: 100-continue\r\n",
    b" folded\r\n",
    b"X-A: 1\r\nX-A: 2\r\n",
    b"Origin: http://page.example\r\n",
    b"abc",
];

/// The byte that ends what is sent at once.
const PAUSE: u8 = 0xff;

/// The time to wait for a server that must reply.
const PATIENCE: Duration = Duration::from_secs(20);

/// The times between what is sent and the end of the input.
const WAITS: &[Duration] =
    &[Duration::ZERO, Duration::from_millis(5), Duration::from_millis(100), Duration::from_secs(2)];

/// Maximum number of bytes of an input.
const MAX_BYTES: usize = 512;

static LOOP: LazyLock<Running> = LazyLock::new(|| running::start(HttpOptions::default()));
static HYPER: LazyLock<Running> =
    LazyLock::new(|| running::start(HttpOptions { has_own_loop: false, ..HttpOptions::default() }));

pub(crate) fn run(bytes: &[u8]) {
    let bytes = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    let sent: Vec<Vec<u8>> = bytes.split(|byte| *byte == PAUSE).map(expanded).collect();
    if String::from_utf8_lossy(&sent.concat()).to_ascii_lowercase().contains("shutdown") {
        return;
    }
    // A server that sees the end of the input while it works drops the request. So the end comes
    // later in each attempt, and what differs in all of them is a failure.
    let mut replies = (Vec::new(), Vec::new());
    for wait in WAITS {
        replies = compared(&sent, *wait);
        if replies.0 == replies.1 {
            return;
        }
    }
    assert_eq!(replies.0, replies.1, "replies to {:?}", String::from_utf8_lossy(&sent.concat()));
}

/// Returns the replies of both servers.
fn compared(sent: &[Vec<u8>], wait: Duration) -> (Vec<String>, Vec<String>) {
    let (mut own, mut hyper) = (exchange(LOOP.address, sent, wait), exchange(HYPER.address, sent, wait));
    if own.is_reset || hyper.is_reset {
        // The system discards replies that the client has not read, if the server closes the
        // connection before it has read everything.
        let length = own.lines.len().min(hyper.lines.len()).saturating_sub(1);
        own.lines.truncate(length);
        hyper.lines.truncate(length);
    }
    (without_refusal(own.lines), without_refusal(hyper.lines))
}

/// Returns the lines without a last reply that only says 400.
///
/// hyper says so at the end of the input in the middle of a head, but not if that head was the
/// first one that it read.
fn without_refusal(mut lines: Vec<String>) -> Vec<String> {
    let refusal = ["connection: close", "content-length: 0", "", ""];
    if lines.ends_with(&refusal.map(str::to_owned)) {
        lines.truncate(lines.len() - refusal.len());
        if let Some(last) = lines.last_mut()
            && let Some(end) = last.find("HTTP/1.1 400 Bad Request")
        {
            last.truncate(end);
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Replies, without what differs between two servers.
struct Replies {
    lines: Vec<String>,
    /// True if the connection broke off.
    is_reset: bool,
}

fn expanded(bytes: &[u8]) -> Vec<u8> {
    let piece =
        |byte: &u8| PIECES.get(usize::from(*byte)).map_or_else(|| vec![*byte], |piece| piece.to_vec());
    bytes.iter().flat_map(piece).collect()
}

/// Sends bytes and, after `wait`, the end of the input. Returns all replies.
fn exchange(address: SocketAddr, sent: &[Vec<u8>], wait: Duration) -> Replies {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let own_port = stream.local_addr().unwrap().port().to_string();
    // The server may close the connection before it has read everything.
    for part in sent {
        if stream.write_all(part).is_err() {
            break;
        }
    }
    std::thread::sleep(wait);
    let _ = stream.shutdown(Shutdown::Write);
    let mut reply = Vec::new();
    let ended = stream.read_to_end(&mut reply);
    let error = ended.as_ref().err().map(std::io::Error::kind);
    assert_ne!(error, Some(ErrorKind::WouldBlock), "the server neither replies nor closes");
    let reply = String::from_utf8_lossy(&reply);
    let is_equal = |line: &&str| !line.starts_with("date: ") && !line.starts_with("x-arango-queue-time");
    let lines = reply.split("\r\n").filter(is_equal);
    let lines = lines.map(|line| line.replace(&own_port, "PORT")).collect();
    Replies { lines, is_reset: error.is_some() }
}
