//! Stores of released versions open with the present one, and stores of newer versions are refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, PROGRAM, Server, tests_folder};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn user(basic: &str) -> Vec<(String, String)> {
    vec![("authorization".to_owned(), format!("Basic {basic}"))]
}

fn query(client: &mut Client, text: &str) -> Value {
    let body = json!({"query": text, "batchSize": 1_000}).to_string();
    let reply = client.send("POST", "/_db/shop/_api/cursor", &user("cm9vdDpzZWNyZXQ="), body.as_bytes());
    assert_eq!(reply.status, 201, "{text}: {}", reply.text());
    reply.json()["result"].clone()
}

#[test]
fn the_stores_of_all_released_versions_open() {
    let stores = fs::read_dir(tests_folder().join("stores")).unwrap().map(|entry| entry.unwrap().path());
    let stores: Vec<_> = stores.filter(|path| path.is_dir()).collect();
    assert!(!stores.is_empty());
    for store in stores {
        let folder = tempfile::tempdir().unwrap();
        copy(&store, folder.path());
        let server = Server::start(folder.path(), &["--server.authentication", "true"]);
        let mut client = server.connect();
        for (text, expected) in [
            (
                "RETURN [LENGTH(goods), LENGTH(FOR d IN goods RETURN 1), LENGTH(edges)]",
                json!([[200, 200, 199]]),
            ),
            (
                "FOR d IN goods FILTER d.n == 7 RETURN [d._key, d.twice, d.text]",
                json!([["7", 14, "word7 größe"]]),
            ),
            ("RETURN LENGTH(FOR d IN goods FILTER 1 IN d.tags[*] RETURN 1)", json!([67])),
            (
                "RETURN LENGTH(FOR d IN goods FILTER GEO_DISTANCE(d.place, [7, 7]) < 1000 RETURN 1)",
                json!([3]),
            ),
            ("RETURN LENGTH(FULLTEXT(goods, 'text', 'word3'))", json!([20])),
            (
                "RETURN LENGTH(FOR d IN goods FILTER d.x > 10 AND d.x <= 20 AND d.y > -16 RETURN 1)",
                json!([5]),
            ),
            ("FOR v, e, p IN 1..3 OUTBOUND 'goods/1' GRAPH 'links' RETURN v._key", json!(["2", "3", "4"])),
            ("INSERT {n: 1000, x: 1, y: 1} INTO goods RETURN NEW.twice", json!([2000])),
        ] {
            assert_eq!(query(&mut client, text), expected, "{}: {text}", store.display());
        }
        let indexes = client.send("GET", "/_db/shop/_api/index?collection=goods", &user("ZXZlOmV2ZQ=="), b"");
        assert_eq!((indexes.status, indexes.json()["indexes"].as_array().unwrap().len()), (200, 7));
        let functions = client.send("GET", "/_api/aqlfunction", &user("cm9vdDpzZWNyZXQ="), b"");
        assert_eq!(functions.json()["result"][0]["name"], "my::plus");
    }
}

/// Returns the content of all files.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn a_store_of_a_newer_version_is_refused_and_stays_as_it_is() {
    for store in ["0.1.0", "0.1.0-mmfiles"] {
        let folder = tempfile::tempdir().unwrap();
        copy(&tests_folder().join("stores").join(store), folder.path());
        let format = fs::read_to_string(folder.path().join("FORMAT")).unwrap();
        assert!(format.contains("files 1") || format.contains("rocksdb 1"), "{format}");
        fs::write(folder.path().join("FORMAT"), format.replacen('1', "3", 1)).unwrap();
        let before = content(folder.path());
        for upgrade in ["false", "true"] {
            let mut command = Command::new(PROGRAM);
            command.args(["server", "--server.endpoint", "tcp://127.0.0.1:0"]);
            command.args(["--database.auto-upgrade", upgrade, "--database.directory"]);
            let output = command.arg(folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains("the store has format 3, this version reads formats up to "), "{said}");
        }
        let mut after = content(folder.path());
        // A lock that nobody holds is none.
        after.remove("LOCK");
        assert_eq!(after, before, "{store}");
    }
}

#[test]
fn an_upgrade_without_a_start_ends_with_an_open_store() {
    let folder = tempfile::tempdir().unwrap();
    copy(&tests_folder().join("stores/0.1.0"), folder.path());
    let mut command = Command::new(PROGRAM);
    command.args(["server", "--server.endpoint", "tcp://127.0.0.1:0", "--database.auto-upgrade", "true"]);
    let output = command.arg("--database.directory").arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    drop(Server::start(folder.path(), &[]));
}
