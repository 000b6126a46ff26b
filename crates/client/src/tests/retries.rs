//! Lost connections: safe requests are retried, others are reported.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::server::{Act, ok, reply, start};
use super::{client, options};
use crate::{Client, Error, Request};

#[test]
fn reads_survive_lost_connections_and_a_busy_server() {
    let (endpoint, heard) = start(|count| match count {
        0 | 1 => Act::Close,
        2 => Act::Reply(reply(503, "", b"{}")),
        _ => ok("done"),
    });
    let client = client(&endpoint);
    assert_eq!(client.call(&Request::get("/x")).unwrap().body(), "done");
    assert_eq!(heard.try_iter().count(), 4);
}

#[test]
fn writes_are_not_made_twice() {
    let (endpoint, heard) = start(|_| Act::Close);
    let client = client(&endpoint);
    let error = client.call(&Request::post("/x").json("{}")).unwrap_err();
    assert!(matches!(error, Error::Broken { .. }) && error.is_connection(), "{error}");
    assert!(error.to_string().contains("127.0.0.1") && error.to_string().contains("POST /x"), "{error}");
    assert_eq!(heard.try_iter().count(), 1);
    let error = client.call(&Request::post("/x").json("{}").repeatable()).unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    assert_eq!(heard.try_iter().count(), 4, "one attempt and three more");
}

#[test]
fn a_write_notices_that_its_idle_connection_was_closed() {
    let (endpoint, heard) = start(|_| Act::ReplyAndClose(reply(200, "", b"1")));
    let client = client(&endpoint);
    for round in 0..3 {
        assert_eq!(client.call(&Request::post("/x").json("{}")).unwrap().body(), "1");
        assert_eq!(heard.recv().unwrap().connection, round);
        // The end of the connection usually arrives in this time. It may also come later.
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_reply_that_breaks_off_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf";
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n";
    let (endpoint, _heard) =
        start(move |count| Act::ReplyAndClose(if count == 0 { head.into() } else { chunked.into() }));
    let client = client(&endpoint);
    let error = client.call(&Request::post("/x").json("{}")).unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    let mut streamed = client.stream(&Request::get("/x")).unwrap();
    assert_eq!(streamed.next_chunk().unwrap().unwrap(), "half");
    assert!(matches!(streamed.next_chunk(), Err(Error::Broken { .. })));
}

#[test]
fn a_silent_server_is_given_up() {
    let (endpoint, _heard) = start(|_| Act::Wait);
    let mut options = options(&endpoint);
    options.request_timeout = Duration::from_millis(50);
    let client = Client::new(options).unwrap();
    let begin = Instant::now();
    let error = client.call(&Request::get("/x")).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }) && error.to_string().contains("0.05 s"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_request_may_wait_less_than_others_for_a_reply_and_its_rest() {
    let (endpoint, _heard) = start(|count| match count {
        0 => Act::Wait,
        // The body has two bytes, and one comes.
        _ => Act::Reply(b"HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\n1".to_vec()),
    });
    let client = client(&endpoint);
    let request = Request::get("/x").patience(Duration::from_millis(50));
    let begin = Instant::now();
    let streamed = |client: &Client| {
        let mut reply = client.stream(&request)?;
        while reply.next_chunk()?.is_some() {}
        Ok(())
    };
    for outcome in [client.call(&request).map(drop), client.call(&request).map(drop), streamed(&client)] {
        match outcome {
            Err(error @ Error::TimedOut { .. }) => assert!(error.to_string().contains("0.05 s"), "{error}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&endpoint).call(&Request::post("/x")).unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error}");
    assert!(error.to_string().contains(&endpoint[6..]), "{error}");
    let error = client("unix:///nowhere/socket").call(&Request::get("/x")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/socket"), "{error}");
}
