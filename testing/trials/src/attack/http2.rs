//! Frames of HTTP/2 (RFC 9113) and blocks of headers (RFC 7541), written by hand so that they can
//! be wrong.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The preface of a connection, which the client sends first.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames.
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const PRIORITY: u8 = 2;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PUSH_PROMISE: u8 = 5;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

/// Flags of frames.
pub(crate) mod flag {
    pub(crate) const NONE: u8 = 0;
    pub(crate) const ACK: u8 = 1;
    pub(crate) const END_STREAM: u8 = 1;
    pub(crate) const END_HEADERS: u8 = 4;
    pub(crate) const PADDED: u8 = 8;
}

/// The identifier of the setting `SETTINGS_INITIAL_WINDOW_SIZE`.
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;

/// Longest payload of a frame, unless the other side allows more.
pub(crate) const FRAME_MAX_BYTES: usize = 16_384;

/// Returns a frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Returns the payload of SETTINGS with one setting.
pub(crate) fn setting(identifier: u16, value: u32) -> Vec<u8> {
    [&identifier.to_be_bytes()[..], &value.to_be_bytes()].concat()
}

/// Returns a block of headers, all of them literal and none added to the table.
pub(crate) fn block(headers: &[(&str, &str)]) -> Vec<u8> {
    headers.iter().flat_map(|(name, value)| literal(0, name, value)).collect()
}

/// Returns a header that is added to the dynamic table.
pub(crate) fn added(name: &str, value: &str) -> Vec<u8> {
    literal(0x40, name, value)
}

fn literal(first: u8, name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![first];
    for text in [name, value] {
        bytes.extend(length(text.len()));
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// Returns an integer with a prefix of seven bits (RFC 7541, section 5.1).
fn length(value: usize) -> Vec<u8> {
    const PREFIX: usize = 127;
    if value < PREFIX {
        return vec![value as u8];
    }
    let (mut bytes, mut rest) = (vec![PREFIX as u8], value - PREFIX);
    while rest >= 128 {
        bytes.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    bytes.push(rest as u8);
    bytes
}

/// A connection after its preface and SETTINGS.
#[derive(Debug)]
pub(crate) struct Http2 {
    stream: TcpStream,
}

/// The head of a frame that was received.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
}

impl Http2 {
    /// Connects with these settings. Each read and write fails after `timeout`.
    pub(crate) fn open(address: SocketAddr, timeout: Duration, settings: &[u8]) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, timeout)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(timeout))?;
        stream.set_write_timeout(Some(timeout))?;
        let mut connection = Http2 { stream };
        connection.write(PREFACE)?;
        connection.send(kind::SETTINGS, flag::NONE, 0, settings)?;
        Ok(connection)
    }

    /// Writes bytes, which need not be frames.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Sends one frame.
    pub(crate) fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        self.write(&frame(kind, flags, stream, payload))
    }

    /// Receives one frame.
    pub(crate) fn receive(&mut self) -> io::Result<Received> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head)?;
        let [a, b, c, kind, flags, ..] = head;
        let length = u64::from(u32::from_be_bytes([0, a, b, c]));
        io::copy(&mut (&mut self.stream).take(length), &mut io::sink())?;
        Ok(Received { kind, flags })
    }

    /// Reads until the server has acknowledged a PING, or ends the connection or a stream, or
    /// replies.
    ///
    /// Errors: the connection has ended, or nothing comes before the timeout.
    pub(crate) fn receive_answer(&mut self) -> io::Result<Received> {
        loop {
            let frame = self.receive()?;
            let is_ack = frame.kind == kind::PING && frame.flags & flag::ACK != 0;
            if is_ack || matches!(frame.kind, kind::HEADERS | kind::RST_STREAM | kind::GOAWAY) {
                return Ok(frame);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_headers_have_the_bytes_of_the_standards() {
        assert_eq!(frame(kind::PING, flag::ACK, 0, &[7; 8])[..9], [0, 0, 8, 6, 1, 0, 0, 0, 0]);
        // RFC 7541, appendix C.2.1.
        let expected = b"\x40\x0acustom-key\x0dcustom-header";
        assert_eq!(added("custom-key", "custom-header"), expected);
        assert_eq!(length(1_337), [127, 0x80 | 58, 9]);
        assert_eq!(setting(INITIAL_WINDOW_SIZE, 1), [0, 4, 0, 0, 0, 1]);
    }
}
