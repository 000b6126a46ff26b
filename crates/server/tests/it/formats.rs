//! JSON, VelocyPack and compression, for requests and replies.

use std::io::{Read, Write};

use server::{HttpOptions, ServerOptions};
use velocypack::{Builder, Slice};

use crate::harness::{options, start, start_with, store};

const VELOCYPACK: &str = "Content-Type: application/x-velocypack\r\n";
const ACCEPT_VELOCYPACK: &str = "Accept: application/x-velocypack\r\n";

fn value() -> Vec<u8> {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    builder.key("n").unwrap();
    builder.add_i64(-7).unwrap();
    builder.close().unwrap();
    builder.into_vec()
}

#[test]
fn every_body_format_is_answered_in_every_accepted_format() {
    let running = start();
    let mut client = running.client();
    for (body, content_type) in [(br#"{"n":-7}"#.to_vec(), ""), (value(), VELOCYPACK)] {
        let json = client.request("PUT", "/_test/value", content_type, &body);
        assert_eq!(json.text(), r#"{"n":-7}"#);
        let headers = format!("{content_type}{ACCEPT_VELOCYPACK}");
        let binary = client.request("PUT", "/_test/value", &headers, &body);
        assert_eq!(binary.header("content-type"), Some("application/x-velocypack"));
        assert_eq!(Slice::new(&binary.body).get("n").and_then(Slice::as_i64), Some(-7));
    }
}

#[test]
fn errors_come_in_the_accepted_format() {
    let running = start();
    let reply = running.client().request("GET", "/_api/nothing", ACCEPT_VELOCYPACK, b"");
    assert_eq!(Slice::new(&reply.body).get("errorNum").and_then(Slice::as_u64), Some(404));
}

#[test]
fn bad_bodies_are_refused_and_the_connection_stays() {
    let running = start();
    let mut client = running.client();
    let deep = "[".repeat(100_000);
    for body in ["{", "{\"a\":}", "nonsense", "{} {}", "\"\u{0}\"", "\"\\ud800\"", deep.as_str()] {
        client.request("PUT", "/_test/value", "", body.as_bytes()).error(400, 600);
    }
    client.request("PUT", "/_test/value", "", b"\"\xff\"").error(400, 600);
    for body in
        [&b"\x0b"[..], b"\x00", b"\x14\xff", b"\x0b\x05\x02\x41a", b"\xbf\xff\xff\xff\xff\xff\xff\xff\xff"]
    {
        client.request("PUT", "/_test/value", VELOCYPACK, body).error(400, 600);
    }
    client.request("PUT", "/_test/value", "", b"[1]").error(400, 10);
    assert_eq!(client.request("PUT", "/_test/value", "", b"").text(), "{}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_requests_are_understood() {
    let running = start();
    let mut client = running.client();
    let reply = client.request("POST", "/_test/body", "Content-Encoding: gzip\r\n", &gzip(b"hello"));
    assert_eq!(reply.text(), "hello");
    let reply = client.request("POST", "/_test/body", "Content-Encoding: deflate\r\n", &zlib(b"hello"));
    assert_eq!(reply.text(), "hello");
    client.request("POST", "/_test/body", "Content-Encoding: gzip\r\n", b"damaged").error(400, 400);
    client.request("POST", "/_test/body", "Content-Encoding: br\r\n", b"unknown").error(415, 400);
}

#[test]
fn long_replies_are_compressed_for_clients_that_accept_it() {
    let http = HttpOptions { compress_response_threshold_bytes: 1_000, ..HttpOptions::default() };
    let running = start_with(ServerOptions { http, ..options() }, store());
    let mut client = running.client();
    let plain = client.get("/_test/long");
    assert_eq!(plain.header("content-encoding"), None);
    let reply = client.request("GET", "/_test/long", "Accept-Encoding: deflate, gzip\r\n", b"");
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    assert!(reply.body.len() < plain.body.len() / 10);
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&*reply.body).read_to_end(&mut text).unwrap();
    assert!(text == plain.body);
    let reply = client.request("GET", "/_test/long", "Accept-Encoding: deflate\r\n", b"");
    let mut text = Vec::new();
    flate2::read::ZlibDecoder::new(&*reply.body).read_to_end(&mut text).unwrap();
    assert!(text == plain.body);
    let short = client.request("GET", "/_test/long?count=2", "Accept-Encoding: gzip\r\n", b"");
    assert_eq!(short.header("content-encoding"), None);
    let stream = client.request("GET", "/_test/stream?count=2000", "Accept-Encoding: gzip\r\n", b"");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*stream.body).read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 2_000);
}

#[test]
fn nothing_is_compressed_unless_configured() {
    let running = start();
    let reply = running.client().request("GET", "/_test/long", "Accept-Encoding: gzip\r\n", b"");
    assert_eq!(reply.header("content-encoding"), None);
}
