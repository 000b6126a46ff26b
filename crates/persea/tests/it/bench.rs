//! `persea bench`: every test case runs, alone and in batches. It counts failures, and its reports
//! can be parsed.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{PROGRAM, Server};

fn bench(server: &Server, options: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(["bench", "--server.endpoint", &server.endpoint(), "--server.password", ""]);
    command.args(options).stdin(Stdio::null()).output().unwrap()
}

fn succeed(server: &Server, options: &[&str]) -> String {
    let output = bench(server, options);
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn report(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Test cases, each with a number of threads that do not conflict.
const CASES: &[(&str, &str)] = &[
    ("version", "3"),
    ("document", "3"),
    ("import-document", "3"),
    ("collection", "3"),
    ("crud", "3"),
    ("crud-append", "3"),
    ("crud-write-read", "3"),
    ("edge", "3"),
    ("persistent-index", "3"),
    ("skiplist", "3"),
    ("shapes", "3"),
    ("random-shapes", "3"),
    ("shapes-append", "3"),
    ("aqlinsert", "3"),
    ("aqlv8", "3"),
    ("aqltrx", "3"),
    ("stream-cursor", "1"),
    ("multi-collection", "3"),
    ("multitrx", "3"),
    ("counttrx", "3"),
    ("deadlocktrx", "3"),
    ("seed-documents", "3"),
    ("seed-small", "3"),
    ("seed-vertices", "3"),
    ("seed-edges", "3"),
];

#[test]
fn every_test_case_runs_alone_and_in_batches() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let file = folder.path().join("report.json");
    for (case, threads) in CASES {
        succeed(
            &server,
            &[
                "--test-case",
                case,
                "--threads",
                threads,
                "--requests",
                "50",
                "--complexity",
                "3",
                "--batch-size",
                "0",
                "--batch-size",
                "7",
                "--json-report-file",
                file.to_str().unwrap(),
            ],
        );
        let report = report(&file);
        let runs: Vec<Vec<u64>> = report["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| {
                let figures = ["batchSize", "operations", "requests", "failed"];
                figures.iter().map(|name| run[name].as_u64().unwrap()).collect()
            })
            .collect();
        assert_eq!(runs, [[0, 50, 50, 0], [7, 50, 8, 0]], "{case}");
    }
    let mut client = server.connect();
    let mut count = |name: &str| {
        client.json("GET", &format!("/_api/collection/{name}/count"), "").json()["count"].as_u64().unwrap()
    };
    // These counts are those of the last case with each collection: seed-vertices, seed-edges
    // (18.75 for each of 150 people), deadlocktrx.
    assert_eq!(count("ArangoBenchmark"), 150);
    assert!((1_000..6_000).contains(&count("ArangoBenchmark_edges")));
    assert_eq!((count("ArangoBenchmark1"), count("ArangoBenchmark2")), (50, 50));
    let list = client.json("GET", "/_api/collection?excludeSystem=true", "").json();
    assert_eq!(
        list["result"].as_array().unwrap().len(),
        5,
        "the test case `collection` left collections behind: {list}"
    );
}

#[test]
fn the_command_line_of_2012_runs_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let line =
        "--delay true --requests 5000 --test-case document --complexity 1 --batch-size 64 --concurrency 4";
    let mut command = Command::new(PROGRAM);
    command.arg0("arangob").args(["--server.password", ""]).args(line.split(' '));
    command.args(["--server.endpoint", &server.endpoint()]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    let first = "Total number of operations: 5000, runs: 1, keep alive: yes, async: no, batch size: 64, \
                 concurrency level (threads): 4";
    assert!(text.contains(first) && text.contains("Operations per second rate: "), "{text}");
    let count = server.connect().json("GET", "/_api/collection/ArangoBenchmark/count", "").json();
    assert_eq!(count["count"], 5_000);
}

#[test]
fn what_fails_is_counted_and_ends_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, xml, svg) = (path("a.json"), path("a.xml"), path("a.svg"));
    let files = ["--json-report-file", &json, "--junit-report-file", &xml, "--chart", &svg];
    for batch_size in ["0", "7"] {
        let mut options =
            vec!["--test-case", "custom-query", "--custom-query", "RETURN nothing < @x", "--requests", "20"];
        options.extend(["--custom-query-bindvars", "{\"x\":1}", "--batch-size", batch_size]);
        options.extend(files);
        let output = bench(&server, &options);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("20 of 20 operations failed") && errors.contains("nothing"), "{errors}");
        assert_eq!(report(Path::new(&json))["runs"][0]["failed"], 20);
        let xml = std::fs::read_to_string(&xml).unwrap();
        assert!(xml.contains("<failure message=\"20 of 20") && !xml.contains("nothing <"), "{xml}");
    }
    let output =
        bench(&server, &["--test-case", "document", "--create-collection", "false", "--collection", "no"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && errors.contains("1203"), "{errors}");
    let endpoint = server.endpoint();
    drop(server);
    let output = Command::new(PROGRAM)
        .args(["bench", "--server.password", "", "--server.endpoint", &endpoint])
        .output()
        .unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("cannot connect"));
}

#[test]
fn reports_and_charts_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, xml, svg) = (path("a.json"), path("a.xml"), path("a.svg"));
    let mut options =
        vec!["--test-case", "document", "--requests", "60", "--runs", "2", "--threads", "1", "--threads"];
    options.extend(["2", "--batch-size", "0", "--batch-size", "8", "--histogram.generate", "true"]);
    options.extend(["--json-report-file", &json, "--junit-report-file", &xml, "--chart", &svg]);
    let text = succeed(&server, &options);
    assert!(text.contains("Histogram") && text.contains("99.99 % of requests"), "{text}");
    let runs = report(Path::new(&json))["runs"].as_array().unwrap().clone();
    assert_eq!(runs.len(), 8);
    assert!(runs.iter().all(|run| run["percentiles"]["50"].as_f64().unwrap() > 0.0));
    let xml = std::fs::read_to_string(xml).unwrap();
    assert_eq!((xml.matches("<testcase ").count(), xml.matches("<failure").count()), (8, 0), "{xml}");
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.matches("<path").count() == 2,
        "{svg}"
    );
}

#[test]
fn options_change_what_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    assert!(succeed(&server, &["--test-case", "help"]).contains("crud-append"));
    let query = folder.path().join("query.aql");
    std::fs::write(&query, "FOR i IN 1..@n RETURN i").unwrap();
    let query = query.to_str().unwrap();
    let options = ["--test-case", "custom-query", "--custom-query-file", query, "--requests", "4"];
    succeed(
        &server,
        &[&options[..], &["--custom-query-bindvars", "{\"n\":2500}", "--keep-alive", "false"]].concat(),
    );
    let chart = folder.path().join("a.SVG");
    succeed(&server, &["--duration", "1", "--threads", "2", "--quiet", "--chart", chart.to_str().unwrap()]);
    assert!(std::fs::read(chart).unwrap().starts_with(b"<svg"));
    succeed(&server, &["--async", "true", "--test-case", "version", "--requests", "20"]);
    let created = [
        "--create-database",
        "true",
        "--server.database",
        "größe",
        "--test-case",
        "crud",
        "--batch-size",
        "3",
    ];
    succeed(&server, &[&created[..], &["--wait-for-sync", "true", "--collection", "own"]].concat());
    let reply = server.connect().json("GET", "/_db/gr%C3%B6%C3%9Fe/_api/collection/own/properties", "");
    assert_eq!(reply.json()["waitForSync"], true);
}
