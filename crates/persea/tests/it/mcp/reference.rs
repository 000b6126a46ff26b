//! The queries in the reference of AQL for models are queries.

use serde_json::json;

use super::{call, server};

/// Returns the queries of a text: in blocks of AQL, each begins at a line that is not indented.
fn queries(text: &str) -> Vec<String> {
    let mut queries: Vec<String> = Vec::new();
    let mut is_within = false;
    for line in text.lines() {
        match line {
            "```aql" => is_within = true,
            "```" => is_within = false,
            _ if !is_within => {}
            line if line.starts_with(' ') => {
                let query = queries.last_mut().expect("a block begins with a query");
                *query += &format!("\n{line}");
            }
            line => queries.push(line.to_owned()),
        }
    }
    queries
}

#[test]
fn the_reference_shows_queries() {
    let (_folder, server) = server(&[]);
    let mut client = server.connect();
    let (topics, _) = call(&mut client, "aql_reference", &json!({}));
    let mut count = 0;
    for topic in topics["topics"].as_array().unwrap() {
        let (reference, _) = call(&mut client, "aql_reference", &json!({"topic": topic["topic"]}));
        for aql in queries(reference["text"].as_str().unwrap()) {
            // A fragment ends with an operation that gives nothing.
            let is_whole =
                ["RETURN", "INSERT", "UPDATE", "REPLACE", "REMOVE"].iter().any(|word| aql.contains(word));
            let aql = if is_whole { aql } else { format!("{aql}\nRETURN 1") };
            let (result, is_error) = call(&mut client, "validate", &json!({"aql": aql}));
            // Collections, views and graphs of the examples do not exist here.
            let number = result["error"]["errorNum"].as_u64();
            let is_missing = matches!(number, Some(1203 | 1924));
            assert!(!is_error || is_missing, "{}: {aql}\n{result}", topic["topic"]);
            count += 1;
        }
    }
    assert!(count > 30, "{count} queries");
}
