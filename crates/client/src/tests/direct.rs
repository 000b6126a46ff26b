//! Requests to addresses that are known.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::server::{self, Act};
use crate::{DirectClient, DirectReply, DirectRequest, Result};

fn post(address: SocketAddr, patience: Duration, interrupt: Option<Arc<AtomicBool>>) -> Result<DirectReply> {
    let headers = [("x-tenant".to_owned(), "7".to_owned())];
    DirectClient::default().post(&DirectRequest {
        host: "receiver.test",
        authority: "receiver.test:1234",
        addresses: &[address],
        is_encrypted: false,
        target: "/a?b=c",
        headers: &headers,
        body: Bytes::from_static(b"hello"),
        deadline: Instant::now() + patience,
        interrupt,
    })
}

fn address(endpoint: &str) -> SocketAddr {
    endpoint.strip_prefix("tcp://").unwrap().parse().unwrap()
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn the_request_names_the_host_and_goes_to_the_address() {
    let (endpoint, heard) = server::start(|_| Act::Reply(server::reply(503, "retry-after: 9\r\n", b"busy")));
    let reply = post(address(&endpoint), LONG, None).unwrap();
    assert_eq!(reply, DirectReply { status: 503, retry_after: Some("9".to_owned()) });
    let heard = heard.recv().unwrap();
    assert!(heard.head.starts_with("POST /a?b=c HTTP/1.1\r\n"), "{}", heard.head);
    assert!(heard.head.contains("host: receiver.test:1234\r\n") && heard.head.contains("x-tenant: 7\r\n"));
    assert_eq!(heard.body, b"hello");
}

#[test]
fn a_redirect_is_not_followed() {
    let (target, followed) = server::start(|_| server::ok("{}"));
    let location = format!("location: http://{}/\r\n", address(&target));
    let (endpoint, _heard) = server::start(move |_| Act::Reply(server::reply(302, &location, b"")));
    assert_eq!(post(address(&endpoint), LONG, None).unwrap().status, 302);
    assert!(followed.try_recv().is_err());
}

#[test]
fn a_long_reply_is_not_read_to_its_end() {
    let (endpoint, _heard) = server::start(|_| {
        // The body that the head announces has a gigabyte, of which a part comes.
        let mut reply = b"HTTP/1.1 200 X\r\ncontent-length: 1073741824\r\n\r\n".to_vec();
        reply.extend(std::iter::repeat_n(b'x', 1 << 20));
        Act::Reply(reply)
    });
    let began = Instant::now();
    assert_eq!(post(address(&endpoint), LONG, None).unwrap().status, 200);
    assert!(began.elapsed() < LONG / 2);
}

#[test]
fn a_long_head_is_refused() {
    let (endpoint, _heard) = server::start(|_| {
        let value = "x".repeat(1 << 20);
        Act::ReplyAndClose(server::reply(200, &format!("a: {value}\r\n"), b""))
    });
    post(address(&endpoint), LONG, None).unwrap_err();
}

#[test]
fn the_deadline_and_the_flag_end_a_request_without_a_reply() {
    let (endpoint, _heard) = server::start(|_| Act::Wait);
    let began = Instant::now();
    post(address(&endpoint), Duration::from_millis(50), None).unwrap_err();
    let flag = Arc::new(AtomicBool::new(true));
    post(address(&endpoint), LONG, Some(Arc::clone(&flag))).unwrap_err();
    assert!(began.elapsed() < LONG / 2);
    assert!(flag.load(Ordering::Relaxed));
}

#[test]
fn a_closed_port_is_an_error() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    post(address, LONG, None).unwrap_err();
}
