//! A client of HTTP/1.1 over plain sockets, which can also break the rules.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// Maximum number of bytes of a reply's body that are kept, unless a connection keeps all; the rest
/// is counted only.
const KEPT_MAX_BYTES: usize = 4 << 20;

/// A request whose body has the declared length.
#[derive(Clone, Debug)]
pub struct Request {
    is_head: bool,
    head: String,
    body: Vec<u8>,
}

impl Request {
    /// Makes a request without a body.
    pub fn new(method: &str, path: &str) -> Self {
        let head = format!("{method} {path} HTTP/1.1\r\nhost: test\r\n");
        Request { is_head: method == "HEAD", head, body: Vec::new() }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Returns the head with the blank line at its end.
    fn whole_head(&self) -> String {
        format!("{}content-length: {}\r\n\r\n", self.head, self.body.len())
    }
}

/// A reply.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers, with their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The first bytes of the body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns the first value of a header, whose name may have any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.as_str())
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body; null if it is not JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns ArangoDB's number of the error; 0 without one.
    pub fn error_number(&self) -> u64 {
        self.json()["errorNum"].as_u64().unwrap_or(0)
    }

    /// Returns true if this is one of the documented refusals of a server that has too much to do.
    pub fn is_refusal(&self) -> bool {
        matches!(self.status, 413 | 429 | 503) || self.error_number() == 32
    }
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
    kept_max_bytes: usize,
}

impl Connection {
    /// Connects. Each read and write fails after `timeout`.
    pub fn open(address: SocketAddr, timeout: Duration) -> io::Result<Self> {
        Self::over(TcpStream::connect_timeout(&address, timeout)?, timeout)
    }

    /// Connects from an address of this machine.
    pub fn open_from(source: IpAddr, address: SocketAddr, timeout: Duration) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.bind(&SocketAddr::new(source, 0).into())?;
        socket.connect_timeout(&address.into(), timeout)?;
        Self::over(socket.into(), timeout)
    }

    fn over(stream: TcpStream, timeout: Duration) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(timeout))?;
        stream.set_write_timeout(Some(timeout))?;
        Ok(Connection { stream: BufReader::new(stream), kept_max_bytes: KEPT_MAX_BYTES })
    }

    /// Keeps whole bodies of replies.
    pub fn keeping_all(self) -> Self {
        Connection { kept_max_bytes: usize::MAX, ..self }
    }

    /// Returns the socket itself.
    pub fn socket(&self) -> &TcpStream {
        self.stream.get_ref()
    }

    /// Writes bytes, which need not be a request.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Sends a request without waiting for its reply.
    pub fn send(&mut self, request: &Request) -> io::Result<()> {
        self.write(request.whole_head().as_bytes())?;
        self.write(&request.body)
    }

    /// Sends a request and receives its reply, which may come before the request's end.
    pub fn ask(&mut self, request: &Request) -> io::Result<Reply> {
        let sent = self.send(request);
        let reply = self.receive_for(request.is_head);
        if reply.is_err() {
            sent?;
        }
        reply
    }

    /// Receives a reply, which is not one to HEAD.
    pub fn receive(&mut self) -> io::Result<Reply> {
        self.receive_for(false)
    }

    fn receive_for(&mut self, is_head: bool) -> io::Result<Reply> {
        loop {
            let reply = self.receive_any(is_head)?;
            if reply.status >= 200 {
                return Ok(reply);
            }
        }
    }

    fn receive_any(&mut self, is_head: bool) -> io::Result<Reply> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("the status line is {line:?}")))?;
        let mut reply = Reply { status, headers: Vec::new(), body: Vec::new() };
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            reply.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if is_head || status < 200 || status == 204 || status == 304 {
            return Ok(reply);
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            self.chunks(&mut reply.body)?;
        } else {
            let length = reply.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            self.read(length, &mut reply.body)?;
        }
        Ok(reply)
    }

    fn chunks(&mut self, body: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let line = self.line()?;
            let size = u64::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            self.read(size, body)?;
            self.line()?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }

    fn read(&mut self, size: u64, into: &mut Vec<u8>) -> io::Result<()> {
        let kept = size.min(self.kept_max_bytes.saturating_sub(into.len()) as u64);
        let read = (&mut self.stream).take(kept).read_to_end(into)? as u64;
        let skipped = io::copy(&mut (&mut self.stream).take(size - kept), &mut io::sink())?;
        if read + skipped < size { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}
