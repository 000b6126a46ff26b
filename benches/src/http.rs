//! A minimal HTTP/1.1 client, so that a benchmark measures the server.
//!
//! It has keep-alive and one reused buffer, and does not parse bodies.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use crate::Failure;

/// The header of JSON bodies.
pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

/// One keep-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The status of a reply and the range of its body in the connection's buffer.
pub(crate) struct Reply<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

/// Builds a whole request that can be sent many times.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

impl Connection {
    pub(crate) fn open(port: u16) -> Result<Self, Failure> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(600)))?;
        Ok(Connection { stream, buffer: Vec::with_capacity(1 << 20) })
    }

    /// Sends a request and reads the whole reply (with a length or in chunks).
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<Reply<'_>, Failure> {
        self.stream.write_all(request)?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more()?;
        };
        let (status, length) = parse_head(&self.buffer[..head])?;
        match length {
            Some(length) => {
                while self.buffer.len() < head + length {
                    self.read_more()?;
                }
            }
            None => self.read_chunks(head)?,
        }
        Ok(Reply { status, body: &self.buffer[head..] })
    }

    /// Sends a request like [`Connection::send`]; a reply other than 2xx is a failure.
    pub(crate) fn expect_success(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        let reply = self.send(request)?;
        if !(200..300).contains(&reply.status) {
            let text = String::from_utf8_lossy(&reply.body[..reply.body.len().min(500)]);
            return Err(format!("the server answered {}: {text}", reply.status).into());
        }
        Ok(reply.body)
    }

    /// Sends a request with a chunked reply, and counts the bytes and lines of its body without
    /// keeping them.
    pub(crate) fn count_stream(&mut self, request: &[u8]) -> Result<Counted, Failure> {
        let started = std::time::Instant::now();
        self.stream.write_all(request)?;
        self.buffer.resize(1 << 20, 0);
        let mut counted = Counted { bytes: 0, lines: 0, first_byte: Duration::ZERO };
        let mut tail = Vec::new();
        loop {
            let read = self.stream.read(&mut self.buffer)?;
            if read == 0 {
                return Err("the connection was closed within the reply".into());
            }
            if counted.bytes == 0 {
                counted.first_byte = started.elapsed();
            }
            counted.bytes += read as u64;
            counted.lines += self.buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
            tail.extend_from_slice(&self.buffer[read.saturating_sub(5)..read]);
            tail.drain(..tail.len().saturating_sub(5));
            if tail == b"0\r\n\r\n" {
                self.buffer.clear();
                return Ok(counted);
            }
        }
    }

    fn read_chunks(&mut self, head: usize) -> Result<(), Failure> {
        while !self.buffer.ends_with(b"0\r\n\r\n") || self.buffer.len() < head + 5 {
            self.read_more()?;
        }
        Ok(())
    }

    fn read_more(&mut self) -> Result<(), Failure> {
        let old = self.buffer.len();
        let room = if old > 1 << 16 { 1 << 18 } else { 1 << 14 };
        self.buffer.resize(old + room, 0);
        let read = self.stream.read(&mut self.buffer[old..])?;
        self.buffer.truncate(old + read);
        if read == 0 { Err("the connection was closed within the reply".into()) } else { Ok(()) }
    }
}

/// The counts of [`Connection::count_stream`]. Lines include those of the chunks' own framing.
pub(crate) struct Counted {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) first_byte: Duration,
}

fn parse_head(head: &[u8]) -> Result<(u16, Option<usize>), Failure> {
    let head = std::str::from_utf8(head)?;
    let status = head.get(9..12).ok_or("no status line")?.parse()?;
    let mut length = None;
    for line in head.lines() {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse()?);
        }
    }
    Ok((status, length))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Waits for clients, and returns how each has ended.
pub(crate) fn joined(clients: Vec<ScopedJoinHandle<'_, Result<(), String>>>) -> Vec<Result<(), String>> {
    let end =
        |client: ScopedJoinHandle<'_, _>| client.join().unwrap_or_else(|_| Err("a client panicked".into()));
    clients.into_iter().map(end).collect()
}
