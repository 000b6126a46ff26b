//! Tests of the server's end.

use std::time::{Duration, Instant};

use crate::harness::start;

#[test]
fn requests_that_have_begun_are_answered() {
    let running = start();
    let mut busy = running.client();
    let mut idle = running.client();
    assert_eq!(idle.get("/_api/version").status, 200);
    busy.write("GET", "/_test/sleep?ms=300", "", b"");
    std::thread::sleep(Duration::from_millis(50));
    let address = running.address;
    let begin = Instant::now();
    let stopped = std::thread::spawn(move || running.stop());
    let reply = busy.read_reply(false);
    assert_eq!((reply.status, reply.text()), (200, "true"));
    assert!(busy.is_closed() && idle.is_closed());
    assert!(stopped.join().unwrap(), "all requests must end on their own");
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(std::net::TcpStream::connect(address).is_err(), "the server no longer listens");
}

#[test]
fn a_client_may_stop_the_server() {
    let mut running = start();
    let mut client = running.client();
    client.request("GET", "/_admin/shutdown", "", b"").error(405, 405);
    let reply = client.request("DELETE", "/_admin/shutdown", "", b"");
    assert_eq!((reply.status, reply.json().as_str()), (200, Some("OK")));
    assert!(running.wait());
}
