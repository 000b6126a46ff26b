//! HTTP/1.1 for mocks of servers, as far as Persea's own client speaks it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use percent_encoding::percent_decode_str;

/// A request as it arrived.
#[derive(Debug, Default)]
pub struct Request {
    /// The method, in upper case.
    pub method: String,
    /// The path and query string, percent-encoded.
    pub target: String,
    /// The names in lower case.
    pub headers: HashMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the decoded path.
    pub fn path(&self) -> String {
        decoded(self.target.split('?').next().unwrap_or_default())
    }

    /// Returns a parameter of the query string.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.find(|(found, _)| *found == name).map(|(_, value)| decoded(value))
    }

    /// Returns a header, whose name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Reads a request; `None` when the client has closed the connection.
pub fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut request = Request::default();
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace();
    request.method = words.next()?.to_owned();
    request.target = words.next()?.to_owned();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => {
                request.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
            None => break,
        }
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    stream.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// A reply.
#[derive(Debug, Default)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Headers beside the length of the body.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// True for a reply to HEAD, which has the length of a body but none.
    pub is_head: bool,
    /// True to end the connection after half of the body.
    pub breaks: bool,
}

impl Reply {
    /// Writes the reply; returns true if the connection stays open.
    pub fn write(&self, stream: &mut TcpStream) -> bool {
        let mut head = format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n", self.status, self.body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let sent = match (self.is_head, self.breaks) {
            (true, _) => &[][..],
            (false, true) => self.body.get(..self.body.len() / 2).unwrap_or_default(),
            (false, false) => &self.body,
        };
        let written = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent));
        written.is_ok() && !self.breaks
    }
}
