//! From the installation of a service to its removal, and across restarts and dumps.

use std::fs;

use serde_json::{Value, json};

use super::{get, install, install_script, service};
use crate::support::dumps::succeed;
use crate::support::{Client, Server};

const ROUTES: &str = "'use strict';
const router = require('@arangodb/foxx/router')();
module.context.use(router);
router.get('/version', (req, res) => res.json({ version: module.context.manifest.version }));
router.get('/greeting', (req, res) => res.send(module.context.configuration.greeting));
";

fn shop(version: &str) -> Value {
    json!({
        "name": "shop",
        "version": version,
        "main": "index.js",
        "scripts": {"setup": "scripts/setup.js", "teardown": "scripts/teardown.js", "echo": "scripts/echo.js"},
        "configuration": {
            "greeting": {"type": "string", "default": "hello"},
            "secret": {"type": "password", "required": false},
        },
        "files": {"/page": "page.html"},
        "tests": "test/**/*.js",
    })
}

const FILES: &[(&str, &str)] = &[
    ("index.js", ROUTES),
    (
        "scripts/setup.js",
        "const { db } = require('@arangodb');
         const name = module.context.collectionName('items');
         if (!db._collection(name)) db._create(name);",
    ),
    ("scripts/teardown.js", "require('@arangodb').db._drop(module.context.collectionName('items'));"),
    ("scripts/echo.js", "module.exports = module.context.argv;"),
    ("page.html", "<p>page</p>"),
    ("README.md", "read me"),
    (
        "test/a.js",
        "const { expect } = require('chai');
         describe('sums', () => { it('add up', () => expect(1 + 1).to.equal(2)); it('fail', () => expect(1).to.equal(2)); });",
    ),
];

fn version(client: &mut Client) -> String {
    get(client, "/shop/version").1
}

#[test]
fn a_service_is_installed_called_configured_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let source = service(folder.path(), "shop", &shop("1.0.0"), FILES);
    let reply = install(&mut client, "/shop", &source);
    assert_eq!((reply.status, &reply.json()["version"]), (201, &json!("1.0.0")), "{}", reply.text());
    assert_eq!(get(&mut client, "/shop/version"), (200, "{\"version\":\"1.0.0\"}".to_owned()));
    assert_eq!(get(&mut client, "/_db/_system/shop/page"), (200, "<p>page</p>".to_owned()));
    assert_eq!(get(&mut client, "/_api/collection/shop_items").0, 200);
    assert_eq!(get(&mut client, "/shop/nothing").0, 404);
    assert_eq!(client.send("POST", "/shop/version", &[], b"").status, 405);
    // The same place is taken.
    let again = install(&mut client, "/shop", &source);
    assert_eq!((again.status, &again.json()["errorNum"]), (400, &json!(3011)));

    let settings = "/_api/foxx/configuration?mount=/shop";
    let body = json!({"greeting": "hi", "secret": "s3cret", "other": 1}).to_string();
    let set = client.json("PATCH", settings, &body).json();
    assert_eq!(set["values"], json!({"greeting": "hi", "secret": "********"}));
    assert!(set["warnings"]["other"].is_string(), "{set}");
    assert_eq!(get(&mut client, "/shop/greeting").1, "hi");
    let shown = get(&mut client, "/_api/foxx/service?mount=/shop").1;
    assert!(!shown.contains("s3cret"), "{shown}");

    let echo = client.json("POST", "/_api/foxx/scripts/echo?mount=/shop", "[1, {\"a\": 2}]");
    assert_eq!(echo.json(), json!([[1, {"a": 2}]]));
    let unknown = client.json("POST", "/_api/foxx/scripts/none?mount=/shop", "");
    assert_eq!((unknown.status, &unknown.json()["errorNum"]), (400, &json!(3016)));
    let report = client.json("POST", "/_api/foxx/tests?mount=/shop", "").json();
    assert_eq!(
        (&report["stats"]["passes"], &report["stats"]["failures"]),
        (&json!(1), &json!(1)),
        "{report}"
    );
    let tap = client.json("POST", "/_api/foxx/tests?mount=/shop&reporter=tap&idiomatic=true", "");
    assert!(tap.text().contains("not ok"), "{}", tap.text());
    assert_eq!(get(&mut client, "/_api/foxx/readme?mount=/shop").1, "read me");
    let api = client.json("GET", "/_api/foxx/swagger?mount=/shop", "").json();
    assert!(api["paths"]["/version"]["get"].is_object(), "{api}");
    let mut archive = client.json("POST", "/_api/foxx/download?mount=/shop", "").body.clone();
    assert!(archive.starts_with(b"PK"));

    // The archive is the service, and is kept as it was sent: here with a comment.
    let comment = b"mine";
    let end = archive.len() - 2;
    archive[end..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    archive.extend_from_slice(comment);
    let headers = [("content-type".to_owned(), "application/zip".to_owned())];
    let copy = client.send("POST", "/_api/foxx?mount=/copy/of&setup=false", &headers, &archive);
    assert_eq!(copy.status, 201, "{}", copy.text());
    assert_eq!(get(&mut client, "/copy/of/greeting"), (200, "hello".to_owned()));
    assert_eq!(client.json("POST", "/_api/foxx/download?mount=/copy/of", "").body, archive);

    assert_eq!(client.send("DELETE", "/_api/foxx/service?mount=/shop", &[], b"").status, 204);
    assert_eq!(get(&mut client, "/shop/version").0, 404);
    assert_eq!(get(&mut client, "/_api/collection/shop_items").0, 404);
    assert_eq!(get(&mut client, "/copy/of/greeting").0, 200);
}

#[test]
fn an_upgrade_that_fails_leaves_the_old_version_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let source = service(folder.path(), "1", &shop("1.0.0"), FILES);
    assert_eq!(install(&mut client, "/shop", &source).status, 201);
    let broken: [(&str, &str, u64); 4] = [
        ("scripts/setup.js", "throw new Error('no');", 3016),
        ("index.js", "throw new Error('no');", 3103),
        ("index.js", "const = 1;", 3101),
        ("index.js", "require('not-there');", 3100),
    ];
    for (number, (file, text, error)) in broken.into_iter().enumerate() {
        let mut files = FILES.to_vec();
        files.push((file, text));
        let source = service(folder.path(), &format!("broken{number}"), &shop("2.0.0"), &files);
        for method in ["PATCH", "PUT"] {
            let path = "/_api/foxx/service?mount=/shop&teardown=false";
            let reply = client.json(method, path, &json!({"source": source}).to_string());
            assert!(reply.status >= 400, "{file}: {}", reply.text());
            assert_eq!(reply.json()["errorNum"], json!(error), "{file}: {}", reply.text());
            assert_eq!(version(&mut client), "{\"version\":\"1.0.0\"}");
        }
    }
    let mut files = FILES.to_vec();
    files.push(("scripts/setup.js", "module.exports = 1;"));
    let source = service(folder.path(), "2", &shop("2.0.0"), &files);
    client.json("PATCH", "/_api/foxx/configuration?mount=/shop", "{\"greeting\": \"kept\"}");
    let body = json!({"source": source}).to_string();
    let upgraded = client.json("PATCH", "/_api/foxx/service?mount=/shop", &body);
    assert_eq!(upgraded.status, 200, "{}", upgraded.text());
    assert_eq!(version(&mut client), "{\"version\":\"2.0.0\"}");
    assert_eq!(get(&mut client, "/shop/greeting").1, "kept");
    let replaced = client.json("PUT", "/_api/foxx/service?mount=/shop&teardown=false", &body);
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    assert_eq!(get(&mut client, "/shop/greeting").1, "hello");
}

#[test]
fn a_service_without_what_it_requires_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    install_script(&mut client, "/mailer", "module.exports = { send: (to) => 'mail to ' + to };");
    let manifest = json!({
        "main": "index.js",
        "configuration": {"sender": {"type": "string"}},
        "dependencies": {"mailer": "mailer:^1.0.0"},
    });
    let files = [(
        "index.js",
        "const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         router.get('/', (req, res) => res.send(module.context.dependencies.mailer.send(module.context.configuration.sender)));",
    )];
    let source = service(folder.path(), "news", &manifest, &files);
    assert_eq!(install(&mut client, "/news", &source).status, 201);
    let (status, text) = get(&mut client, "/news");
    assert_eq!(status, 500);
    assert!(text.contains("3010") && text.contains("sender") && text.contains("mailer"), "{text}");
    client.json("PATCH", "/_api/foxx/configuration?mount=/news", "{\"sender\": \"me\"}");
    client.json("PATCH", "/_api/foxx/dependencies?mount=/news", "{\"mailer\": \"/mailer\"}");
    assert_eq!(get(&mut client, "/news"), (200, "mail to me".to_owned()));
}

#[test]
fn files_that_are_missing_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (data, apps) = (folder.path().join("data"), folder.path().join("data/apps"));
    let server = Server::start(&data, &[]);
    let mut client = server.connect();
    install_script(&mut client, "/a", "router.get('/', (req, res) => res.send('a'));");
    assert_eq!(get(&mut client, "/a").1, "a");
    server.stop();
    fs::remove_dir_all(&apps).unwrap();
    let server = Server::start(&data, &[]);
    assert_eq!(get(&mut server.connect(), "/a").1, "a");
    server.stop();
    // A folder of another bundle counts as missing.
    fs::write(apps.join("_db/_system/a/APP/.persea-bundle"), "another").unwrap();
    fs::write(apps.join("_db/_system/a/APP/index.js"), "throw 1;").unwrap();
    let server = Server::start(&data, &["--foxx.force-update-on-startup", "true"]);
    assert!(!fs::read_to_string(apps.join("_db/_system/a/APP/index.js")).unwrap().contains("throw 1"));
    assert_eq!(get(&mut server.connect(), "/a").1, "a");
}

#[test]
fn a_dump_takes_services_along() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    install_script(&mut client, "/a", "router.get('/', (req, res) => res.send('dumped'));");
    let dump = folder.path().join("dump");
    succeed("dump", &server, &dump, &["--include-system-collections", "true"]);
    let other = Server::start(&folder.path().join("other"), &[]);
    let mut client = other.connect();
    assert_eq!(get(&mut client, "/a").0, 404);
    succeed("restore", &other, &dump, &["--include-system-collections", "true"]);
    assert_eq!(get(&mut client, "/a"), (200, "dumped".to_owned()));
}

#[test]
fn a_change_during_development_takes_effect_with_the_next_request() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    install_script(&mut client, "/a", "router.get('/', (req, res) => res.send('one'));");
    assert_eq!(get(&mut client, "/a").1, "one");
    let reply = client.json("POST", "/_api/foxx/development?mount=/a", "");
    assert_eq!((reply.status, &reply.json()["development"]), (200, &json!(true)));
    let path = reply.json()["path"].as_str().unwrap().to_owned() + "/index.js";
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("'one'", "'two'")).unwrap();
    assert_eq!(get(&mut client, "/a").1, "two");
    fs::write(&path, text.replace("res.send('one')", "{ throw new Error('shown') }")).unwrap();
    let (status, text_of_error) = get(&mut client, "/a");
    assert!(status == 500 && text_of_error.contains("stacktrace"), "{text_of_error}");
    fs::write(&path, text.replace("'one'", "'three'")).unwrap();
    assert_eq!(client.send("DELETE", "/_api/foxx/development?mount=/a", &[], b"").status, 200);
    assert_eq!(get(&mut client, "/a").1, "three");
    // The bundle has the change as well.
    let archive = client.json("POST", "/_api/foxx/download?mount=/a", "").body.clone();
    let headers = [("content-type".to_owned(), "application/zip".to_owned())];
    assert_eq!(client.send("POST", "/_api/foxx?mount=/b", &headers, &archive).status, 201);
    assert_eq!(get(&mut client, "/b").1, "three");
}
