//! `persea migrate compare`: two servers by keys, revisions and indexes.

use arangodb_mock::{Mock, Version};
use serde_json::json;

use super::migrate;
use crate::support::{Server, dumps};

/// Starts a mock, and a server with its documents.
fn pair(folder: &std::path::Path) -> (Mock, Server) {
    let mock = Mock::start(Version::V311).unwrap();
    mock.write(|model| {
        model.create_collection("_system", "docs", 2, json!({}));
        for number in 0..30_000 {
            model.put("_system", "docs", json!({"_key": format!("k{number}")}));
        }
        model.create_index("_system", "docs", json!({"type": "skiplist", "fields": ["a"]}));
    });
    let server = Server::start(&folder.join("server"), &[]);
    let dump = folder.join("dump");
    let mut command = std::process::Command::new(crate::support::PROGRAM);
    command.args(["dump", "--server.endpoint", mock.endpoint(), "--server.password", "secret"]);
    assert!(command.arg(&dump).args(["--progress", "false"]).status().unwrap().success());
    dumps::succeed("restore", &server, &dump, &[]);
    (mock, server)
}

#[test]
fn equal_servers_are_equal_and_each_difference_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = pair(folder.path());
    let equal = migrate(&server, Some(&mock), &["compare"]).success();
    assert!(equal.stdout.contains("equal   _system/docs"), "{equal:?}");
    mock.write(|model| {
        model.put("_system", "docs", json!({"_key": "k5", "changed": true}));
        model.remove("_system", "docs", "k6");
        model.put("_system", "docs", json!({"_key": "more"}));
        model.create_collection("_system", "new", 2, json!({}));
        model.create_index("_system", "docs", json!({"type": "persistent", "fields": ["b"], "unique": true}));
        model.create_database("other");
    });
    let different = migrate(&server, Some(&mock), &["compare"]);
    assert_eq!(different.code, Some(2), "{different:?}");
    for line in [
        "DIFFERS _system/docs: 30000 documents at the source, 30000 here",
        "DIFFERS _system/docs: \"k5\" has different revisions",
        "DIFFERS _system/docs: \"k6\" is not at the source",
        "DIFFERS _system/docs: \"more\" is not here",
        "DIFFERS _system/docs: the index persistent [\"b\"] unique is not here",
        "DIFFERS _system/new: the collection is not here",
        "DIFFERS other: the database is not here",
    ] {
        assert!(different.stdout.lines().any(|found| found == line), "{line} in {}", different.stdout);
    }
    let few =
        migrate(&server, Some(&mock), &["compare", "--differences", "1", "--source.database", "_system"]);
    assert!(few.stdout.contains("there are more differences") && !few.stdout.contains("other"), "{few:?}");
    let wrong =
        migrate(&server, None, &["compare", "--source.password", "x", "--source.endpoint", mock.endpoint()]);
    assert!(wrong.failure().contains("401"));
}
