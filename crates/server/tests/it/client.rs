//! A client that sends exactly the bytes of a test.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A parsed reply.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// True if the body is chunked and the last chunk is missing.
    pub is_broken: bool,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Asserts the form of an error, and returns its message.
    pub(crate) fn error(&self, status: u16, number: u64) -> String {
        let body = self.json();
        assert_eq!((self.status, body["errorNum"].as_u64()), (status, Some(number)), "{body}");
        assert_eq!((body["error"].as_bool(), body["code"].as_u64()), (Some(true), Some(status.into())));
        body["errorMessage"].as_str().unwrap().to_owned()
    }
}

/// A connection to the server.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, buffer: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Sends a request with any headers (each ended by a line break) and a body of known length.
    pub(crate) fn write(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: test\r\n{headers}").into_bytes();
        if !body.is_empty() || matches!(method, "POST" | "PUT" | "PATCH") {
            request.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        request.extend_from_slice(b"\r\n");
        request.extend_from_slice(body);
        self.send(&request);
    }

    pub(crate) fn request(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        self.write(method, path, headers, body);
        self.read_reply(method == "HEAD")
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.request("GET", path, "", b"")
    }

    /// Waits for the next reply. A reply to HEAD has no body, whatever its headers say.
    pub(crate) fn read_reply(&mut self, is_head: bool) -> Reply {
        let end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
            assert!(self.fill() > 0, "the connection ended before a reply: {:?}", self.buffer);
        };
        let head = String::from_utf8(self.buffer.drain(..end + 4).collect()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut reply = Reply { status, headers, body: Vec::new(), is_broken: false };
        if is_head || status == 204 || status == 304 || status < 200 {
            return reply;
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            self.read_chunks(&mut reply);
        } else {
            let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
            while self.buffer.len() < length {
                assert!(self.fill() > 0, "the connection ended in a body");
            }
            reply.body = self.buffer.drain(..length).collect();
        }
        reply
    }

    fn read_chunks(&mut self, reply: &mut Reply) {
        loop {
            let Some(end) = find(&self.buffer, b"\r\n") else {
                if self.fill() == 0 {
                    reply.is_broken = true;
                    return;
                }
                continue;
            };
            let size = std::str::from_utf8(&self.buffer[..end]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            while self.buffer.len() < end + 2 + size + 2 {
                if self.fill() == 0 {
                    reply.is_broken = true;
                    return;
                }
            }
            reply.body.extend_from_slice(&self.buffer[end + 2..end + 2 + size]);
            self.buffer.drain(..end + 2 + size + 2);
            if size == 0 {
                return;
            }
        }
    }

    /// Returns true if the server has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.buffer.is_empty() && self.fill() == 0
    }

    fn fill(&mut self) -> usize {
        let mut space = [0; 64 << 10];
        match self.stream.read(&mut space) {
            Ok(count) => {
                self.buffer.extend_from_slice(&space[..count]);
                count
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
            Err(error) => panic!("nothing came from the server: {error}"),
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
