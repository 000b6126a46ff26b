//! The documentation of the API, which is made from the tables of routes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::start;

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// Returns true if a path matches a pattern, or the beginning of a longer one.
fn begins(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('/');
    path.split('/').all(|segment| parts.next().is_some_and(|part| part.starts_with('{') || part == segment))
}

#[test]
fn every_route_is_described() {
    let running = start();
    let document = running.client().get("/_api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    let operations = || {
        paths.iter().flat_map(|(path, item)| {
            item.as_object().unwrap().iter().map(move |(method, operation)| (path, method, operation))
        })
    };
    for (path, method, operation) in operations() {
        let summary = operation["summary"].as_str().unwrap();
        assert!(summary.ends_with('.') && summary.len() <= 100, "{method} {path}: \"{summary}\"");
        let names = |place: &str| -> Vec<String> {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let there = parameters.filter(|parameter| parameter["in"] == place);
            there.map(|parameter| format!("{{{}}}", parameter["name"].as_str().unwrap())).collect()
        };
        let expected: Vec<&str> = path.split('/').filter(|part| part.starts_with('{')).collect();
        assert_eq!(names("path"), expected, "{method} {path}");
        let query = names("query");
        assert_eq!(query.iter().collect::<BTreeSet<_>>().len(), query.len(), "{method} {path}");
    }
    let access = |path: &str, method: &str| paths[path][method]["x-persea-access"].clone();
    assert_eq!(access("/_api/collection", "get"), "use");
    assert_eq!(access("/_admin/server/availability", "get"), "open");
    assert_eq!(access("/_admin/compact", "put"), "administer");
    assert_eq!(paths["/_admin/server/availability"]["get"]["security"], Value::Array(Vec::new()));
    let body = &paths["/_api/cursor"]["post"]["requestBody"]["content"]["application/json"]["example"];
    assert!(body["query"].is_string(), "{body}");
    assert!(operations().count() > 260);
}

#[test]
fn no_path_has_a_method_that_is_not_described() {
    let running = start();
    let mut client = running.client();
    let document = client.get("/_api/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    for pattern in paths.keys() {
        let path: Vec<&str> =
            pattern.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect();
        let path = path.join("/");
        let of_path = || paths.iter().filter(|(pattern, _)| begins(pattern, &path)).map(|(_, item)| item);
        for method in METHODS {
            if of_path().all(|item| item.get(method.to_lowercase()).is_none()) {
                let status = client.request(method, &path, "", b"").status;
                assert_eq!(status, 405, "{method} {path} has a route that is not described");
            }
        }
    }
}
