//! Traversals and trees.

use crate::rail::Rail;
use aql_value::Value;

/// The keys of the vertices that a traversal of the lines from a comes to, in order.
fn visited(rail: &Rail, options: &str) -> String {
    keys(&rail.value("TRAVERSAL", &format!(r#""stop", "lines", "a", "outbound", {options}"#)))
}

fn keys(points: &Value) -> String {
    let keys: Vec<String> = points
        .elements()
        .map(|point| point.get("vertex").get("_key").as_str().unwrap_or("null").to_owned())
        .collect();
    keys.join("")
}

#[test]
fn orders_and_uniqueness() {
    let rail = Rail::new();
    for (options, expected) in [
        ("null", "abcd"),
        (r#"{"uniqueness": {"vertices": "none", "edges": "path"}}"#, "abcdcd"),
        (r#"{"uniqueness": {"vertices": "path", "edges": "global"}}"#, "abcdc"),
        (r#"{"uniqueness": {"vertices": "none"}}"#, "abcdc"),
        (r#"{"order": "postorder"}"#, "dcba"),
        (r#"{"order": "preorder-expander"}"#, "abcd"),
        (r#"{"itemOrder": "backward"}"#, "acdb"),
        (r#"{"itemOrder": "backward", "order": "postorder"}"#, "dcba"),
        (r#"{"strategy": "breadthfirst"}"#, "abcd"),
        (r#"{"strategy": "breadthfirst", "itemOrder": "backward"}"#, "acbd"),
        (r#"{"strategy": "breadthfirst", "order": "postorder"}"#, "dcba"),
        (r#"{"strategy": "breadthfirst", "uniqueness": {"vertices": "none", "edges": "none"}}"#, "abccdd"),
        (r#"{"strategy": "breadthfirst", "uniqueness": {"vertices": "path", "edges": "path"}}"#, "abccdd"),
        (r#"{"minDepth": 1, "maxDepth": 1}"#, "bc"),
        (r#"{"minDepth": 2}"#, "cd"),
        (r#"{"maxDepth": 0}"#, "a"),
        (r#"{"maxIterations": 4}"#, "abcd"),
    ] {
        assert_eq!(visited(&rail, options), expected, "{options}");
    }
}

#[test]
fn filters() {
    let rail = Rail::new();
    for (options, expected) in [
        (r#"{"followEdges": [{"kind": "fast"}, {"km": 1}]}"#, "acd"),
        (r#"{"filterVertices": [{"zone": 1}]}"#, "ab"),
        (r#"{"filterVertices": {"zone": 1}, "vertexFilterMethod": ["prune"]}"#, "abc"),
        (r#"{"filterVertices": [{"zone": 2}], "vertexFilterMethod": "exclude"}"#, "cd"),
        (r#"{"filterVertices": [{"zone": 2}], "vertexFilterMethod": ["prune", "exclude"]}"#, ""),
        (r#"{"filterVertices": [{"zone": 2}], "vertexFilterMethod": []}"#, "abcd"),
        (r#"{"filterVertices": []}"#, "abcd"),
    ] {
        assert_eq!(visited(&rail, options), expected, "{options}");
    }
}

#[test]
fn paths_and_visitors() {
    let rail = Rail::new();
    for (options, expected) in [
        (
            r#"{"paths": true, "minDepth": 2, "maxDepth": 2}"#,
            r#"[{"vertex": "stop/c", "path": {"vertices": ["stop/a", "stop/b", "stop/c"],
                "edges": ["lines/ab", "lines/bc"]}}]"#,
        ),
        (r#"{"visitor": "_AQL::IDVISITOR"}"#, r#"["stop/a", "stop/b", "stop/c", "stop/d"]"#),
        (r#"{"visitor": "_aql::keyvisitor"}"#, r#"["a", "b", "c", "d"]"#),
        (r#"{"visitor": "_AQL::COUNTINGVISITOR", "minDepth": 1}"#, "[3]"),
        (
            r#"{"visitor": "_AQL::PROJECTINGVISITOR", "data": {"attributes": ["_key", "big", "no"]}, "maxDepth": 1}"#,
            r#"[{"_key": "a", "big": true}, {"_key": "b", "big": false}, {"_key": "c", "big": true}]"#,
        ),
        (
            r#"{"visitor": "_AQL::HASATTRIBUTESVISITOR", "data": {"attributes": ["big", "zone"]}}"#,
            r#"["stop/a", "stop/b", "stop/c", "stop/d"]"#,
        ),
        (
            r#"{"visitor": "_AQL::HASATTRIBUTESVISITOR", "data": {"attributes": ["big"], "allowNull": false}}"#,
            r#"["stop/a", "stop/b", "stop/c"]"#,
        ),
        (r#"{"visitor": "_AQL::HASATTRIBUTESVISITOR", "data": {"attributes": ["big", "no"]}}"#, "[]"),
        (
            r#"{"visitor": "_AQL::HASATTRIBUTESVISITOR", "data": {"attributes": ["big", "no"], "type": "any"}}"#,
            r#"["stop/a", "stop/b", "stop/c", "stop/d"]"#,
        ),
    ] {
        rail.check("TRAVERSAL", &format!(r#""stop", "lines", "stop/a", "outbound", {options}"#), expected);
    }
}

#[test]
fn graphs_are_traversed_from_each_start_by_each_path() {
    let rail = Rail::new();
    let by_key = r#"{"visitor": "_AQL::KEYVISITOR"}"#;
    rail.check(
        "GRAPH_TRAVERSAL",
        &format!(r#""rail", {{"zone": 1}}, "outbound", {by_key}"#),
        r#"[["a", "b", "c", "d", "x", "c", "d", "x"], ["b", "c", "d", "x"]]"#,
    );
    rail.check(
        "GRAPH_TRAVERSAL",
        &format!(r#""rail", "depot/x", "inbound", {by_key}"#),
        r#"[["x", "d", "c", "a", "b", "a"]]"#,
    );
    rail.check("GRAPH_TRAVERSAL", r#""rail", ["stop/none"]"#, "[]");
    rail.check("GRAPH_TRAVERSAL", r#""rail", "lost/z""#, r#"[[{"vertex": "lost/z"}]]"#);
}

#[test]
fn trees() {
    let rail = Rail::new();
    for (arguments, expected) in [
        ("null", r#"[[["stop/a", [["stop/b", [["stop/c", ["stop/d"]]]]]]]]"#),
        (r#"{"itemOrder": "backward"}"#, r#"[[["stop/a", [["stop/c", ["stop/d"]], "stop/b"]]]]"#),
        (
            r#"{"strategy": "breadthfirst", "order": "postorder", "maxDepth": 1}"#,
            r#"[[["stop/a", ["stop/b", "stop/c"]]]]"#,
        ),
        (
            r#"{"filterVertices": {"zone": 2}, "vertexFilterMethod": "exclude"}"#,
            r#"[[["stop/c", ["stop/d"]]]]"#,
        ),
        (r#"{"minDepth": 1, "maxDepth": 1}"#, r#"[["stop/b", "stop/c"]]"#),
    ] {
        let arguments = format!(r#""stop", "lines", "a", "outbound", "next", {arguments}"#);
        rail.check("TRAVERSAL_TREE", &arguments, expected);
    }
    rail.check("TRAVERSAL_TREE", r#""stop", "lines", "gone", "any", "next""#, "[]");
    let from_d = r#"["stop/d", ["depot/x"]]"#;
    let from_b = format!(r#"["stop/b", [["stop/c", [{from_d}]]]]"#);
    rail.check(
        "GRAPH_TRAVERSAL_TREE",
        r#""rail", ["stop/b", "stop/d"], "outbound", "next""#,
        &format!("[[[{from_b}]], [[{from_d}]]]"),
    );
}

#[test]
fn circles_end() {
    let rail = Rail::new();
    let all = r#"{"uniqueness": {"vertices": "none", "edges": "none"}"#;
    let count =
        |options: &str| rail.value("TRAVERSAL", &format!(r#""p", "ring", "1", "any", {options}"#)).len();
    assert_eq!(count("{}"), 3);
    assert_eq!(count(r#"{"uniqueness": {"vertices": "path", "edges": "none"}}"#), 5);
    let outbound =
        |options: &str| rail.call("TRAVERSAL", &format!(r#""p", "ring", "1", "outbound", {options}"#)).result;
    // The start, and one vertex for each step of 256.
    assert_eq!(outbound(&format!("{all}}}")).unwrap().len(), 257);
    assert_eq!(outbound(&format!(r#"{all}, "maxIterations": 100}}"#)).unwrap_err().number, 1909);
    rail.check(
        "GRAPH_TRAVERSAL",
        r#""round", "p/1", "outbound", {"visitor": "_AQL::KEYVISITOR"}"#,
        r#"[["1", "2", "3", "1"]]"#,
    );
    rail.check("GRAPH_NEIGHBORS", r#""round", "p/1", {"maxDepth": 1000000}"#, r#"["p/2", "p/3", "p/1"]"#);
    for (depth, is_too_deep) in [(247, false), (248, true), (100_000, true)] {
        let options = format!(r#"{all}, "maxDepth": {depth}}}"#);
        for (name, arguments) in
            [("TRAVERSAL_TREE", r#""p", "ring", "1""#), ("GRAPH_TRAVERSAL_TREE", r#""round", "p/1""#)]
        {
            let answer = rail.call(name, &format!(r#"{arguments}, "outbound", "next", {options}"#));
            assert_eq!(answer.result.is_err_and(|error| error.number == 1524), is_too_deep, "{name} {depth}");
        }
    }
}
