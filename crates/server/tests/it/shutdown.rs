//! Tests of the server's end.

use std::time::{Duration, Instant};

use crate::harness::{open_gate, start, wait_for_arrivals, wait_until};

#[test]
fn requests_that_have_begun_are_answered() {
    let running = start();
    let mut busy = running.client();
    let mut idle = running.client();
    assert_eq!(idle.get("/_api/version").status, 200);
    busy.write("GET", "/_test/wait?gate=shutdown", "", b"");
    wait_for_arrivals("shutdown", 1);
    let address = running.address;
    let stopped = std::thread::spawn(move || running.stop());
    wait_until("the server no longer listens", || std::net::TcpStream::connect(address).is_err());
    open_gate("shutdown");
    let reply = busy.read_reply(false);
    assert_eq!((reply.status, reply.text()), (200, "true"));
    assert!(busy.is_closed() && idle.is_closed());
    assert!(stopped.join().unwrap(), "all requests must end on their own");
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

#[test]
fn queries_end_with_the_server() {
    let running = start();
    let mut clients = [running.client(), running.client()];
    for client in &mut clients {
        client.write("POST", "/_api/cursor", "", br#"{"query": "RETURN SLEEP(1000)"}"#);
    }
    let is_running = || running.client().get("/_api/query/current").json().as_array().unwrap().len() == 2;
    wait_until("both run", is_running);
    let begin = Instant::now();
    let stopped = std::thread::spawn(move || running.stop());
    for client in &mut clients {
        client.read_reply(false).error(410, 1500);
    }
    assert!(stopped.join().unwrap(), "the queries must end");
    // Requests have half a minute.
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
}

#[test]
fn tasks_end_with_the_server() {
    let running = start();
    let mut client = running.client();
    for (id, command) in [
        ("loop", "for (;;) { try { while (true) {} } catch (e) {} }"),
        ("query", "db._query('RETURN SLEEP(1000)')"),
        ("wait", "require('internal').wait(1000)"),
    ] {
        let body = format!(r#"{{"command": "{command}"}}"#);
        let reply = client.request("PUT", &format!("/_api/tasks/{id}"), "", body.as_bytes());
        assert_eq!(reply.status, 200, "{id}");
    }
    // Most of them run then. Those that do not must end as well.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(client.get("/_api/tasks").json().as_array().unwrap().len(), 3);
    let begin = Instant::now();
    assert!(running.stop(), "all runs must end");
    // They would run for a quarter of an hour.
    assert!(begin.elapsed() < Duration::from_secs(30));
}
