//! Replies of `/_api/wal/tail` that wait for the next entry.

use std::time::{Duration, Instant};

use server::placement::pool::PoolLimits;

use crate::client::Client;
use crate::harness::{Running, options, start, start_with, store, wait_until};

/// Longer than any of the tests waits.
const LONG: u64 = 60_000;

fn make_collection(client: &mut Client, name: &str) {
    let body = format!(r#"{{"name": "{name}"}}"#);
    assert_eq!(client.request("POST", "/_api/collection", "", body.as_bytes()).status, 200);
}

/// Returns the path of a request that waits behind the end of the log.
fn path_at_end(running: &Running, wait_ms: u64) -> String {
    let tick = running.client().get("/_api/wal/lastTick").json()["tick"].as_str().unwrap().to_owned();
    format!("/_api/wal/tail?global=true&from={tick}&wait={wait_ms}")
}

#[test]
fn more_readers_than_threads_wait_for_an_entry() {
    let mut few_threads = options();
    few_threads.pool = PoolLimits { threads: 1, max_threads: 2, max_queue: 100 };
    let running = start_with(few_threads, store());
    let path = path_at_end(&running, LONG);
    let mut readers: Vec<Client> = (0..20).map(|_| running.client()).collect();
    for reader in &mut readers {
        reader.write("GET", &path, "", b"");
    }
    // Clients leave while they wait.
    readers.truncate(15);
    make_collection(&mut running.client(), "docs");
    for reader in &mut readers {
        let reply = reader.read_reply(false);
        assert_eq!(reply.status, 200);
        assert!(reply.text().contains(r#""type":2000"#), "{}", reply.text());
    }
    // Entries that are there already need no wait.
    let reply = running.client().get(&path);
    assert_eq!((reply.status, reply.text().matches(r#""type":2000"#).count()), (200, 1));
}

#[test]
fn a_wait_ends_with_its_time_and_with_the_server() {
    let running = start();
    let mut client = running.client();
    let begin = Instant::now();
    let reply = client.get(&path_at_end(&running, 50));
    assert_eq!((reply.status, reply.header("x-arango-replication-frompresent")), (204, Some("true")));
    assert!(begin.elapsed() >= Duration::from_millis(50));
    // There is nothing to wait for: a position of another log, and an empty range.
    let elsewhere = client.get(&format!("/_api/wal/tail?from=99999999999&wait={LONG}"));
    assert_eq!(elsewhere.header("x-arango-replication-frompresent"), Some("false"));
    assert_eq!(client.get(&(path_at_end(&running, LONG) + "&to=0")).status, 204);
    client.get(&path_at_end(&running, LONG + 1)).error(400, 10);
    client.get("/_api/wal/tail?wait=soon").error(400, 10);

    client.write("GET", &path_at_end(&running, LONG), "", b"");
    // Nothing tells that the request has begun to wait.
    std::thread::sleep(Duration::from_millis(100));
    let begin = Instant::now();
    let stopped = std::thread::spawn(move || running.stop());
    assert_eq!(client.read_reply(false).status, 204);
    assert!(stopped.join().unwrap());
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn jobs_wait_as_well() {
    let running = start();
    let mut client = running.client();
    let path = path_at_end(&running, LONG);
    let mut later = |path: &str| {
        let reply = client.request("GET", path, "x-arango-async: store\r\n", b"");
        reply.header("x-arango-async-id").unwrap().to_owned()
    };
    let (woken, cancelled) = (later(&path), later(&path));
    let mut client = running.client();
    let cancel = client.request("PUT", &format!("/_api/job/{cancelled}/cancel"), "", b"");
    assert_eq!(cancel.status, 200);
    wait_until("the job ends", || {
        client.request("PUT", &format!("/_api/job/{cancelled}"), "", b"").status == 410
    });
    make_collection(&mut client, "docs");
    wait_until("the job ends", || {
        client.request("PUT", &format!("/_api/job/{woken}"), "", b"").status == 200
    });
}
