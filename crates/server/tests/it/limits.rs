//! Limits on the requests of a client, and the replies when they are exceeded.

use std::time::Duration;

use server::placement::pool::PoolLimits;
use server::{HttpOptions, ServerOptions};

use crate::client::Client;
use crate::harness::{Running, open_gate, options, start, start_with, store, wait_for_arrivals, wait_until};

fn with_http(http: HttpOptions) -> Running {
    start_with(ServerOptions { http, ..options() }, store())
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let running = with_http(HttpOptions { max_body_bytes: 1_000, ..HttpOptions::default() });
    assert_eq!(running.client().request("POST", "/_test/body", "", &[b'x'; 1_000]).status, 200);
    running.client().request("POST", "/_test/body", "", &[b'x'; 1_001]).error(413, 400);
    let mut client = running.client();
    client.send(b"POST /_test/body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send(format!("3e9\r\n{}\r\n0\r\n\r\n", "x".repeat(1_001)).as_bytes());
    client.read_reply(false).error(413, 400);
    running
        .client()
        .request("POST", "/_test/body", "Content-Length: 99999999999\r\n", b"")
        .status
        .to_string();
}

#[test]
fn a_compressed_body_may_not_grow_beyond_the_bound() {
    let running = with_http(HttpOptions { max_body_bytes: 10_000, ..HttpOptions::default() });
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &vec![b'x'; 1 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 10_000);
    running.client().request("POST", "/_test/body", "Content-Encoding: gzip\r\n", &bomb).error(413, 400);
}

#[test]
fn an_address_or_a_head_that_is_too_long_is_refused() {
    let running = start();
    let mut client = running.client();
    client.get(&format!("/_api/version?x={}", "y".repeat(16 << 10))).error(414, 400);
    assert_eq!(client.get("/_api/version").status, 200);
    let headers: String = (0..400).map(|number| format!("X-{number}: y\r\n")).collect();
    assert_eq!(running.client().request("GET", "/_api/version", &headers, b"").status, 431);
    let mut client = running.client();
    client.send(b"GET /_api/version HTTP/1.1\r\nHost: x\r\nX: ");
    client.send(&vec![b'y'; 2 << 20]);
    assert_eq!(client.read_reply(false).status, 431);
    assert!(client.is_closed());
}

#[test]
fn what_is_not_http_is_refused() {
    let running = start();
    for nonsense in [
        "nonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
    ] {
        let mut client = running.client();
        client.send(nonsense.as_bytes());
        assert_eq!(client.read_reply(false).status, 400, "{nonsense:?}");
        assert!(client.is_closed());
    }
    for length in ["-1", "x", "1, 2"] {
        let mut client = running.client();
        client.send(
            format!("POST /_test/body HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n").as_bytes(),
        );
        assert_eq!(client.read_reply(false).status, 400, "{length}");
    }
    assert_eq!(running.client().get("/_api/version").status, 200);
}

#[test]
fn no_more_connections_are_accepted_than_configured() {
    let running = with_http(HttpOptions { max_connections: 2, ..HttpOptions::default() });
    let mut first = running.client();
    let mut second = running.client();
    assert_eq!((first.get("/_api/version").status, second.get("/_api/version").status), (200, 200));
    let mut third = running.client();
    third.write("GET", "/_api/version", "", b"");
    // It would be accepted in this time.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(running.server.connections().len(), 2);
    drop(first);
    assert_eq!(third.read_reply(false).status, 200, "the connection is accepted when another one ends");
}

#[test]
fn a_full_queue_answers_503() {
    let pool = PoolLimits { threads: 1, max_threads: 1, max_queue: 1 };
    let running = start_with(ServerOptions { pool, ..options() }, store());
    let mut clients: Vec<_> = (0..3).map(|_| running.client()).collect();
    let path = "/_test/wait?gate=queue";
    clients[0].write("GET", path, "", b"");
    wait_for_arrivals("queue", 1);
    clients[1].write("GET", path, "", b"");
    wait_until("the queue is full", || running.client().get("/_admin/server/availability").status == 503);
    clients[2].write("GET", path, "", b"");
    assert_eq!(clients[2].read_reply(false).error(503, 21_003), "queue is full");
    running.client().get("/_admin/server/availability").error(503, 503);
    // The time that the second request waits is measured.
    std::thread::sleep(Duration::from_millis(200));
    open_gate("queue");
    assert_eq!((clients[0].read_reply(false).status, clients[1].read_reply(false).status), (200, 200));
    let wait = running.client().get("/_api/version");
    let wait: f64 = wait.header("x-arango-queue-time-seconds").unwrap().parse().unwrap();
    assert!((0.1..60.0).contains(&wait), "{wait}");
    assert_eq!(clients[2].get("/_api/version").status, 200);
}

/// Starts a server whose requests together have memory for bodies of 400 KiB.
fn with_little_memory() -> Running {
    with_http(HttpOptions { request_memory_bytes: 900 << 10, ..HttpOptions::default() })
}

/// Sends the head of a request and the beginning of its body.
fn begin(running: &Running, announced: usize, sent: usize) -> Client {
    let mut client = running.client();
    client.send(
        format!("POST /_test/body HTTP/1.1\r\nHost: x\r\nContent-Length: {announced}\r\n\r\n").as_bytes(),
    );
    client.send(&vec![b'x'; sent]);
    // It has its memory when the server has read that, which nobody sees.
    std::thread::sleep(Duration::from_millis(250));
    client
}

#[test]
fn a_body_is_refused_while_heads_without_end_take_all_unread_bytes() {
    let running = with_http(HttpOptions { unread_max_bytes: 100 << 10, ..HttpOptions::default() });
    let mut endless = running.client();
    endless.send(format!("GET / HTTP/1.1\r\nx: {}", "x".repeat(96 << 10)).as_bytes());
    // The server has read the head then, which nobody sees.
    std::thread::sleep(Duration::from_millis(250));
    let mut refused = begin(&running, 60 << 10, 0);
    refused.send(&vec![b'x'; 40 << 10]);
    refused.read_reply(false).error(503, 21_003);
}

#[test]
fn a_long_body_waits_for_memory_and_a_short_one_does_not() {
    let running = with_little_memory();
    let mut first = begin(&running, 350 << 10, 300 << 10);
    let mut second = running.client();
    let (sender, answered) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || {
        let reply = second.request("POST", "/_test/body", "", &vec![b'x'; 150 << 10]);
        sender.send(()).unwrap();
        reply
    });
    assert!(answered.recv_timeout(Duration::from_millis(200)).is_err(), "there is no memory for both");
    assert_eq!(running.client().request("POST", "/_test/body", "", &[b'x'; 40_000]).status, 200);
    first.send(&vec![b'x'; 50 << 10]);
    assert_eq!(first.read_reply(false).status, 200);
    assert_eq!(waiting.join().unwrap().status, 200, "the request continues after the first one ends");
}

#[test]
fn a_length_that_is_only_announced_takes_nothing_from_others() {
    let running = with_little_memory();
    let _announced: Vec<Client> = (0..20).map(|_| begin(&running, 400 << 10, 1_000)).collect();
    assert_eq!(running.client().request("POST", "/_test/body", "", &vec![b'x'; 400 << 10]).status, 200);
}

#[test]
fn a_body_that_stalls_loses_its_memory_to_others() {
    let running = with_little_memory();
    let mut stalled = begin(&running, 350 << 10, 100 << 10);
    assert_eq!(running.client().request("POST", "/_test/body", "", &vec![b'x'; 350 << 10]).status, 200);
    assert_eq!(stalled.read_reply(false).status, 408);
}

#[test]
fn a_client_that_goes_gives_its_memory_back() {
    let running = with_little_memory();
    drop(begin(&running, 400 << 10, 300 << 10));
    assert_eq!(running.client().request("POST", "/_test/body", "", &vec![b'x'; 400 << 10]).status, 200);
}

#[test]
fn a_body_that_is_longer_than_all_memory_is_refused() {
    let running = with_little_memory();
    let long = vec![b'x'; 2 << 20];
    let reply = running.client().request("POST", "/_test/body", "", &long);
    assert_eq!(reply.status, 413, "announced: {}", reply.text());
    let mut client = running.client();
    client.send(b"POST /_test/body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for part in long[..500_000].chunks(100_000) {
        client.send(format!("{:x}\r\n", part.len()).as_bytes());
        client.send(part);
        client.send(b"\r\n");
    }
    client.send(b"0\r\n\r\n");
    assert_eq!(client.read_reply(false).status, 413, "not announced");
    for (bytes, status) in [(2 << 20, 413), (300 << 10, 200)] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, &long[..bytes]).unwrap();
        let packed = encoder.finish().unwrap();
        let reply = running.client().request("POST", "/_test/body", "Content-Encoding: gzip\r\n", &packed);
        assert_eq!(reply.status, status, "compressed, and far more than its length lets expect");
    }
}
