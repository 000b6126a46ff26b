//! `persea export` against a real server.

use std::path::Path;

use harness::wait_until;
use serde_json::{Value, json};

use crate::support::Server;
use crate::support::disguise::Disguise;
use crate::support::tool::{Said, command, command_at, run, said, write};

fn server() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    (folder, server)
}

fn post(server: &Server, path: &str, body: &Value) -> Value {
    let reply = server.connect().json("POST", path, &body.to_string());
    assert!(reply.status < 300, "{path}: {}", reply.text());
    reply.json()
}

/// Runs an export into a folder.
fn export(server: &Server, folder: &Path, arguments: &[&str]) -> Said {
    run(server, "export", &[&["--output-directory", folder.to_str().unwrap()], arguments].concat())
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn fill(server: &Server, collection: &str, count: usize) {
    post(server, "/_api/collection", &json!({"name": collection}));
    let query = "FOR n IN 1..@n INSERT {_key: CONCAT('k', n), n, text: 'some \"text\" of ü'} INTO @@c";
    let parameters = json!({"n": count, "@c": collection});
    post(server, "/_api/cursor", &json!({"query": query, "bindVars": parameters}));
}

#[test]
fn encrypted_files_are_exported_and_imported() {
    let (folder, server) = server();
    fill(&server, "c", 2_500);
    let out = folder.path().join("out");
    let key = write(folder.path(), "key", "an encryption key of 32 bytes...");
    let wrong = write(folder.path(), "wrong", "another encryption key, 32 bytes");
    let keyfile = |key: &str| ["--encryption.keyfile".to_owned(), key.to_owned()];
    let with = |key: &str, more: &[&str]| {
        let keyfile = keyfile(key);
        let keyfile = keyfile.iter().map(String::as_str);
        keyfile.chain(more.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let slices = |words: &[String]| words.iter().map(|word| word.clone().leak() as &str).collect::<Vec<_>>();
    for more in [&["--compress-output"][..], &[]] {
        let arguments = with(&key, &[&["--collection", "c", "--overwrite"], more].concat());
        export(&server, &out, &slices(&arguments)).success();
        let file = out.join(if more.is_empty() { "c.jsonl" } else { "c.jsonl.gz" });
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(4).any(|window| window == b"_key") && !bytes.starts_with(&[0x1f, 0x8b]));
        let import = |key: &str| {
            let more = ["--collection", "copy", "--create-collection", "true", "--overwrite", "true"];
            let file = ["--type", "jsonl", file.to_str().unwrap()];
            run(&server, "import", &slices(&with(key, &[&more[..], &file].concat())))
        };
        import(&key).success();
        let count = "RETURN LENGTH(FOR d IN copy FILTER d.n > 0 RETURN 1)";
        let counted = post(&server, "/_api/cursor", &json!({"query": count}));
        assert_eq!(counted["result"], json!([2_500]));
        import(&wrong).failure();
    }
    for (more, expected) in [
        (&["--file", "-"][..], "the standard output is not encrypted"),
        (&["--type", "parquet"], "Parquet files are read from their end"),
        (&["--resume"], "an encrypted export cannot be resumed"),
    ] {
        let arguments = with(&key, &[&["--collection", "c"], more].concat());
        let said = run(&server, "export", &slices(&arguments)).failure();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn what_is_exported_can_be_imported() {
    let (folder, server) = server();
    fill(&server, "a b", 2_500);
    fill(&server, "c", 3);
    let out = folder.path().join("out");
    let said = export(&server, &out, &["--collection", "a b", "--collection", "c"]).success();
    let bytes: u64 =
        ["a b.jsonl", "c.jsonl"].iter().map(|name| out.join(name).metadata().unwrap().len()).sum();
    let summary = format!("Processed 2 collection(s), wrote {bytes} Byte(s), ");
    assert!(said.stdout.starts_with(&summary), "{said:?}");
    let documents = lines(&out.join("a b.jsonl"));
    assert_eq!(documents.len(), 2_500);
    assert_eq!(documents[0]["_id"], "a b/k1");
    for (kind, more) in [
        ("jsonl", &["--compress-output"][..]),
        ("json", &[]),
        ("csv", &["--fields", "_key,n,text", "--compress-output"]),
    ] {
        export(&server, &out, &[&["--collection", "a b", "--type", kind], more].concat()).success();
        let ending = if more.contains(&"--compress-output") { ".gz" } else { "" };
        let file = out.join(format!("a b.{kind}{ending}")).to_str().unwrap().to_owned();
        let arguments = ["--collection", "copy", "--create-collection", "--overwrite", &file];
        let said = run(&server, "import", &arguments).success();
        assert_eq!(said.count("created:"), 2_500, "{file}");
        let query = "LET same = (FOR d IN @@a FOR e IN copy FILTER e._key == d._key && e.n == d.n && e.text == d.text \
                     RETURN 1) RETURN LENGTH(same)";
        let found = post(&server, "/_api/cursor", &json!({"query": query, "bindVars": {"@a": "a b"}}));
        assert_eq!(found["result"], json!([2_500]), "{file}");
    }
    let again = export(&server, &out, &["--collection", "c"]);
    assert!(again.code == Some(1) && again.stderr.contains("--overwrite"), "{again:?}");
    export(&server, &out, &["--collection", "c", "--overwrite"]).success();
    let missing = export(&server, &out, &["--collection", "none"]);
    assert!(missing.code == Some(1) && missing.stderr.contains("none"), "{missing:?}");
}

#[test]
fn a_server_without_our_own_routes_is_exported_by_cursors() {
    let (folder, server) = server();
    fill(&server, "c", 2_500);
    export(&server, &folder.path().join("own"), &["--collection", "c"]).success();
    let disguised = Disguise::of(server.port());
    let out = folder.path().join("out");
    let arguments =
        ["--output-directory", out.to_str().unwrap(), "--documents-per-batch", "1000", "--collection", "c"];
    let cursors = |more: &[&str]| {
        let line = [&arguments[..], more].concat();
        said(command_at(&disguised.endpoint, "export", &line).spawn().unwrap()).success();
        lines(&out.join("c.jsonl"))
    };
    let sorted = |mut rows: Vec<Value>| {
        rows.sort_by_key(|row| row["_key"].to_string());
        rows
    };
    let expected = sorted(lines(&folder.path().join("own/c.jsonl")));
    assert!(sorted(cursors(&[])) == expected);
    assert_eq!(disguised.requests("/_api/export"), 0);
    // One request for the first batch, and two for further ones.
    assert_eq!((disguised.requests("/_api/cursor "), disguised.requests("/_api/cursor/")), (1, 2));
    // The order of keys makes it possible to resume after a key.
    let in_order = cursors(&["--overwrite", "--resume"]);
    assert!(in_order.is_sorted_by_key(|row| row["_key"].as_str().unwrap().to_owned()));
    assert!(sorted(in_order) == expected);
}

#[test]
fn queries_have_parameters_and_limits() {
    let (folder, server) = server();
    let query = "FOR n IN 1..@n RETURN {n, twice: [2 * n]}";
    let text = query.replace('@', "@@");
    let arguments =
        ["--custom-query", &text, "--custom-query-bindvars", "{\"n\":2001}", "--documents-per-batch", "100"];
    let said = export(&server, folder.path(), &arguments).success();
    assert!(
        said.stdout.contains("22 HTTP request(s)") || said.stdout.contains("21 HTTP request(s)"),
        "{said:?}"
    );
    let rows = lines(&folder.path().join("query.jsonl"));
    assert_eq!((rows.len(), &rows[2_000]), (2_001, &json!({"n": 2_001, "twice": [4_002]})));
    let file = write(folder.path(), "q.aql", query);
    let to_stdout = [
        "--custom-query-file",
        &file,
        "--custom-query-bindvars",
        "{\"n\":2}",
        "--file",
        "-",
        "--type",
        "csv",
        "--fields",
        "n",
    ];
    assert_eq!(run(&server, "export", &to_stdout).success().stdout, "n\n1\n2\n");
    let slow = [
        "--custom-query",
        "FOR n IN 1..3 RETURN SLEEP(1)",
        "--custom-query-max-runtime",
        "0.5",
        "--overwrite",
    ];
    let said = export(&server, folder.path(), &slow);
    assert!(said.code == Some(1) && said.stderr.contains("1500"), "{said:?}");
    let wrong = export(&server, folder.path(), &["--custom-query", "RETURN", "--overwrite"]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("1501"), "{wrong:?}");
    assert!(!folder.path().join("query.jsonl.part").exists());
}

#[test]
fn graphs_become_xgmml() {
    let (folder, server) = server();
    let edges = json!([{"collection": "knows", "from": ["persons"], "to": ["persons", "places"]}]);
    post(
        &server,
        "/_api/gharial",
        &json!({"name": "g", "edgeDefinitions": edges, "orphanCollections": ["alone"]}),
    );
    post(&server, "/_api/document/persons", &json!([{"_key": "a", "label": "Ann"}, {"_key": "b"}]));
    post(&server, "/_api/document/alone", &json!({"_key": "c"}));
    post(&server, "/_api/document/knows", &json!({"_from": "persons/a", "_to": "persons/b", "_key": "e"}));
    let arguments = ["--type", "xgmml", "--graph-name", "g", "--xgmml-label-only", "true"];
    export(&server, folder.path(), &arguments).success();
    let text = std::fs::read_to_string(folder.path().join("g.xgmml")).unwrap();
    let body: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(
        body,
        [
            "<node label=\"Ann\" id=\"persons/a\"/>",
            "<node label=\"Default-Label\" id=\"persons/b\"/>",
            "<node label=\"Default-Label\" id=\"alone/c\"/>",
            "<edge label=\"Default-Label\" source=\"persons/a\" target=\"persons/b\"/>",
            "</graph>"
        ]
    );
    let some = ["--type=xgmml", "--graph-name=part", "--collection=knows", "--collection=persons"];
    export(&server, folder.path(), &some).success();
    let text = std::fs::read_to_string(folder.path().join("part.xgmml")).unwrap();
    assert!(text.find("<node").unwrap() < text.find("<edge").unwrap() && !text.contains("alone/"), "{text}");
}

#[test]
fn parquet_has_a_column_for_each_attribute() {
    let (folder, server) = server();
    fill(&server, "c", 1_000);
    let file = folder.path().join("c.parquet");
    run(&server, "export", &["--collection", "c", "--file", file.to_str().unwrap()]).success();
    let bytes = std::fs::read(file).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

/// Returns true if a file of an export has some of its rows.
fn is_in_the_middle(part: &Path) -> bool {
    part.metadata().is_ok_and(|file| file.len() >= 500_000)
}

#[test]
fn a_killed_export_resumes_where_it_stopped() {
    let (folder, server) = server();
    fill(&server, "c", 400_000);
    let out = folder.path().join("out");
    let arguments = ["--output-directory", out.to_str().unwrap(), "--collection", "c"];
    let part = out.join("c.jsonl.part");
    let mut child = command(&server, "export", &arguments).spawn().unwrap();
    wait_until("the export does not begin", || is_in_the_middle(&part)).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(part.exists() && !out.join("c.jsonl").exists(), "the tool was killed too late");
    let said = export(&server, &out, &["--collection", "c", "--resume"]).success();
    assert!(said.stderr.contains("c.jsonl after document"), "{said:?}");
    let mut keys: Vec<String> = lines(&out.join("c.jsonl"))
        .iter()
        .map(|document| document["_key"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(keys.len(), 400_000);
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 400_000);
    let said = export(&server, &out, &["--collection", "c", "--resume"]).success();
    assert!(said.stderr.contains("is complete"), "{said:?}");
}

#[test]
fn a_killed_server_ends_the_export_with_an_error() {
    let (folder, server) = server();
    fill(&server, "c", 400_000);
    let out = folder.path().join("out");
    let arguments = ["--output-directory", out.to_str().unwrap(), "--collection", "c"];
    let child = command(&server, "export", &arguments).spawn().unwrap();
    let part = out.join("c.jsonl.part");
    wait_until("the export does not begin", || is_in_the_middle(&part)).unwrap();
    server.kill();
    let said = said(child);
    assert!(said.code == Some(1) && said.stderr.contains("--resume"), "{said:?}");
    assert!(!out.join("c.jsonl").exists());
}
