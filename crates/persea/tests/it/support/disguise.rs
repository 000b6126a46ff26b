//! A proxy to a server that hides the fact that it is Persea, so that tools treat it as any
//! ArangoDB server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The server's name for its own version, and a name of the same length without a meaning.
const OWN: &[u8] = b"\"persea-version\"";
const NOTHING: &[u8] = b"\"nobody-version\"";

/// A proxy that listens until the test ends.
pub(crate) struct Disguise {
    pub(crate) endpoint: String,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Disguise {
    pub(crate) fn of(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
                let (to_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let hears = Arc::clone(&hears);
                std::thread::spawn(move || {
                    forward(client, to_server, |bytes| hears.lock().unwrap().extend_from_slice(bytes));
                });
                std::thread::spawn(move || forward(server, to_client, disguise));
            }
        });
        Disguise { endpoint, heard }
    }

    /// Returns the number of requests whose path starts with `path`. A trailing space makes it
    /// match the whole path.
    pub(crate) fn requests(&self, path: &str) -> usize {
        String::from_utf8_lossy(&self.heard.lock().unwrap()).matches(path).count()
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, mut change: impl FnMut(&mut [u8])) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        change(&mut buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Replaces the version's name. The reply with it is small, and so arrives in one piece.
fn disguise(bytes: &mut [u8]) {
    if let Some(at) = bytes.windows(OWN.len()).position(|window| window == OWN) {
        bytes[at..at + OWN.len()].copy_from_slice(NOTHING);
    }
}
