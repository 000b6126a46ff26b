//! Requests and their replies.

use std::io::{Read, Write};

use super::server::{Act, ok, reply, start};
use super::{client, options};
use crate::{Client, Credentials, Error, Request};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn requests_carry_database_user_and_body_on_one_connection() {
    let (endpoint, heard) = start(|_| ok(r#"{"n":1}"#));
    let mut options = options(&endpoint);
    options.database = "ä b".to_owned();
    options.credentials = Credentials::Basic { user: "root".to_owned(), password: "x:y".to_owned() };
    let client = Client::new(options).unwrap();
    let request = Request::post("/_api/document").segment("a/b").query("returnNew", "a&b").json("{}");
    let reply = client.call(&request).unwrap();
    assert_eq!(velocypack::Slice::new(&reply.value().unwrap()).get("n").unwrap().as_u64(), Some(1));
    client.call(&Request::get("/_api/version").database("other")).unwrap();
    let first = heard.recv().unwrap();
    assert!(
        first.head.starts_with("POST /_db/%C3%A4%20b/_api/document/a%2Fb?returnNew=a%26b HTTP/1.1"),
        "{first:?}"
    );
    assert!(first.head.contains("authorization: Basic cm9vdDp4Onk=\r\n"), "{first:?}");
    assert_eq!(first.body, b"{}");
    let second = heard.recv().unwrap();
    assert!(second.head.starts_with("GET /_db/other/_api/version "), "{second:?}");
    assert_eq!((first.connection, second.connection), (0, 0));
}

#[test]
fn errors_of_the_server_keep_their_numbers() {
    let body = br#"{"error":true,"code":404,"errorNum":1203,"errorMessage":"collection not found: x"}"#;
    let (endpoint, _heard) = start(move |count| match count {
        0 | 1 => Act::Reply(reply(404, "", body)),
        _ => Act::Reply(reply(502, "", b"<html>bad gateway</html>")),
    });
    let client = client(&endpoint);
    let error = client.call(&Request::get("/_api/collection/x?y=1")).unwrap_err();
    assert_eq!(error.number(), Some(1203));
    let text = error.to_string();
    for part in ["127.0.0.1", "GET /_api/collection/x", "404", "1203", "collection not found: x"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let error = client.stream(&Request::get("/x")).unwrap().success().err().unwrap();
    assert_eq!(error.number(), Some(1203));
    let error = client.call(&Request::get("/x")).unwrap_err();
    assert!(error.number() == Some(502) && error.to_string().contains("bad gateway"), "{error}");
}

#[test]
fn large_bodies_go_both_ways() {
    let large: Vec<u8> = (0..9_000_000_u32).map(|n| (n % 251) as u8).collect();
    let sent = large.clone();
    let (endpoint, heard) = start(move |_| Act::Reply(reply(200, "", &sent)));
    let client = client(&endpoint);
    for _ in 0..2 {
        let reply = client.call(&Request::put("/x").body("application/octet-stream", large.clone())).unwrap();
        assert!(reply.body() == &large);
        assert!(heard.recv().unwrap().body == large);
    }
    let mut streamed = client.stream(&Request::get("/x")).unwrap().success().unwrap();
    let mut all = Vec::new();
    streamed.read_to_end(&mut all).unwrap();
    assert!(all == large);
    let mut streamed = client.stream(&Request::get("/x")).unwrap();
    let mut bytes = 0;
    while let Some(chunk) = streamed.next_chunk().unwrap() {
        assert!(!chunk.is_empty() && chunk == large[bytes..bytes + chunk.len()]);
        bytes += chunk.len();
    }
    assert_eq!(bytes, large.len());
    assert!(heard.try_iter().all(|heard| heard.connection == 0), "the connection was not kept");
}

#[test]
fn replies_beyond_the_limit_are_refused() {
    let chunked =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n6\r\n678901\r\n0\r\n\r\n";
    let (endpoint, _heard) = start(move |count| match count {
        0 => ok("12345678901"),
        1 => Act::ReplyAndClose(chunked.into()),
        2 => Act::Reply(reply(200, "content-encoding: gzip\r\n", &gzip(&[b'x'; 100_000]))),
        _ => ok("1234567890"),
    });
    let mut options = options(&endpoint);
    options.max_response_bytes = 10;
    let client = Client::new(options).unwrap();
    for _ in 0..3 {
        let error = client.send(&Request::get("/x")).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit_bytes: 10, .. }), "{error}");
    }
    assert_eq!(client.send(&Request::get("/x")).unwrap().body(), "1234567890");
}

#[test]
fn a_compressed_body_is_kept_for_who_asks_for_it() {
    let (endpoint, _heard) = start(|count| {
        let status = if count == 0 { 200 } else { 400 };
        Act::Reply(reply(status, "content-encoding: gzip\r\n", &gzip(b"{\"errorNum\":17}")))
    });
    let client = client(&endpoint);
    let request = Request::get("/x").keep_encoding();
    let kept = client.send(&request).unwrap();
    assert_eq!(
        (kept.header("content-encoding"), &kept.body()[..]),
        (Some("gzip"), &gzip(b"{\"errorNum\":17}")[..])
    );
    // Errors are always decompressed.
    assert_eq!(client.call(&request).unwrap_err().number(), Some(17));
}

#[test]
fn bodies_are_compressed_both_ways() {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zlib.write_all(b"deflated").unwrap();
    let deflated = zlib.finish().unwrap();
    let (endpoint, heard) = start(move |count| match count {
        0 | 1 => Act::Reply(reply(200, "content-encoding: gzip\r\n", &gzip(b"zipped"))),
        2 => Act::Reply(reply(200, "content-encoding: deflate\r\n", &deflated)),
        3 => Act::Reply(reply(200, "content-encoding: gzip\r\n", b"broken")),
        _ => Act::Reply(reply(200, "content-encoding: br\r\n", b"?")),
    });
    let mut options = options(&endpoint);
    options.compressed_replies = true;
    options.compress_requests_from_bytes = Some(5);
    let client = Client::new(options).unwrap();
    assert_eq!(client.send(&Request::post("/x").json("12345")).unwrap().body(), "zipped");
    let mut text = String::new();
    client.stream(&Request::post("/x").json("1234")).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "zipped");
    let mut deflated = client.stream(&Request::get("/x")).unwrap();
    assert_eq!(deflated.next_chunk().unwrap().unwrap(), "deflated");
    assert_eq!(deflated.next_chunk().unwrap(), None);
    for _ in 0..2 {
        assert!(matches!(client.send(&Request::get("/x")), Err(Error::Reply { .. })));
    }
    let first = heard.recv().unwrap();
    assert!(first.head.contains("accept-encoding: gzip") && first.head.contains("content-encoding: gzip"));
    assert_eq!(crate::encoding::decoded("gzip", &first.body.into(), 100).unwrap().unwrap(), "12345");
    let second = heard.recv().unwrap();
    assert!(second.body == b"1234" && !second.head.contains("content-encoding"));
}

#[test]
fn threads_share_a_client() {
    let (endpoint, _heard) = start(|_| ok("1"));
    let client = client(&endpoint);
    // The server above serves one connection after another: a second one would wait forever.
    for _ in 0..4 {
        let client = client.clone();
        let thread = std::thread::spawn(move || client.send(&Request::get("/x")).unwrap().into_body());
        assert_eq!(thread.join().unwrap(), "1");
    }
}

#[test]
fn a_request_that_http_cannot_carry_is_an_error() {
    let client = client("tcp://127.0.0.1:1");
    let error = client.send(&Request::get("/x").header("x-y", "a\nb")).unwrap_err();
    assert!(matches!(error, Error::Request { .. }), "{error}");
    let error = client.send(&Request::get("/a b")).unwrap_err();
    assert!(matches!(error, Error::Request { .. }), "{error}");
}
