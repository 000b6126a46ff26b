//! A service that two servers have.

use std::path::Path;

use database::InstanceOptions;
use database::foxx::FoxxOptions;
use kv_tikv::MemoryCluster;
use serde_json::{Value, json};

use crate::client::Client;
use crate::harness::{Running, options};
use crate::servers::start_instance_on;

/// A service that counts the requests that its isolate has answered.
const COUNTER: &str = "'use strict';
const router = require('@arangodb/foxx/router')();
module.context.use(router);
let count = 0;
router.get('/count', (req, res) => { count += 1; res.json([FIRST, count]); });";

fn start(cluster: &MemoryCluster, apps: &Path) -> Running {
    let foxx = FoxxOptions { folder: apps.to_owned(), ..FoxxOptions::default() };
    start_instance_on(cluster, options(), InstanceOptions { foxx, ..InstanceOptions::default() })
}

/// Installs or replaces the service at a mount point.
fn put(client: &mut Client, method: &str, path: &str, first: u32) {
    let source = COUNTER.replace("FIRST", &first.to_string());
    let reply = client.request(method, path, "Content-Type: application/javascript\r\n", source.as_bytes());
    assert!(reply.status < 300, "{}", reply.text());
}

fn count(client: &mut Client, mount: &str) -> Value {
    let reply = client.get(&format!("{mount}/count"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[test]
fn isolates_are_kept_until_either_server_changes_a_service() {
    let cluster = MemoryCluster::new();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let servers = [0, 1].map(|at| start(&cluster, folders[at].path()));
    let [mut left, mut right] = [0, 1].map(|at: usize| servers[at].client());
    put(&mut left, "POST", "/_api/foxx?mount=/a", 1);
    for client in [&mut left, &mut right] {
        assert_eq!(count(client, "/a"), json!([1, 1]));
        assert_eq!(count(client, "/a"), json!([1, 2]));
    }
    put(&mut right, "PUT", "/_api/foxx/service?mount=/a", 2);
    assert_eq!(count(&mut left, "/a"), json!([2, 1]));
    assert_eq!(count(&mut left, "/a"), json!([2, 2]));
    // A server that has read the services knows a new one of the other, and that one is gone.
    put(&mut right, "POST", "/_api/foxx?mount=/b", 3);
    assert_eq!(count(&mut left, "/b"), json!([3, 1]));
    let removed = right.request("DELETE", "/_api/foxx/service?mount=/a", "", b"");
    assert!(removed.status < 300, "{}", removed.text());
    assert_eq!(left.get("/a/count").status, 404);
}
