//! Options of `persea dump` and `persea restore`, and dumps of other versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::dumps::{fail, run, small_dump, succeed};
use crate::support::{Client, Server, post, query, tests_folder};

#[test]
fn maskings_change_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\",\"name\":\"secret name\",\"n\":1}\n");
    succeed("restore", &server, &dump, &[]);
    let mut client = server.connect();
    for name in ["hidden", "shape"] {
        post(&mut client, "/_api/collection", &json!({"name": name}));
        post(&mut client, &format!("/_api/document/{name}"), &json!({"_key": "x"}));
    }
    let rules = folder.path().join("maskings.json");
    std::fs::write(&rules, r#"{"c": {"type": "masked", "maskings": [{"path": "name", "type": "xifyFront"}]}, "shape": {"type": "structure"}}"#).unwrap();
    for (number, form) in ["--compress-output", "--dump-vpack", "--envelope"].iter().enumerate() {
        let masked = folder.path().join(format!("masked{number}"));
        succeed("dump", &server, &masked, &["--maskings", rules.to_str().unwrap(), form, "true"]);
        let target = Server::start(&folder.path().join(format!("target{number}")), &[]);
        succeed("restore", &target, &masked, &[]);
        let mut client = target.connect();
        assert_eq!(
            query(&mut client, "FOR d IN c RETURN [d._key, d.name, d.n]"),
            json!([["a", "xxxxet xxme", 1]])
        );
        assert_eq!(query(&mut client, "RETURN LENGTH(shape)"), json!([0]));
        assert_eq!(client.json("GET", "/_api/collection/hidden", "").status, 404);
    }
}

#[test]
fn maskings_leave_out_of_what_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\"}\n");
    succeed("restore", &server, &dump, &[]);
    post(&mut server.connect(), "/_api/collection", &json!({"name": "hidden"}));
    let rules = folder.path().join("maskings.json");
    std::fs::write(&rules, r#"{"c": {"type": "full"}, "hidden": {"type": "exclude"}}"#).unwrap();
    let masked = folder.path().join("masked");
    let named = ["--maskings", rules.to_str().unwrap(), "--collection", "c", "--collection", "hidden"];
    succeed("dump", &server, &masked, &named);
    let has = |name: &str| {
        std::fs::read_dir(&masked)
            .unwrap()
            .any(|file| file.unwrap().file_name().to_str().unwrap().starts_with(name))
    };
    assert!(has("c_") && !has("hidden"));
}

#[test]
fn both_say_what_they_did_in_the_words_of_arangodb() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "{\"_key\":\"a\"}\n{\"_key\":\"b\"}\n";
    let (server, dump) = small_dump(folder.path(), lines);
    let said = |tool: &str, folder: &Path, options: &[&str]| run(tool, &server, folder, options).stderr;
    let expected =
        format!("Processed 1 collection(s), read {} byte(s) from datafiles, sent 1 batch(es)", lines.len());
    let text = said("restore", &dump, &[]);
    assert!(text.contains(&expected), "{text}");
    let dumped = folder.path().join("dumped");
    let text = said("dump", &dumped, &["--compress-output", "false"]);
    let files = std::fs::read_dir(&dumped).unwrap().map(|file| file.unwrap().path());
    let data = files.filter(|file| file.to_str().unwrap().ends_with(".data.json"));
    let bytes: u64 = data.map(|file| file.metadata().unwrap().len()).sum();
    let expected =
        format!("Processed 1 collection(s), wrote {bytes} byte(s) into datafiles, sent 1 batch(es)");
    assert!(bytes > 0 && text.contains(&expected), "{text}");
}

#[test]
fn a_dump_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\",\"place\":{\"zip\":1}}\n");
    succeed("restore", &server, &dump, &[]);
    let graph = json!({"name": "g", "edgeDefinitions": [], "orphanCollections": ["c"]});
    post(&mut server.connect(), "/_api/gharial", &graph);
    let rules = folder.path().join("maskings.json");
    std::fs::write(
        &rules,
        r#"{"c": {"type": "masked", "maskings": [{"path": "place", "type": "datetime"}]}}"#,
    )
    .unwrap();
    let said = |name: &str, options: &[&str]| run("dump", &server, &folder.path().join(name), options).stderr;
    let text = said("a", &["--maskings", rules.to_str().unwrap()]);
    for part in [
        "Left out system collections with documents: _graphs (1); --include-system-collections true",
        "rule 1: 'datetime' without 'format' makes",
        "rule 1: nothing was masked: the path \"place\" is that of an object",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for options in [&["--include-system-collections", "true"][..], &["--collection", "c"]] {
        assert!(!said(options[1], options).contains("Left out"), "{options:?}");
    }
}

#[test]
fn parts_of_files_are_for_the_parallel_way() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\"}\n");
    succeed("restore", &server, &dump, &[]);
    for (parallel, parts) in [("true", 1), ("false", 0)] {
        let target = folder.path().join(parallel);
        succeed("dump", &server, &target, &["--split-files", "true", "--parallel-dump", parallel]);
        let files =
            std::fs::read_dir(&target).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(files.filter(|file| file.ends_with(".0.data.json.gz")).count(), parts);
    }
}

/// With `--overwrite false` and `--create-collection false`, a restore adds documents to existing
/// collections. It neither removes nor changes any.
#[test]
fn collections_that_are_there_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\",\"n\":1}\n{\"_key\":\"b\",\"n\":1}\n");
    let structure = |name: &str| {
        json!({
            "parameters": {"name": name, "type": 2, "waitForSync": true},
            "indexes": [{"type": "persistent", "fields": ["n"], "name": "by_n"}],
        })
    };
    for name in ["c", "new"] {
        std::fs::write(dump.join(format!("{name}.structure.json")), structure(name).to_string()).unwrap();
    }
    let mut client = server.connect();
    let indexes = |client: &mut Client, name: &str| {
        client.json("GET", &format!("/_api/index?collection={name}"), "").json()["indexes"]
            .as_array()
            .unwrap()
            .len()
    };
    post(&mut client, "/_api/collection", &json!({"name": "c"}));
    post(&mut client, "/_api/document/c", &json!({"_key": "b", "own": true}));
    post(&mut client, "/_api/document/c", &json!({"_key": "mine"}));
    let expected = json!([["a", 1], ["b", 1], ["mine", null]]);
    for option in ["--overwrite", "--create-collection"] {
        succeed("restore", &server, &dump, &[option, "false"]);
        assert_eq!(query(&mut client, "FOR d IN c SORT d._key RETURN [d._key, d.n]"), expected, "{option}");
        assert_eq!(indexes(&mut client, "c"), 1, "{option}");
        let properties = client.json("GET", "/_api/collection/c/properties", "").json();
        assert_eq!(properties["waitForSync"], false, "{option}");
        assert_eq!(indexes(&mut client, "new"), 2, "{option}");
    }
    succeed("restore", &server, &dump, &[]);
    assert_eq!(
        query(&mut client, "FOR d IN c SORT d._key RETURN [d._key, d.n]"),
        json!([["a", 1], ["b", 1]])
    );
    assert_eq!(indexes(&mut client, "c"), 2);
}

/// ArangoDB's manual describes this: rename a dump's files, and load their documents into an
/// existing collection.
#[test]
fn renamed_files_are_for_the_collection_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\"}\n");
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "other"}));
    for ending in ["structure.json", "data.json"] {
        std::fs::rename(dump.join(format!("c.{ending}")), dump.join(format!("other.{ending}"))).unwrap();
    }
    for options in [&[][..], &["--collection", "other"], &["--collection", "c"]] {
        let text = fail("restore", &server, &dump, options);
        assert!(text.contains("does not fit") && text.contains("--create-collection false"), "{text}");
    }
    assert!(fail("restore", &server, &dump, &["--collection", "third"]).contains("has no \"third\""));
    for option in ["--create-collection", "--import-structure"] {
        succeed("restore", &server, &dump, &[option, "false", "--collection", "other"]);
        assert_eq!(query(&mut client, "FOR d IN other RETURN d._key"), json!(["a"]));
        query(&mut client, "FOR d IN other REMOVE d IN other");
    }
}

#[test]
fn a_dump_of_another_database_is_refused_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\"}\n");
    let same = ["--force-same-database", "true"];
    assert!(fail("restore", &server, &dump, &same).contains("does not say that it is of the database"));
    let info = dump.join("dump.json");
    std::fs::write(&info, r#"{"database":"shop"}"#).unwrap();
    assert!(fail("restore", &server, &dump, &same).contains("the database \"shop\", not \"_system\""));
    std::fs::write(&info, r#"{"database":"_system"}"#).unwrap();
    succeed("restore", &server, &dump, &same);
}

/// Restores dumps of old versions, if the test data is there.
#[test]
fn dumps_of_old_versions_are_restored() {
    let data = std::env::var("PERSEA_TEST_DATA")
        .map_or_else(|_| tests_folder().join("../../shared/data"), PathBuf::from);
    let (debian, airline) = (data.join("debian-dump"), data.join("airline-dump"));
    if !debian.exists() || !airline.exists() {
        println!("skipped: there are no dumps of old versions in {}", data.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("server"), &[]);
    let mut client = server.connect();
    // Version 2.x: no dump.json, and lines that are wrapped and remove each other.
    succeed("restore", &server, &airline, &["--threads", "4"]);
    let text = std::fs::read_to_string(airline.join("flights.data.json")).unwrap();
    let mut expected = BTreeMap::new();
    for line in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let key = line["key"].as_str().unwrap().to_owned();
        match line["type"].as_u64().unwrap() {
            2302 => drop(expected.remove(&key)),
            _ => drop(expected.insert(key, line["data"]["_from"].clone())),
        }
    }
    let found = query(&mut client, "FOR f IN flights SORT f._key RETURN [f._key, f._from]");
    assert!(!expected.is_empty());
    assert_eq!(found, json!(expected.into_iter().collect::<Vec<_>>()));
    succeed("restore", &server, &debian, &["--include-system-collections", "true"]);
    for file in debian.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let Some((stem, _)) = name.split_once(".data.json") else { continue };
        let collection = stem.rsplit_once('_').unwrap().0;
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        let counted = client.json("GET", &format!("/_api/collection/{collection}/count"), "").json();
        assert_eq!(counted["count"], lines, "{collection}");
    }
}
