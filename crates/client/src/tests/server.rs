//! A server that a test controls.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// A request as it arrived.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) connection: usize,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

/// The server's treatment of a request.
pub(super) enum Act {
    /// Replies with these bytes and continues.
    Reply(Vec<u8>),
    /// Replies with these bytes and closes the connection.
    ReplyAndClose(Vec<u8>),
    /// Closes the connection without a reply.
    Close,
    /// Does not reply, and keeps the connection.
    Wait,
}

pub(super) fn ok(body: &str) -> Act {
    Act::Reply(reply(200, "", body.as_bytes()))
}

pub(super) fn reply(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Starts a server; `act` gets the number of the request, from 0.
///
/// Returns its address and the requests that it receives.
pub(super) fn start(act: impl Fn(usize) -> Act + Send + 'static) -> (String, Receiver<Heard>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut count = 0;
        let mut waiting = Vec::new();
        for (connection, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            while let Some((head, body)) = hear(&mut stream) {
                let _ = sender.send(Heard { connection, head, body });
                let act = act(count);
                count += 1;
                match act {
                    Act::Reply(bytes) => stream.get_mut().write_all(&bytes).unwrap(),
                    Act::ReplyAndClose(bytes) => {
                        stream.get_mut().write_all(&bytes).unwrap();
                        break;
                    }
                    Act::Close => break,
                    Act::Wait => {
                        waiting.push(stream);
                        break;
                    }
                }
            }
        }
    });
    (endpoint, receiver)
}

fn hear(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}
