//! The choice of an engine, and the way of data from one engine to another.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::dumps::succeed;
use crate::support::{Client, PROGRAM, Server, post, query};

const ROCKSDB: [&str; 2] = ["--server.storage-engine", "rocksdb"];
const MMFILES: [&str; 2] = ["--server.storage-engine", "mmfiles"];

/// A server with the engine; only the first start of a folder names it.
fn start(folder: &Path, engine: &[&str]) -> Server {
    // The tests may run with another engine as the default.
    Server::start(folder, &[engine, &["--storage-engine", "auto"]].concat())
}

#[test]
fn a_folder_keeps_its_engine() {
    let folder = tempfile::tempdir().unwrap();
    for (engine, other, name) in [(MMFILES, ROCKSDB, "mmfiles"), (ROCKSDB, MMFILES, "rocksdb")] {
        let data = folder.path().join(name);
        let server = start(&data, &engine);
        let described = server.connect().json("GET", "/_api/engine", "").json();
        assert_eq!(
            (described["name"].as_str(), described["persea-engine"].as_str()),
            (Some(name), Some(name))
        );
        post(&mut server.connect(), "/_api/collection", &json!({"name": "c"}));
        server.kill();
        let server = start(&data, &[]);
        assert_eq!(server.connect().json("GET", "/_api/engine", "").json()["name"], name);
        assert_eq!(server.connect().json("GET", "/_api/collection/c", "").status, 200);
        server.kill();
        let refused = Command::new(PROGRAM)
            .arg("server")
            .arg("--database.directory")
            .arg(&data)
            .args(["--server.endpoint", "tcp://127.0.0.1:0", "--storage-engine", "auto"])
            .args(other)
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(1));
        let message = String::from_utf8_lossy(&refused.stderr);
        assert!(message.contains(&format!("made by the engine '{name}'")), "{message}");
    }
}

fn fill(client: &mut Client) {
    post(client, "/_api/collection", &json!({"name": "docs"}));
    post(client, "/_api/collection", &json!({"name": "links", "type": 3}));
    for index in [
        json!({"type": "persistent", "fields": ["n"], "unique": true}),
        json!({"type": "persistent", "fields": ["text", "n"]}),
        json!({"type": "geo", "fields": ["place"], "geoJson": true}),
    ] {
        post(client, "/_api/index?collection=docs", &index);
    }
    // Some texts are longer than the longest key of the mapped file.
    let insert = "FOR i IN 1..5000 INSERT {_key: TO_STRING(i), n: i, place: [i % 90, i % 80], \
                  text: CONCAT(REPEAT(i % 3 == 0 ? 'long' : 's', i % 1000), i % 7)} INTO docs";
    query(client, insert);
    query(
        client,
        "FOR i IN 1..5000 INSERT {_from: CONCAT('docs/', i), _to: CONCAT('docs/', i * 7 % 5000)} INTO links",
    );
}

/// Everything that a client sees of the data, by scans and by indexes.
fn seen(client: &mut Client) -> Value {
    [
        "FOR d IN docs SORT d.n RETURN UNSET(d, '_rev')",
        "FOR d IN docs FILTER d.text >= 'long' SORT d.text, d.n RETURN d.n",
        "FOR d IN docs FILTER GEO_DISTANCE([10, 10], d.place) < 500000 SORT d.n RETURN d.n",
        "FOR e IN links SORT e._from, e._to RETURN [e._from, e._to]",
        "FOR v IN 1..3 OUTBOUND 'docs/17' links RETURN v.n",
    ]
    .map(|text| query(client, text))
    .into()
}

#[test]
fn data_move_from_each_engine_to_the_other() {
    for (source, target) in [(ROCKSDB, MMFILES), (MMFILES, ROCKSDB)] {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let server = start(&from, &source);
        fill(&mut server.connect());
        let expected = seen(&mut server.connect());
        let dump = folder.path().join("dump");
        succeed("dump", &server, &dump, &["--all-databases", "true"]);
        server.kill();
        let server = start(&to, &target);
        succeed("restore", &server, &dump, &["--all-databases", "true", "--create-database", "true"]);
        assert_eq!(seen(&mut server.connect()), expected, "{source:?} to {target:?}");
        server.kill();
        // The restored data are still there after a kill.
        assert_eq!(seen(&mut start(&to, &[]).connect()), expected);
    }
}
