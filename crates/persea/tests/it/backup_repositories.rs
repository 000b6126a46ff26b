//! Backups that are copied to repositories, in folders and in object storage, and back.

use std::process::Command;

use harness::wait_for;
use serde_json::{Value, json};
use test_s3::{Fault, Storage};

use crate::support::backups::{ask, create, restore, start};
use crate::support::{PROGRAM, Server, query};

/// Runs `persea backup` and returns its standard output.
fn tool(server: &Server, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(PROGRAM);
    command.arg("backup").args(arguments).args(["--server.endpoint", &server.endpoint()]);
    let output = command.args(["--server.password", ""]).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn the_tool_moves_backups_through_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let (data, remote) = (folder.path().join("data"), folder.path().join("remote"));
    let server = start(&data);
    let first = tool(&server, &["create", "--label", "first"]).unwrap();
    assert_eq!(tool(&server, &["list"]).unwrap(), first);
    let remote = ["--repository", remote.to_str().unwrap()];
    let with = |operation: &str, id: &str| {
        let arguments = [&[operation, "--identifier", id, "--wait", "true"][..], &remote].concat();
        tool(&server, &arguments)
    };
    with("upload", &first).unwrap();
    // An unchanged store takes no further room but for the small files that are made anew.
    let second = tool(&server, &["create", "--label", "second"]).unwrap();
    with("upload", &second).unwrap();
    let verified = tool(&server, &[&["verify"], &remote[..]].concat()).unwrap();
    assert!(verified.starts_with("2 backups are intact"), "{verified}");
    assert_eq!(tool(&server, &[&["list"], &remote[..]].concat()).unwrap().lines().count(), 2);
    query(&mut server.connect(), "FOR d IN docs REMOVE d IN docs");
    for id in [&first, &second] {
        tool(&server, &["delete", "--identifier", id]).unwrap();
    }
    with("download", &first).unwrap();
    let again = with("download", &first).unwrap_err();
    assert!(again.contains("already exists locally"), "{again}");
    tool(&server, &["restore", "--identifier", &first, "--max-wait-for-restart", "60"]).unwrap();
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([3]));
    let pruned = tool(&server, &[&["prune", "--keep", "1"], &remote[..]].concat()).unwrap();
    assert!(pruned.starts_with(&format!("deleted {first}\ndeleted 1 backups")), "{pruned}");
    let missing = with("download", &first).unwrap_err();
    assert!(missing.contains("7007"), "{missing}");
    let unknown = tool(&server, &["restore", "--identifier", "none"]).unwrap_err();
    assert!(unknown.contains("'none'"), "{unknown}");
}

/// Runs `persea backup` with the key of a storage in its environment.
fn tool_with_key(storage: &Storage, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(PROGRAM);
    command.arg("backup").args(arguments).env("AWS_ENDPOINT_URL", storage.endpoint());
    command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn backups_go_to_object_storage_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder.path().join("data"));
    let storage = Storage::start().unwrap();
    let id = create(&server, "night");
    let place = ["--repository", "s3://backups/some/prefix"];
    let at_server = ["--server.endpoint", &server.endpoint(), "--server.password", "", "--wait", "true"];
    let with = |operation: &str| {
        let arguments = [&[operation, "--identifier", &id][..], &place, &at_server].concat();
        tool_with_key(&storage, &arguments)
    };
    let uploaded = with("upload").unwrap();
    assert!(uploaded.contains("COMPLETED"), "{uploaded}");
    let verified = tool_with_key(&storage, &[&["verify"], &place[..]].concat()).unwrap();
    assert!(verified.starts_with("1 backups are intact"), "{verified}");
    assert_eq!(ask(&server, "delete", &json!({"id": id})).status, 200);
    // As ArangoDB's clients name it: a section of rclone's configuration.
    let config = json!({"S3": {"type": "s3", "provider": "Minio", "endpoint": storage.endpoint(),
        "access_key_id": "key", "secret_access_key": "secret", "env_auth": "false", "acl": ""}});
    let body = |remote: &str, config: &Value| json!({"id": id, "remoteRepository": remote, "config": config});
    let begun = ask(&server, "download", &body("S3://backups/some/prefix", &config));
    assert_eq!(begun.status, 202, "{}", begun.text());
    let number = begun.json()["result"]["downloadId"].clone();
    let progress = || ask(&server, "download", &json!({"downloadId": number})).json()["result"].clone();
    let report = wait_for("the download has not ended", || {
        Some(progress()).filter(|report| report["DBServers"]["SNGL"]["Status"] != "STARTED")
    });
    let state = &report.unwrap()["DBServers"]["SNGL"];
    assert_eq!(state["Status"], "COMPLETED", "{state}");
    assert_eq!(state["Progress"]["Total"], state["Progress"]["Done"]);
    restore(&server, &folder.path().join("data"), &id);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([3]));
    for (remote, changed, expected) in [
        ("S3://backups/elsewhere", json!({}), "is not a repository"),
        ("S3://other/prefix", json!({}), "NoSuchBucket"),
        ("S3://backups/some/prefix", json!({"S3": {"type": "s3"}}), "access_key_id"),
        ("S3://backups/some/prefix", json!({"S3": {"type": "gcs"}}), "not supported"),
    ] {
        let config = if changed == json!({}) { &config } else { &changed };
        let refused = ask(&server, "download", &body(remote, config)).json();
        assert_eq!(refused["errorNum"], 7008, "{refused}");
        assert!(refused["errorMessage"].as_str().unwrap().contains(expected), "{refused}");
    }
    storage.fail(&[Fault::Denied]);
    let denied = with("upload").unwrap_err();
    assert!(denied.contains("AccessDenied") && !denied.contains("secret"), "{denied}");
    let pruned = tool_with_key(&storage, &[&["prune", "--keep", "1"], &place[..]].concat()).unwrap();
    assert!(pruned.starts_with("deleted 0 backups"), "{pruned}");
}
