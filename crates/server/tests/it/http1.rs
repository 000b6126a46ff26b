//! HTTP/1.1.

use std::time::Duration;

use crate::harness::{open_gate, start, wait_for_arrivals, wait_until};

#[test]
fn a_connection_is_kept_for_further_requests() {
    let running = start();
    let mut client = running.client();
    for _ in 0..5 {
        let reply = client.get("/_api/version");
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["server"], "arango");
        assert!(reply.json()["version"].as_str().unwrap().starts_with("3.12."));
        assert!(reply.json()["persea-version"].is_string());
    }
    assert_eq!(running.server.connections().len(), 1);
}

#[test]
fn the_common_headers_are_there() {
    let running = start();
    let reply = running.client().get("/_api/version");
    assert_eq!(reply.header("server"), Some("ArangoDB"));
    assert_eq!(reply.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("x-arango-queue-time-seconds"), Some("0.000"));
    assert!(reply.header("cache-control").unwrap().contains("no-cache"));
}

#[test]
fn a_client_may_close_after_its_request() {
    let running = start();
    let mut client = running.client();
    let reply = client.request("GET", "/_api/version", "Connection: close\r\n", b"");
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
    assert!(client.is_closed());
}

#[test]
fn http_1_0_is_understood() {
    let running = start();
    let mut client = running.client();
    client.send(b"GET /_api/version HTTP/1.0\r\n\r\n");
    assert_eq!(client.read_reply(false).status, 200);
    assert!(client.is_closed());
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let running = start();
    let mut client = running.client();
    for number in 0..50 {
        if number % 10 == 3 {
            client.write("GET", "/_test/sleep?ms=5", "", b"");
        } else {
            client.write("GET", &format!("/_test/parts/{number}/x"), "", b"");
        }
    }
    for number in 0..50 {
        let reply = client.read_reply(false);
        assert_eq!(reply.status, 200);
        if number % 10 != 3 {
            assert_eq!(reply.json()["one"], number.to_string());
        }
    }
}

#[test]
fn a_request_may_arrive_byte_by_byte() {
    let running = start();
    let mut client = running.client();
    for byte in b"POST /_test/body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" {
        client.send(&[*byte]);
    }
    assert_eq!(client.read_reply(false).text(), "hello");
}

#[test]
fn a_chunked_body_is_put_together() {
    let running = start();
    let mut client = running.client();
    client.send(b"POST /_test/body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    client.send(b"6\r\n world\r\n0\r\n\r\n");
    assert_eq!(client.read_reply(false).text(), "hello world");
    assert_eq!(client.get("/_api/version").status, 200);
}

#[test]
fn a_client_may_wait_for_100_continue() {
    let running = start();
    let mut client = running.client();
    client.send(b"POST /_test/body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.read_reply(false).status, 100);
    client.send(b"hello");
    assert_eq!(client.read_reply(false).text(), "hello");
}

#[test]
fn head_is_get_without_its_body() {
    let running = start();
    let mut client = running.client();
    let get = client.get("/_admin/server/availability");
    let head = client.request("HEAD", "/_admin/server/availability", "", b"");
    assert_eq!((head.status, head.header("content-length")), (200, get.header("content-length")));
    assert_eq!(client.get("/_api/version").status, 200, "the reply to HEAD must have no body");
}

#[test]
fn options_tells_browsers_what_they_may_do() {
    let running = start();
    let mut client = running.client();
    let plain = client.request("OPTIONS", "/any/path", "", b"");
    assert_eq!((plain.status, plain.body.len()), (200, 0));
    assert!(plain.header("allow").unwrap().contains("PATCH"));
    assert_eq!(plain.header("access-control-allow-origin"), None);
    let headers = "Origin: http://page.example\r\nAccess-Control-Request-Headers: x-one, x-two\r\n";
    let preflight = client.request("OPTIONS", "/_api/version", headers, b"");
    assert_eq!(preflight.header("access-control-allow-origin"), Some("http://page.example"));
    assert_eq!(preflight.header("access-control-allow-credentials"), Some("false"));
    assert_eq!(preflight.header("access-control-allow-headers"), Some("x-one, x-two"));
    assert!(preflight.header("access-control-max-age").is_some());
    let actual = client.request("GET", "/_api/version", "Origin: http://page.example\r\n", b"");
    assert_eq!(actual.header("access-control-allow-origin"), Some("http://page.example"));
    assert!(actual.header("access-control-expose-headers").unwrap().contains("x-arango-async-id"));
}

#[test]
fn a_refused_request_leaves_the_connection_to_the_next() {
    let running = start();
    let mut client = running.client();
    for length in [10, 100_000] {
        // The body arrives after the server knows that it does not need it.
        client.send(
            format!("POST /_api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n").as_bytes(),
        );
        std::thread::sleep(Duration::from_millis(20));
        client.send(&vec![b'x'; length]);
        assert_eq!(client.read_reply(false).status, 404);
        assert_eq!(client.get("/_api/version").status, 200);
    }
}

#[test]
fn unknown_paths_and_methods_are_told_apart() {
    let running = start();
    let mut client = running.client();
    assert_eq!(client.get("/_api/nothing/here").error(404, 404), "unknown path '/_api/nothing/here'");
    assert_eq!(client.get("/_db/_system/_api/nothing").error(404, 404), "unknown path '/_api/nothing'");
    assert_eq!(client.request("DELETE", "/_api/engine", "", b"").error(405, 405), "method not supported");
    client.request("TRACE", "/_api/version", "", b"").error(405, 405);
    assert_eq!(client.get("/_api/version").status, 200);
}

#[test]
fn a_path_names_its_database() {
    let running = start();
    running.server.instance().store().create_database("例").unwrap();
    let mut client = running.client();
    let reply = client.get("/_db/%E4%BE%8B/_test/parts/a%2Fb/c%20d");
    assert_eq!(reply.json()["database"], "例");
    assert_eq!((reply.json()["one"].as_str(), reply.json()["two"].as_str()), (Some("a/b"), Some("c d")));
    client.get("/_db/missing/_api/version").error(404, 1228);
    client.get("/_db/%E4%BE%8B/_test/system").error(403, 1230);
    client.get("/_api/%zz").error(400, 400);
}

#[test]
fn work_that_waits_does_not_hold_up_what_does_not() {
    let running = start();
    let mut slow: Vec<_> = (0..8).map(|_| running.client()).collect();
    slow.iter_mut().for_each(|client| client.write("GET", "/_test/wait?gate=work", "", b""));
    wait_for_arrivals("work", 1);
    assert_eq!(running.client().get("/_api/version").status, 200);
    // Spare threads are added, so these requests do not wait for each other either.
    wait_for_arrivals("work", slow.len());
    open_gate("work");
    slow.iter_mut().for_each(|client| assert_eq!(client.read_reply(false).status, 200));
}

#[test]
fn a_route_may_continue_on_the_pool() {
    let running = start();
    let mut client = running.client();
    assert_eq!(client.request("POST", "/_test/start", "", b"1").json(), "short");
    assert_eq!(client.request("POST", "/_test/start?long=true", "", b"[1]").json()[0], 1);
}

#[test]
fn a_panic_costs_its_request_only() {
    let running = start();
    let mut client = running.client();
    for path in ["/_test/panic", "/_test/panic-on-pool", "/_test/panic-later"] {
        client.get(path).error(500, 4);
        assert_eq!(client.get("/_api/version").status, 200);
    }
}

#[test]
fn a_stream_arrives_whole_or_visibly_broken() {
    let running = start();
    let mut client = running.client();
    let whole = client.get("/_test/stream?count=1000");
    assert_eq!((whole.status, whole.is_broken), (200, false));
    assert_eq!(whole.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(whole.text().lines().count(), 1_000);
    assert_eq!(client.get("/_api/version").status, 200);
    let broken = client.get("/_test/stream?count=10&fails=true");
    assert!(broken.is_broken);
    assert_eq!(broken.text().lines().last(), Some(r#"{"error":true,"errorNum":1600}"#));
    assert_eq!(broken.text().lines().count(), 11);
}

#[test]
fn a_client_that_goes_away_in_a_stream_frees_everything() {
    let running = start();
    let mut client = running.client();
    client.write("GET", "/_test/stream?count=100000000", "", b"");
    client.send(b"");
    // The client goes in the middle of the stream, which nobody sees. Earlier is right as well.
    std::thread::sleep(Duration::from_millis(100));
    drop(client);
    wait_until("the connection is closed", || running.server.connections().is_empty());
}
