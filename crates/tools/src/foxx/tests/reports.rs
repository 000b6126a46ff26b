//! Tests of reports about tests, and of the lines about settings.

use velocypack::Slice;

use super::super::report::lines;
use super::super::reporter::Reporter;
use super::super::settings;
use super::super::value::parse;

fn report(reporter: Reporter, text: &str) -> Vec<String> {
    lines(reporter, Slice::new(&parse(text.as_bytes(), "a report").unwrap()))
}

#[test]
fn suites_are_printed_with_their_tests() {
    let text = r#"{"stats": {"passes": 1, "failures": 1, "pending": 1, "duration": 12.7},
        "tests": [{"title": "top", "result": "pending", "err": {}}],
        "suites": [{"title": "cart", "suites": [{"title": "total", "suites": [], "tests": [
            {"title": "adds", "result": "pass", "duration": 3, "err": {}},
            {"title": "rounds", "result": "fail", "duration": 9, "err": {"message": "1 is not 2", "stack": "Error: 1 is not 2\n  at a.js:1"}}
        ]}], "tests": []}]}"#;
    let expected = [
        "-    top",
        "cart",
        "  total",
        "    ok   adds (3 ms)",
        "    FAIL rounds (9 ms)",
        "",
        "1 passed, 1 failed, 1 pending, 12 ms",
        "",
        "FAIL cart total rounds",
        "    Error: 1 is not 2",
        "      at a.js:1",
    ];
    assert_eq!(report(Reporter::Spec, text), expected);
}

#[test]
fn lists_and_summaries_name_failures() {
    let text = r#"{"stats": {"passes": 1, "failures": 1, "pending": 0, "duration": 4},
        "tests": [], "pending": [], "passes": [{"title": "a", "fullTitle": "s a", "duration": 1, "err": {}}],
        "failures": [{"title": "b", "fullTitle": "s b", "err": {"message": "M", "stack": "at x"}}]}"#;
    let min = ["1 passed, 1 failed, 0 pending, 4 ms", "", "FAIL s b", "    M", "    at x"];
    assert_eq!(report(Reporter::Min, text), min);
    let list = [&["ok   s a (1 ms)", "FAIL s b", ""][..], &min].concat();
    assert_eq!(report(Reporter::List, text), list);
}

#[test]
fn settings_are_printed_with_their_values() {
    let text = r#"{
        "currency": {"type": "string", "required": true, "default": "EUR", "current": "USD", "description": "Of prices."},
        "limit": {"type": "integer", "required": false},
        "mail": {"name": "mail", "version": "^1.0.0", "required": true, "multiple": true, "current": ["/a"]},
        "any": {"name": "*", "version": "*", "required": false}
    }"#;
    let items = parse(text.as_bytes(), "settings").unwrap();
    let lines = Slice::new(&items).entries().flat_map(|(name, item)| settings::lines(name, item));
    let expected = [
        "currency = \"USD\"  (string, required, default \"EUR\")",
        "  Of prices.",
        "limit = (not set)  (integer)",
        "mail = [\"/a\"]  (mail, ^1.0.0, required, several services)",
        "any = (not set)",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}
