//! Dumps of crashes: what a process that was killed leaves for the next start, and the routes that
//! show it.

use crate::support::Server;

#[test]
fn a_killed_server_leaves_a_dump_and_one_that_stops_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let log = format!("file://{}", folder.path().join("log").display());
    let start = || {
        let options = ["--log.output", &log, "--log.level", "info"];
        Server::start(&folder.path().join("data"), &options)
    };
    let server = start();
    let listed = server.connect().json("GET", "/_admin/crashes", "");
    assert_eq!((listed.status, listed.json()["result"].as_array().unwrap().len()), (200, 0));
    server.kill();
    let server = start();
    let mut client = server.connect();
    let listed = client.json("GET", "/_admin/crashes", "").json();
    let name = listed["result"][0].as_str().unwrap().to_owned();
    let dump = folder.path().join("data/crashes").join(&name);
    assert!(dump.join("system_info.txt").is_file());
    let reply = client.json("GET", &format!("/_admin/crashes/{name}"), "");
    assert_eq!(reply.status, 200);
    let result = &reply.json()["result"];
    assert_eq!(result["crashId"], *name);
    let text = |file: &str| result["files"][file].as_str().unwrap().to_owned();
    assert!(text("backtrace.txt").contains("did not stop in order"));
    assert!(text("system_info.txt").contains("compatible with ArangoDB 3.12.10"));
    assert!(text("log.txt").contains("is ready at"), "{}", text("log.txt"));
    let removed = client.json("DELETE", &format!("/_admin/crashes/{name}"), "");
    assert_eq!((removed.status, &removed.json()["result"]["deleted"]), (200, &true.into()));
    assert!(!dump.exists());
    for method in ["GET", "DELETE"] {
        let gone = client.json(method, &format!("/_admin/crashes/{name}"), "");
        assert_eq!((gone.status, &gone.json()["errorNum"]), (404, &404.into()));
        assert_eq!(client.json(method, "/_admin/crashes/..%2F..%2Fcrashes", "").status, 404);
    }
    drop(client);
    assert_eq!(server.stop(), Some(0));
    let server = start();
    let listed = server.connect().json("GET", "/_admin/crashes", "").json();
    assert!(listed["result"].as_array().unwrap().is_empty(), "{listed}");
}
