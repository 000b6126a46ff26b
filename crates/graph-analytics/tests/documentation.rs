//! The page of all algorithms says what the code says.
//!
//! `PERSEA_UPDATE_GOLDEN=1 cargo test -p graph-analytics --test documentation` writes it.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write;
use std::path::Path;

use graph_analytics::{ALGORITHMS, Algorithm, Kind, Parameter};

/// Maximum number of columns of a line.
const COLUMNS: usize = 100;

const HEAD: &str = "\
# Algorithms of graph analytics

The first argument of `GRAPH_ALGORITHM()` is one of these names, and the third has its parameters
([graph analytics](analytics.md)). The last column says what rows have beside `vertex`, or in its
place.

";

#[test]
fn the_page_of_algorithms_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/analytics-algorithms.md");
    let page = page();
    if std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), page, "see the top of this file");
}

#[test]
fn algorithms_are_listed_by_name() {
    assert!(ALGORITHMS.is_sorted_by_key(|algorithm| algorithm.name.to_lowercase()));
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| algorithm | result | columns |\n| --- | --- | --- |\n");
    for algorithm in ALGORITHMS {
        let Algorithm { name, about, .. } = algorithm;
        let vertex = if algorithm.is_by_vertex { "`vertex`, " } else { "" };
        let columns: Vec<String> = algorithm.columns.iter().map(|column| format!("`{column}`")).collect();
        let link = name.to_lowercase();
        writeln!(page, "| [`{name}`](#{link}) | {about} | {vertex}{} |", columns.join(", ")).unwrap();
    }
    for algorithm in ALGORITHMS {
        write!(page, "\n## {}\n\n", algorithm.name).unwrap();
        page.push_str(&wrapped(algorithm.definition));
        if !algorithm.parameters.is_empty() {
            page.push_str("\n| parameter | values | default | meaning |\n| --- | --- | --- | --- |\n");
        }
        for Parameter { name, kind, about } in algorithm.parameters {
            writeln!(page, "| `{name}` | {kind} | {} | {about} |", default_of(kind)).unwrap();
        }
    }
    page
}

fn default_of(kind: &Kind) -> String {
    match kind {
        Kind::Number { default, .. } => format!("`{default}`"),
        Kind::Count { default, .. } => format!("`{default}`"),
        Kind::Flag { default } => format!("`{default}`"),
        Kind::Choice(words) => format!("`{}`", words[0]),
        Kind::Vertex => "none: it must be given".to_owned(),
        Kind::Vertices { .. } | Kind::Attribute => "none".to_owned(),
    }
}

/// Breaks a text into lines.
fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines += &line;
            lines.push('\n');
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line + "\n"
}
