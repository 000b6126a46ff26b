//! The dashboard for Grafana and the alerts for Prometheus name only metrics that a server answers.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{Server, tests_folder};

/// The beginnings of the names of all metrics.
const PREFIXES: [&str; 3] = ["arangodb_", "rocksdb_", "persea_"];

/// The endings that a histogram adds to its name.
const ENDINGS: [&str; 3] = ["_bucket", "_count", "_sum"];

/// Returns the names of metrics in an expression.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
}

/// The beginning of the names of metrics that only a server on a cluster answers.
const OF_CLUSTER: &str = "persea_cluster_";

fn is_known(known: &BTreeSet<String>, name: &str) -> bool {
    let base = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    known.contains(name) || base.is_some_and(|base| known.contains(base))
}

#[test]
fn every_metric_of_dashboard_and_alerts_is_there() {
    let path = tests_folder().join("../packages/grafana/persea.json");
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let page = server.connect().json("GET", "/_admin/metrics/v2", "").text();
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let known = types.filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
    let mut count = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        let targets = panel["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        for expression in targets.iter().map(|target| target["expr"].as_str().unwrap()) {
            for name in names(expression) {
                count += 1;
                assert!(is_known(&known, name), "{}: no metric {name}", panel["title"]);
            }
        }
    }
    assert!(count > 40, "only {count} metrics were found");
    let alerts = fs::read_to_string(tests_folder().join("../packages/prometheus/alerts.yaml")).unwrap();
    let mut of_alerts = names(&alerts).filter(|name| !name.starts_with(OF_CLUSTER)).peekable();
    assert!(of_alerts.peek().is_some());
    of_alerts.for_each(|name| assert!(is_known(&known, name), "no metric {name}"));
}
