//! Requests with `x-arango-async`.

use crate::client::{Client, Reply};
use crate::harness::{open_gate, passed, start, wait_until};

const STORE: &str = "x-arango-async: store\r\n";

fn store(client: &mut Client, path: &str) -> String {
    let reply = client.request("GET", path, STORE, b"");
    assert_eq!((reply.status, reply.body.len()), (202, 0));
    reply.header("x-arango-async-id").unwrap().to_owned()
}

fn fetch(client: &mut Client, id: &str) -> Reply {
    let mut fetched = None;
    wait_until("the job ends", || {
        fetched = Some(client.request("PUT", &format!("/_api/job/{id}"), "", b""));
        fetched.as_ref().is_some_and(|reply| reply.status != 204)
    });
    fetched.unwrap()
}

#[test]
fn a_stored_reply_is_fetched_once() {
    let running = start();
    let mut client = running.client();
    let id = store(&mut client, "/_api/version");
    let reply = fetch(&mut client, &id);
    assert_eq!((reply.status, reply.header("x-arango-async-id")), (200, Some(id.as_str())));
    assert_eq!(reply.json()["server"], "arango");
    client.request("PUT", &format!("/_api/job/{id}"), "", b"").error(404, 404);
}

#[test]
fn jobs_are_listed_and_removed() {
    let running = start();
    let mut client = running.client();
    let slow = store(&mut client, "/_test/wait?gate=listed");
    let status = |client: &mut Client, id: &str| client.get(&format!("/_api/job/{id}")).status;
    assert_eq!(status(&mut client, &slow), 204);
    assert_eq!(client.get("/_api/job/pending").json(), serde_json::json!([slow]));
    assert_eq!(client.get("/_api/job/done").json(), serde_json::json!([]));
    open_gate("listed");
    wait_until("the job ends", || status(&mut client, &slow) != 204);
    assert_eq!(status(&mut client, &slow), 200);
    assert_eq!(client.get("/_admin/job/done?count=1").json(), serde_json::json!([slow]));
    assert_eq!(client.request("DELETE", "/_api/job/expired?stamp=1", "", b"").json()["result"], true);
    assert_eq!(status(&mut client, &slow), 200, "the job is newer than the stamp");
    assert_eq!(client.request("DELETE", &format!("/_api/job/{slow}"), "", b"").json()["result"], true);
    assert_eq!(status(&mut client, &slow), 404);
    store(&mut client, "/_api/version");
    assert_eq!(client.request("DELETE", "/_api/job/all", "", b"").status, 200);
}

#[test]
fn errors_are_also_stored() {
    let running = start();
    let mut client = running.client();
    let id = store(&mut client, "/_test/panic");
    fetch(&mut client, &id).error(500, 4);
    let id = store(&mut client, "/_test/stream?count=3");
    assert_eq!(fetch(&mut client, &id).text().lines().count(), 3);
}

#[test]
fn a_job_can_be_cancelled() {
    let running = start();
    let mut client = running.client();
    let id = store(&mut client, "/_test/wait?gate=cancelled");
    assert_eq!(client.request("PUT", &format!("/_api/job/{id}/cancel"), "", b"").json()["result"], true);
    open_gate("cancelled");
    assert_eq!(fetch(&mut client, &id).error(410, 21), "canceled request");
}

#[test]
fn an_unknown_job_is_not_found() {
    let running = start();
    let mut client = running.client();
    client.get("/_api/job/12345").error(404, 404);
    client.get("/_api/job/nonsense").error(400, 400);
    client.request("DELETE", "/_api/job/12345", "", b"").error(404, 404);
    client.request("PUT", "/_api/job/12345/cancel", "", b"").error(404, 404);
    client.request("PUT", "/_api/job", "", b"").error(400, 400);
}

#[test]
fn a_reply_may_be_forgotten() {
    let running = start();
    let path = "/_test/wait?gate=forgotten";
    let reply = running.client().request("GET", path, "x-arango-async: true\r\n", b"");
    assert_eq!((reply.status, reply.header("x-arango-async-id")), (202, None));
    open_gate("forgotten");
    wait_until("the request runs", || passed("forgotten") == 1);
}
