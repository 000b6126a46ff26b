//! A receiver of webhooks that a test controls.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver as Channel, channel};
use std::time::Duration;

use serde_json::Value;

/// A delivery as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Heard {
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map_or("", |(_, value)| value)
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the keys of the changes.
    pub(super) fn keys(&self) -> Vec<String> {
        let body = self.json();
        let changes = body["changes"].as_array().unwrap();
        changes.iter().map(|change| change["key"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// The reply to a delivery.
pub(super) enum Act {
    /// A status, and lines of headers.
    Reply(u16, &'static str),
    /// A success whose body has a gigabyte.
    Endless,
    /// No reply; the connection stays.
    Silence,
}

/// A receiver on 127.0.0.1.
pub(super) struct Receiver {
    pub(super) url: String,
    heard: Channel<Heard>,
}

impl Receiver {
    /// Starts a receiver. `act` gets the number of the delivery, from 0.
    pub(super) fn start(act: impl Fn(usize, &Heard) -> Act + Send + Sync + 'static) -> Receiver {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, heard) = channel();
        let act = Arc::new(act);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let (act, sender) = (Arc::clone(&act), sender.clone());
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream.unwrap());
                    let Some(delivery) = hear(&mut stream) else { return };
                    let reply = act(number, &delivery);
                    let _ = sender.send(delivery);
                    answer(stream.into_inner(), &reply);
                });
            }
        });
        Receiver { url, heard }
    }

    /// Returns the next delivery.
    pub(super) fn next(&self) -> Heard {
        self.heard.recv_timeout(Duration::from_secs(60)).expect("a delivery within a minute")
    }

    /// Returns true if no delivery comes for a second.
    pub(super) fn is_quiet(&self) -> bool {
        // Time is the subject: nothing tells that no delivery will come.
        self.heard.recv_timeout(Duration::from_secs(1)).is_err()
    }
}

fn hear(stream: &mut BufReader<TcpStream>) -> Option<Heard> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }
    let mut heard = Heard { headers, body: Vec::new() };
    heard.body = vec![0; heard.header("content-length").parse().ok()?];
    stream.read_exact(&mut heard.body).ok()?;
    Some(heard)
}

fn answer(mut stream: TcpStream, act: &Act) {
    match act {
        Act::Reply(status, headers) => {
            let _ = write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: 0\r\n{headers}\r\n");
        }
        Act::Endless => {
            let _ = write!(stream, "HTTP/1.1 200 X\r\ncontent-length: 1073741824\r\n\r\n");
            while stream.write_all(&[b'x'; 65_536]).is_ok() {}
        }
        Act::Silence => {
            let _ = stream.read(&mut [0; 1]);
        }
    }
}
