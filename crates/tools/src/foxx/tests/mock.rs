//! A mock of a server with services.

use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use mock_http::{Reply, Request, read};

/// A server that answers every request with one reply, and keeps the requests.
pub(super) struct Mock {
    /// The option that names the server.
    pub(super) endpoint: String,
    pub(super) address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Mock {
    /// Starts a server. It gives its version, and the reply to all other requests.
    pub(super) fn new(status: u16, body: &str) -> Self {
        Self::with_headers(status, Vec::new(), body.as_bytes().to_vec())
    }

    pub(super) fn with_headers(status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, headers, body) = (Arc::clone(&kept), headers.clone(), body.clone());
                thread::spawn(move || serve(stream, &kept, status, &headers, &body));
            }
        });
        Mock { endpoint: format!("--server.endpoint=http://{address}"), address, requests }
    }

    /// Returns the only request that was not about the version.
    pub(super) fn request(&self) -> Request {
        let mut requests = self.requests.lock().unwrap();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
}

fn serve(
    mut stream: TcpStream,
    kept: &Mutex<Vec<Request>>,
    status: u16,
    headers: &[(&'static str, String)],
    body: &[u8],
) {
    let mut input = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read(&mut input) {
        let reply = if request.path().ends_with("/_api/version") {
            let body = br#"{"server": "arango", "version": "3.12.0"}"#.to_vec();
            Reply { status: 200, body, ..Reply::default() }
        } else {
            kept.lock().unwrap().push(request);
            Reply { status, headers: headers.to_vec(), body: body.to_vec(), ..Reply::default() }
        };
        if !reply.write(&mut stream) {
            return;
        }
    }
}
