//! The page of metrics has the names, types, labels and help texts of `tests/metrics.txt`.
//! With `PERSEA_UPDATE_GOLDEN=1` the file is written anew.
//!
//! Monitoring depends on them, so a name that vanishes or another type is a broken promise.

use std::fmt::Write;
use std::fs;

use serde_json::json;

use crate::support::{Server, post, tests_folder};

/// Options that add metrics. Nothing listens at the endpoint.
const OPTIONS: [&str; 4] =
    ["--server.export-read-write-metrics", "true", "--traces.endpoint", "http://127.0.0.1:9"];
/// The option of a folder that adds metrics.
const ARCHIVE: &str = "--backup.archive-log";

/// Returns the descriptions of all metrics on a page: name and type, help text, labels.
fn descriptions(page: &str) -> Vec<String> {
    let mut descriptions: Vec<String> = Vec::new();
    let mut help = "";
    for line in page.lines() {
        if let Some(text) = line.strip_prefix("# HELP ") {
            help = text;
        } else if let Some(name_and_type) = line.strip_prefix("# TYPE ") {
            let (name, _) = name_and_type.split_once(' ').unwrap();
            let text = help.strip_prefix(name).expect("the help text stands before the type").trim();
            descriptions.push(format!("{name_and_type}\n    {text}\n"));
        } else if let Some((name, rest)) = line.split_once('{') {
            let (labels, value) = rest.rsplit_once("} ").unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let described = descriptions.last_mut().unwrap();
            assert!(described.starts_with(name.strip_suffix("_bucket").unwrap_or(name)), "{line}");
            writeln!(described, "    {{{labels}}}").unwrap();
        } else {
            let (name, value) = line.split_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let described = descriptions.last().unwrap();
            let base = ["_sum", "_count"].iter().find_map(|ending| name.strip_suffix(ending));
            let is_of_it = |name: &str| described.starts_with(&format!("{name} "));
            assert!(is_of_it(name) || base.is_some_and(is_of_it), "{line}");
        }
    }
    descriptions
}

fn page() -> String {
    let folder = tempfile::tempdir().unwrap();
    let (data, archive) = (folder.path().join("data"), folder.path().join("archive"));
    let server = Server::start(&data, &[&OPTIONS[..], &[ARCHIVE, archive.to_str().unwrap()]].concat());
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    let index = json!({"type": "inverted", "name": "inverted", "fields": ["text"]});
    post(&mut client, "/_api/index?collection=docs", &index);
    let links = json!({"docs": {"includeAllFields": true}});
    post(&mut client, "/_api/view", &json!({"name": "view", "type": "arangosearch", "links": links}));
    let reply = client.json("GET", "/_admin/metrics/v2", "");
    assert_eq!(reply.status, 200);
    reply.text()
}

#[test]
fn names_types_labels_and_help_texts_stay() {
    let descriptions = descriptions(&page());
    let path = tests_folder().join("metrics.txt");
    if std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some() {
        fs::write(&path, descriptions.concat()).unwrap();
        return;
    }
    let golden = fs::read_to_string(&path).unwrap();
    let expected: Vec<String> = split(&golden);
    let missing: Vec<_> = expected.iter().filter(|metric| !descriptions.contains(metric)).collect();
    let unknown: Vec<_> = descriptions.iter().filter(|metric| !expected.contains(metric)).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "only in tests/metrics.txt:\n{}\nonly on the page:\n{}",
        concatenated(&missing),
        concatenated(&unknown)
    );
    assert_eq!(descriptions, expected, "the metrics stand in another order");
}

/// Divides the golden file into metrics. The lines after the first one of each are indented.
fn split(golden: &str) -> Vec<String> {
    let mut metrics: Vec<String> = Vec::new();
    for line in golden.lines() {
        match metrics.last_mut().filter(|_| line.starts_with(' ')) {
            Some(metric) => writeln!(metric, "{line}").unwrap(),
            None => metrics.push(format!("{line}\n")),
        }
    }
    metrics
}

fn concatenated(metrics: &[&String]) -> String {
    metrics.iter().map(|metric| metric.as_str()).collect()
}
