//! Bodies and heads that are declared but never arrive, arrive slowly, or never end.

use std::io;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::http1::Connection;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::{COLLECTION, Target};

/// Length of the bodies that do not come.
const ANNOUNCED_BYTES: usize = 4 << 20;

/// The bytes of each body that are sent.
const SENT_BYTES: usize = 1_000;

/// Time for which stalled connections are held.
const HOLD: Duration = Duration::from_secs(4);

/// Length of the document that an honest client writes concurrently.
const HONEST_BYTES: usize = 1 << 20;

/// Maximum time for it.
const HONEST_TIME: Duration = Duration::from_secs(2);

/// Maximum wait for the reply to a request that is wrong.
const REPLY_TIME: Duration = Duration::from_secs(5);

/// Sizes of chunks that are valid, but that no client can send. The server waits for the data.
const ENDLESS_CHUNK_SIZES: &[&str] = &["8000000000000000", "7fffffffffffffff", "ffffffffffffffff"];

/// Sizes of chunks that are invalid (RFC 9112, section 7.1), or longer than 64 bits.
const CHUNK_SIZES: &[&str] =
    &["10000000000000000", "fffffffffffffffffffffffffffffffff", "-1", "+5", "0x10", "5 5", "", "g"];

/// See the module.
pub(crate) struct Announced;

impl Attack for Announced {
    fn name(&self) -> &'static str {
        "announced"
    }

    fn summary(&self) -> &'static str {
        "bodies and heads that are declared but never arrive, or never end"
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for connections in [60, 500] {
            for is_known in [false, true] {
                let who = if is_known { "a user" } else { "strangers" };
                cases.push(Case::new(format!("{connections} stalled bodies of {who}"), move |target, _| {
                    stall(target, &body_head(target, is_known), connections, SENT_BYTES)
                }));
            }
        }
        cases.push(Case::new("200 slow bodies", |target, _| stall(target, &body_head(target, true), 200, 1)));
        cases.push(Case::new("500 heads without end", |target, _| {
            stall(target, "GET / HTTP/1.1\r\nhost: ", 500, 1_000_000)
        }));
        cases.push(Case::new("500 heads that stall", |target, _| stall(target, "GET / HT", 500, 0)));
        cases.push(Case::new("half-closed connections", |target, _| half_closed(target)));
        cases.push(Case::new("bodies broken off", |target, _| broken_off(target)));
        for size in CHUNK_SIZES {
            cases.push(Case::new(format!("a chunk of {size:?} bytes"), move |target, _| {
                is_answered(target, &first_chunk(target, size))
            }));
        }
        cases.push(Case::new("chunks of 2^63 bytes", |target, _| {
            ENDLESS_CHUNK_SIZES.iter().try_for_each(|size| stall(target, &first_chunk(target, size), 100, 0))
        }));
        cases.push(Case::new("a chunk extension without end", |target, _| extension(target)));
        for is_known in [false, true] {
            cases.push(Case::new(format!("tiny chunks, known: {is_known}"), move |target, _| {
                tiny_chunks(target, is_known);
                Ok(())
            }));
        }
        cases.push(Case::new("10,000 headers", |target, _| {
            let headers: String = (0..10_000).map(|number| format!("x-{number}: y\r\n")).collect();
            is_answered(target, &format!("GET /_api/version HTTP/1.1\r\n{headers}\r\n"))
        }));
        cases.push(Case::new("a request line of 1 MB", |target, _| {
            is_answered(target, &format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1_000_000)))
        }));
        run_cases(target, rng, cases)
    }
}

/// Returns the head of a request whose body is announced; a stranger's goes to the login.
fn body_head(target: &Target, is_known: bool) -> String {
    format!("{}content-length: {ANNOUNCED_BYTES}\r\n\r\n{{\"a\":\"", open_head(target, is_known))
}

fn chunked_head(target: &Target, is_known: bool) -> String {
    format!("{}transfer-encoding: chunked\r\n\r\n", open_head(target, is_known))
}

/// Returns a request with the beginning of a chunk of this size.
fn first_chunk(target: &Target, size: &str) -> String {
    format!("{}{size}\r\n{}", chunked_head(target, true), "x".repeat(1_000))
}

fn open_head(target: &Target, is_known: bool) -> String {
    if is_known {
        let token = target.token();
        format!(
            "POST /_api/document/{COLLECTION} HTTP/1.1\r\nhost: test\r\nauthorization: bearer {token}\r\n"
        )
    } else {
        "POST /_open/auth HTTP/1.1\r\nhost: test\r\n".to_owned()
    }
}

/// Holds connections that have sent a head and some of the rest, and send one byte a second.
///
/// Errors: an honest client cannot write a long document concurrently.
fn stall(target: &Target, head: &str, connections: usize, sent: usize) -> Result<(), String> {
    let start = Instant::now();
    let text = format!("{head}{}", "a".repeat(sent));
    let open = || {
        let mut connection = target.connect()?;
        connection.write(text.as_bytes())?;
        io::Result::Ok(connection)
    };
    let mut held: Vec<Connection> = (0..connections).filter_map(|_| open().ok()).collect();
    let mut honest = Ok(());
    while start.elapsed() < HOLD {
        honest = honest.and(write_honestly(target));
        held.retain_mut(|connection| connection.write(b"a").is_ok());
        // A byte a second is what makes the clients slow.
        std::thread::sleep(Duration::from_secs(1));
    }
    honest
}

fn write_honestly(target: &Target) -> Result<(), String> {
    let body = format!("{{\"text\":\"{}\"}}", "a".repeat(HONEST_BYTES));
    let start = Instant::now();
    target.count(1);
    let reply = Connection::open(target.address(), HONEST_TIME).and_then(|mut connection| {
        connection.ask(&target.request("POST", &format!("/_api/document/{COLLECTION}")).body(body))
    });
    match reply {
        Ok(reply) if reply.status < 300 => Ok(()),
        Ok(reply) => Err(format!("an honest write of 1 MB was answered with {}", reply.status)),
        Err(error) => Err(format!(
            "an honest write of 1 MB failed after {:.1} s: {error}",
            start.elapsed().as_secs_f64()
        )),
    }
}

/// Closes the sending half after the head, in the middle of the body, and after the body.
fn half_closed(target: &Target) -> Result<(), String> {
    let head = body_head(target, true);
    let whole = "GET /_admin/server/availability HTTP/1.1\r\nhost: test\r\n\r\n".to_owned();
    for text in [head.clone(), head + &"a".repeat(SENT_BYTES), whole] {
        for _ in 0..50 {
            let Ok(mut connection) = target.connect() else { continue };
            // Errors: the server has closed the connection.
            let _ = connection.write(text.as_bytes());
            let _ = connection.socket().shutdown(Shutdown::Write);
            ends(&mut connection)?;
        }
    }
    Ok(())
}

fn broken_off(target: &Target) -> Result<(), String> {
    let text = body_head(target, true) + &"a".repeat(100_000);
    for _ in 0..200 {
        let mut connection = target.connect().map_err(|error| error.to_string())?;
        // Errors: the server has closed the connection.
        let _ = connection.write(text.as_bytes());
    }
    Ok(())
}

/// Errors: there is neither a reply nor the end of the connection.
fn is_answered(target: &Target, text: &str) -> Result<(), String> {
    let mut connection = target.connect().map_err(|error| error.to_string())?;
    // Errors: the server has closed the connection.
    let _ = connection.write(text.as_bytes());
    ends(&mut connection)
}

fn ends(connection: &mut Connection) -> Result<(), String> {
    // Errors: the connection has ended.
    let _ = connection.socket().set_read_timeout(Some(REPLY_TIME));
    match connection.receive() {
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            Err(format!("no reply and no end within {REPLY_TIME:?}"))
        }
        _ => Ok(()),
    }
}

/// Errors: the server keeps reading forever.
fn extension(target: &Target) -> Result<(), String> {
    let mut connection = target.connect().map_err(|error| error.to_string())?;
    let head = format!("{}5;", chunked_head(target, true));
    let mut sent = connection.write(head.as_bytes());
    for _ in 0..200 {
        sent = sent.and_then(|()| connection.write(&[b'a'; 100_000]));
    }
    if sent.is_ok() {
        return Err("the server took an extension of 20 MB".to_owned());
    }
    Ok(())
}

/// Sends two million chunks of a byte.
fn tiny_chunks(target: &Target, is_known: bool) {
    let Ok(mut connection) = target.connect() else { return };
    let mut sent = connection.write(chunked_head(target, is_known).as_bytes());
    let chunks = "1\r\na\r\n".repeat(20_000);
    for _ in 0..100 {
        sent = sent.and_then(|()| connection.write(chunks.as_bytes()));
    }
    if sent.and_then(|()| connection.write(b"0\r\n\r\n")).is_ok() {
        // Errors: it is refused by the end of the connection.
        let _ = connection.receive();
    }
}
