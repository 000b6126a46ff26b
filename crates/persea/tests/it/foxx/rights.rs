//! Whom services serve, and what they can reach.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{get, install, install_script, service};
use crate::support::{Client, Reply, Server};

const AUTHENTICATION: &[&str] = &["--server.authentication", "true", "--server.password", "pw"];

/// Sends a request as a user, whose password is the name; `root` has another one.
fn send_as(client: &mut Client, user: &str, method: &str, path: &str, body: &str) -> Reply {
    use base64::Engine;
    let password = if user == "root" { "pw" } else { user };
    let credentials = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    let headers = [
        ("authorization".to_owned(), format!("Basic {credentials}")),
        ("content-type".to_owned(), "application/javascript".to_owned()),
    ];
    client.send(method, path, &headers, body.as_bytes())
}

const ROUTES: &str = "'use strict';
const router = require('@arangodb/foxx/router')();
const { db } = require('@arangodb');
module.context.use(router);
router.get('/who', (req, res) => res.json({ user: req.arangoUser }));
router.post('/write', (req, res) => res.json(db.docs.save({ user: req.arangoUser })._key !== undefined));
";

fn with_users(client: &mut Client) {
    for (method, path, body) in [
        ("POST", "/_api/collection", json!({"name": "docs"})),
        ("POST", "/_api/user", json!({"user": "reader", "passwd": "reader"})),
        ("PUT", "/_api/user/reader/database/_system", json!({"grant": "ro"})),
    ] {
        let reply = send_as(client, "root", method, path, &body.to_string());
        assert!(reply.status < 300, "{path}: {}", reply.text());
    }
    let reply = send_as(client, "root", "POST", "/_api/foxx?mount=/s", ROUTES);
    assert_eq!(reply.status, 201, "{}", reply.text());
}

#[test]
fn a_service_has_the_rights_of_its_caller() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), AUTHENTICATION);
    let mut client = server.connect();
    with_users(&mut client);
    let mut who = |user: &str| send_as(&mut client, user, "GET", "/s/who", "").json()["user"].clone();
    assert_eq!((who("root"), who("reader")), (json!("root"), json!("reader")));
    assert_eq!(send_as(&mut client, "root", "POST", "/s/write", "").status, 200);
    let refused = send_as(&mut client, "reader", "POST", "/s/write", "");
    assert_eq!((refused.status, &refused.json()["errorNum"]), (403, &json!(1004)), "{}", refused.text());
    // A stranger has the rights of the service, and a wrong password is no stranger's.
    assert_eq!(get(&mut client, "/s/who"), (200, "{\"user\":null}".to_owned()));
    assert_eq!(client.send("POST", "/s/write", &[], b"").status, 200);
    assert_eq!(send_as(&mut client, "nobody", "GET", "/s/who", "").status, 401);
    // Strangers stay outside everywhere else, and readers manage no services.
    assert_eq!(get(&mut client, "/_api/foxx").0, 401);
    assert_eq!(get(&mut client, "/elsewhere").0, 401);
    assert_eq!(send_as(&mut client, "reader", "DELETE", "/_api/foxx/service?mount=/s", "").status, 403);
}

#[test]
fn a_service_reaches_no_other_database() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), AUTHENTICATION);
    let mut client = server.connect();
    for name in ["own", "other"] {
        let body = json!({"name": name}).to_string();
        assert_eq!(send_as(&mut client, "root", "POST", "/_api/database", &body).status, 201);
    }
    let script = "'use strict';
const router = require('@arangodb/foxx/router')();
const { db } = require('@arangodb');
const tried = (run) => { try { run(); return 'done'; } catch (error) { return error.code; } };
module.context.use(router);
router.get('/', (req, res) => res.json([
  tried(() => db._create('mine')),
  tried(() => { db._useDatabase('other'); db._create('theirs'); }),
  tried(() => { db._useDatabase('own'); require('@arangodb/users').save('mallory', 'x'); }),
  tried(() => { if (require('@arangodb/users').all().length > 0) throw new Error('seen'); }),
]));";
    let reply = send_as(&mut client, "root", "POST", "/_db/own/_api/foxx?mount=/s", script);
    assert_eq!(reply.status, 201, "{}", reply.text());
    let (status, text) = get(&mut client, "/_db/own/s");
    assert_eq!((status, text.as_str()), (200, "[\"done\",401,403,\"done\"]"));
}

#[test]
fn an_operator_may_close_services_to_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let options = [AUTHENTICATION, &["--server.authentication-system-only", "false"]].concat();
    let server = Server::start(folder.path(), &options);
    let mut client = server.connect();
    with_users(&mut client);
    assert_eq!(get(&mut client, "/s/who").0, 401);
    assert_eq!(send_as(&mut client, "root", "GET", "/s/who", "").status, 200);
}

#[test]
fn an_operator_may_switch_services_off() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    install_script(&mut server.connect(), "/a", "router.get('/', (req, res) => res.send('a'));");
    server.stop();
    let server = Server::start(folder.path(), &["--foxx.api", "false"]);
    let mut client = server.connect();
    let (status, text) = get(&mut client, "/_api/foxx");
    assert!(status == 403 && text.contains("3099"), "{text}");
    assert_eq!(get(&mut client, "/a").1, "a");
    server.stop();
    let server = Server::start(folder.path(), &["--foxx.enable", "false"]);
    assert_eq!(get(&mut server.connect(), "/a").0, 404);
}

#[test]
fn a_service_reaches_nothing_outside() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let files = [
        ("own.txt", "own"),
        (
            "index.js",
            "const router = require('@arangodb/foxx/router')();
             const fs = require('fs');
             module.context.use(router);
             const tried = (run) => { try { return run(); } catch (error) { return `${error.errorNum}: ${error.message}`; } };
             router.post('/', (req, res) => res.json(tried(() => eval(req.body)))).body(['text/plain']);",
        ),
    ];
    let source = service(folder.path(), "s", &json!({"main": "index.js"}), &files);
    let reply = install(&mut client, "/s", &source);
    assert_eq!(reply.status, 201, "{}", reply.text());
    let mut run = |script: &str| {
        let headers = [("content-type".to_owned(), "text/plain".to_owned())];
        client.send("POST", "/s", &headers, script.as_bytes()).json().as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(run("fs.read(module.context.fileName('own.txt'))"), "own");
    let outside = secret.to_str().unwrap();
    assert!(
        run(&format!("fs.read('{outside}')")).starts_with("11: "),
        "{}",
        run(&format!("fs.read('{outside}')"))
    );
    assert_ne!(run("fs.read(module.context.fileName('../../../../../../secret.txt'))"), "secret");
    assert_ne!(run("require('../../../../../../secret.txt')"), "secret");
    assert!(run("fs.write(module.context.fileName('own.txt'), 'x')").starts_with("11: "));
    assert!(run("require('@arangodb/request').get('http://127.0.0.1:9/').status").starts_with("11: "));
    assert!(run("require('child_process')").contains("3100"));
    assert_eq!(run("typeof process.env.HOME"), "undefined");
}

#[test]
fn a_service_that_never_ends_leaves_the_others_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--javascript.v8-contexts", "4"]);
    let mut client = server.connect();
    install_script(&mut client, "/good", "router.get('/', (req, res) => res.send('good'));");
    install_script(&mut client, "/bad", "router.get('/', () => { while (true) {} });");
    install_script(
        &mut client,
        "/big",
        "router.get('/', () => { const all = []; while (true) all.push('x'.repeat(1e6) + all.length); });",
    );
    std::thread::scope(|scope| {
        // More clients than a service may have isolates.
        for _ in 0..6 {
            scope.spawn(|| {
                let address =
                    server.endpoint().trim_start_matches("http://").trim_start_matches("tcp://").to_owned();
                let mut stream = std::net::TcpStream::connect(address).unwrap();
                std::io::Write::write_all(&mut stream, b"GET /bad HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
                // The client leaves without an answer, and its request ends.
                std::thread::sleep(Duration::from_secs(3));
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        for _ in 0..20 {
            assert_eq!(get(&mut client, "/good"), (200, "good".to_owned()));
        }
        assert_eq!(get(&mut client, "/big").0, 500);
    });
    // The isolates of clients that have left are free again.
    let begin = Instant::now();
    assert_eq!(get(&mut client, "/good").0, 200);
    assert!(begin.elapsed() < Duration::from_secs(30));
}
