//! `persea import` against a real server.

use std::io::Write;
use std::process::Stdio;

use harness::{Process, wait_until};
use serde_json::{Value, json};

use crate::support::tool::{command, run, said, write};
use crate::support::{PROGRAM, Server};

/// Starts a server with an empty collection `c`, and makes a folder.
fn server() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    assert_eq!(server.connect().json("POST", "/_api/collection", r#"{"name":"c"}"#).status, 200);
    (folder, server)
}

fn query(server: &Server, text: &str) -> Value {
    let body = json!({"query": text, "batchSize": 100_000}).to_string();
    let reply = server.connect().json("POST", "/_api/cursor", &body);
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["result"].clone()
}

fn count(server: &Server, collection: &str) -> u64 {
    let path = format!("/_api/collection/{collection}/count");
    server.connect().json("GET", &path, "").json()["count"].as_u64().unwrap()
}

#[test]
fn every_form_gives_the_same_documents() {
    let (folder, server) = server();
    let jsonl = "{\"_key\":\"a\",\"n\":1,\"t\":\"x,\\\"y\\\"\"}\n{\"_key\":\"b\",\"n\":2.5,\"t\":\"l1\\nl2\"}\n{\"_key\":\"c\",\"t\":\"\"}\n";
    let array = format!("[\n{}\n]", jsonl.trim_end().replace('\n', ",\n  "));
    let csv = "_key,n,t\na,1,\"x,\"\"y\"\"\"\nb,2.5,\"l1\nl2\"\nc,,\"\"\n";
    let compressed = |name: &str, tool: &str, text: &str| {
        let path = write(folder.path(), name, text);
        let status = std::process::Command::new(tool).args(["-q", "-k", &path]).status();
        assert!(status.unwrap().success());
        path
    };
    let gz = format!("{}.gz", compressed("gz.jsonl", "gzip", jsonl));
    let mut files = vec![
        write(folder.path(), "a.jsonl", jsonl),
        write(folder.path(), "a.json", &array),
        write(folder.path(), "a.csv", csv),
        // The content shows the compression, not the name.
        write(folder.path(), "b.jsonl", std::fs::read(&gz).unwrap()),
        gz,
    ];
    let zst = folder.path().join("a.csv.zst");
    std::fs::write(&zst, zstd_frame(csv.as_bytes())).unwrap();
    files.push(zst.to_str().unwrap().to_owned());
    let check = |file: &str| {
        let said = run(&server, "import", &["--collection", "c", "--overwrite", file]).success();
        assert_eq!((said.count("created:"), said.count("warnings/errors:")), (3, 0), "{file}");
        let documents = query(&server, "FOR d IN c SORT d._key RETURN UNSET(d, '_id', '_rev')");
        let expected = json!([
            {"_key": "a", "n": 1, "t": "x,\"y\""},
            {"_key": "b", "n": 2.5, "t": "l1\nl2"},
            {"_key": "c", "t": ""},
        ]);
        assert_eq!(documents, expected, "{file}");
    };
    files.iter().for_each(|file| check(file));
    let parquet = folder.path().join("a.parquet");
    let parquet = parquet.to_str().unwrap();
    run(&server, "export", &["--collection", "c", "--fields", "_key,n,t", "--file", parquet]).success();
    check(parquet);
}

/// Returns a frame of Zstandard with one uncompressed block (RFC 8878), so that the test needs no
/// program for it.
fn zstd_frame(content: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, u8::try_from(content.len()).unwrap()];
    let header = u32::try_from(content.len()).unwrap() << 3 | 1;
    frame.extend(&header.to_le_bytes()[..3]);
    frame.extend(content);
    frame
}

#[test]
fn a_link_named_arangoimport_is_the_tool() {
    let (folder, server) = server();
    let link = folder.path().join("arangoimport");
    std::os::unix::fs::symlink(PROGRAM, &link).unwrap();
    let endpoint = server.endpoint();
    let mut child = std::process::Command::new(link)
        .args(["--server.endpoint", &endpoint, "--server.password", "", "--collection", "c", "--file", "-"])
        .args(["--type", "jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{}\n{}\n").unwrap();
    let said = said(child).success();
    assert_eq!((said.count("created:"), said.count("lines read:")), (2, 2));
}

#[test]
fn databases_collections_and_edges_are_made_as_asked() {
    let (folder, server) = server();
    let file = write(folder.path(), "e.csv", "from,to\n1,2\nother/3,4\n");
    let arguments = [
        "--server.database=new db",
        "--create-database",
        "--collection=links",
        "--create-collection",
        "--create-collection-type=edge",
        "--translate=from=_from",
        "--translate=to=_to",
        "--from-collection-prefix=places",
        "--to-collection-prefix=towns",
        &file,
    ];
    let missing = run(&server, "import", &["--server.database=none", "--collection=c", &file]);
    assert!(missing.code == Some(1) && missing.stderr.contains("1228"), "{missing:?}");
    let missing = run(&server, "import", &["--collection=none", &file]);
    assert!(missing.code == Some(1) && missing.stderr.contains("--create-collection"), "{missing:?}");
    run(&server, "import", &arguments).success();
    let body = json!({"query": "FOR e IN links SORT e._from RETURN [e._from, e._to]"}).to_string();
    let reply = server.connect().json("POST", "/_db/new%20db/_api/cursor", &body).json();
    assert_eq!(reply["result"], json!([["other/3", "towns/4"], ["places/1", "towns/2"]]));
    let mut forced = arguments.to_vec();
    forced.extend(["--overwrite-collection-prefix", "--overwrite"]);
    run(&server, "import", &forced).success();
    let reply = server.connect().json("POST", "/_db/new%20db/_api/cursor", &body).json();
    assert_eq!(reply["result"], json!([["places/1", "towns/2"], ["places/3", "towns/4"]]));
}

#[test]
fn rejected_rows_are_counted_and_kept_with_line_and_reason() {
    let (folder, server) = server();
    let file = write(
        folder.path(),
        "a.jsonl",
        "{\"_key\":\"a\"}\n\n{\"_key\":\"a\"}\n{nothing\n{\"_key\":\"b\"}\n{\"_key\":\"c d\"}\n",
    );
    let kept = folder.path().join("rejected.jsonl");
    let kept = kept.to_str().unwrap();
    let said = run(&server, "import", &["--collection", "c", &file, "--rejected", kept]).success();
    assert_eq!(
        (said.count("created:"), said.count("warnings/errors:"), said.count("lines read:")),
        (2, 3, 6)
    );
    assert!(said.stderr.contains("a.jsonl:4: invalid JSON"), "{said:?}");
    let mut rejected: Vec<Value> = std::fs::read_to_string(kept)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    rejected.sort_by_key(|row| row["line"].as_u64());
    let rows: Vec<_> = rejected.iter().map(|row| (row["line"].clone(), row["row"].clone())).collect();
    assert_eq!(
        rows,
        [
            (json!(3), json!("{\"_key\":\"a\"}")),
            (json!(4), json!("{nothing")),
            (json!(6), json!("{\"_key\":\"c d\"}"))
        ]
    );
    assert!(rejected[0]["reason"].as_str().unwrap().contains("unique constraint"), "{rejected:?}");
    assert_eq!(rejected[0]["file"], json!(file));
    for (action, expected) in [("ignore", 1), ("replace", 0), ("update", 0)] {
        let file = write(folder.path(), "d.jsonl", "{\"_key\":\"a\",\"x\":1}\n");
        let said = run(&server, "import", &["--collection", "c", &file, "--on-duplicate", action]).success();
        let counts = (said.count("updated/replaced:"), said.count("ignored:"));
        assert_eq!(counts, (1 - expected, expected), "{action}");
    }
}

#[test]
fn too_many_rejected_rows_end_the_import() {
    let (folder, server) = server();
    let text = "{\"_key\":\"same\"}\n".repeat(200_000);
    let file = write(folder.path(), "a.jsonl", text);
    let arguments =
        ["--collection", "c", &file, "--max-errors", "3", "--batch-size", "4KiB", "--threads", "1"];
    let said = run(&server, "import", &arguments);
    assert!(said.code == Some(1) && said.stderr.contains("--max-errors"), "{said:?}");
    assert!(said.count("lines read:") < 10_000, "{said:?}");
    assert_eq!(said.stderr.matches("unique constraint").count(), 3, "{said:?}");
}

#[test]
fn broken_files_name_file_and_line() {
    let (folder, server) = server();
    let gz = write(folder.path(), "whole.jsonl", "{\"a\":1}\n".repeat(50_000));
    assert!(std::process::Command::new("gzip").args(["-q", &gz]).status().unwrap().success());
    let whole = std::fs::read(format!("{gz}.gz")).unwrap();
    for (name, content, part) in [
        ("cut.jsonl.gz", &whole[..whole.len() / 2], "cut.jsonl.gz:"),
        ("cut.json", b"[{\"a\":1},\n{\"a\":", "cut.json:2:"),
    ] {
        let file = write(folder.path(), name, content);
        let said = run(&server, "import", &["--collection", "c", &file]);
        assert!(said.code == Some(1) && said.stderr.contains(part), "{name}: {said:?}");
    }
    let said = run(&server, "import", &["--collection", "c", "/nowhere/a.json"]);
    assert!(said.code == Some(1) && said.stderr.contains("/nowhere/a.json"), "{said:?}");
    assert_eq!(run(&server, "import", &["--collektion", "c"]).code, Some(3));
    assert_eq!(run(&server, "import", &["--collection", "c", "--threads", "x"]).code, Some(4));
}

#[test]
fn a_killed_import_resumes_without_duplicates() {
    let (folder, server) = server();
    let lines: Vec<String> = (0..300_000)
        .map(|n| format!("{{\"_key\":\"k{n}\",\"n\":{n},\"text\":\"some text of no use\"}}\n"))
        .collect();
    let file = write(folder.path(), "a.jsonl", lines.concat());
    let arguments = ["--collection", "c", &file, "--batch-size", "64KiB", "--threads", "2"];
    let mut child = command(&server, "import", &arguments).spawn().unwrap();
    wait_until("the import does not begin", || count(&server, "c") >= 1_000).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let before = count(&server, "c");
    assert!((1_000..300_000).contains(&before), "{before} documents: the tool was killed too late");
    let again = [&arguments[..], &["--on-duplicate", "ignore"]].concat();
    let said = run(&server, "import", &again).success();
    assert_eq!(said.count("created:") + said.count("ignored:"), 300_000);
    assert_eq!(count(&server, "c"), 300_000);
}

#[test]
fn a_killed_server_ends_the_import_with_an_error() {
    let (folder, server) = server();
    let file = write(folder.path(), "a.jsonl", "{\"text\":\"some text of no use\"}\n".repeat(500_000));
    let arguments = ["--collection", "c", &file, "--batch-size", "64KiB", "--threads", "2"];
    let child = command(&server, "import", &arguments).spawn().unwrap();
    wait_until("the import does not begin", || count(&server, "c") >= 20_000).unwrap();
    server.kill();
    let said = said(child);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("a.jsonl:") && said.stderr.contains("stored"), "{said:?}");
    assert!(said.count("created:") > 0, "{said:?}");
}

#[test]
fn users_need_their_passwords() {
    let folder = tempfile::tempdir().unwrap();
    let secret = write(folder.path(), "secret", "the secret\n");
    let options = [
        "--server.authentication",
        "true",
        "--server.password",
        "p w",
        "--server.jwt-secret-keyfile",
        &secret,
    ];
    let server = Server::start(&folder.path().join("data"), &options);
    let file = write(folder.path(), "a.jsonl", "{}\n");
    let wrong = run(&server, "import", &["--collection", "c", "--create-collection", &file]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("401"), "{wrong:?}");
    let right = ["--collection", "c", "--create-collection", &file, "--server.password", "p w"];
    run(&server, "import", &right).success();
    let endpoint = server.endpoint();
    let token = std::process::Command::new(PROGRAM)
        .args(["import", "--server.endpoint", &endpoint, "--server.jwt-secret-keyfile", &secret])
        .args(["--collection", "c", &file])
        .output()
        .unwrap();
    assert!(token.status.success(), "{token:?}");
}

#[test]
fn a_signal_ends_a_tool_with_a_word() {
    let (_folder, server) = server();
    let mut child = command(&server, "import", &["--collection", "c", "-"]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    // Once the tool reads its input, it handles signals.
    child.stdin.as_mut().unwrap().write_all(&[b' '; 1 << 20]).unwrap();
    Process::new(child.id()).terminate();
    let said = said(child);
    assert_eq!(said.code, Some(128 + 15), "{said:?}");
    assert!(said.stderr.contains("stopped by SIGTERM; acknowledged documents are stored"), "{said:?}");
}
