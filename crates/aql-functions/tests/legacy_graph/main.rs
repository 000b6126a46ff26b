//! The graph functions of ArangoDB 2.8, over a graph that is easily followed by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "what is wrong in a test ends it")]

#[path = "../common/mod.rs"]
mod common;
mod limits;
mod measures;
mod rail;
mod traversals;

use rail::Rail;

#[test]
fn edges_at_a_vertex() {
    let rail = Rail::new();
    for (arguments, expected) in [
        (r#""lines", "stop/a", "outbound""#, r#"["lines/ab", "lines/ac"]"#),
        (r#""lines", "stop/c", "INBOUND""#, r#"["lines/ac", "lines/bc"]"#),
        (r#""lines", "stop/b", "any""#, r#"["lines/bc", "lines/ab"]"#),
        (r#""lines", {"_id": "stop/b"}, null"#, r#"["lines/bc", "lines/ab"]"#),
        (r#""lines", "stop/gone", "any""#, "[]"),
        (r#""lines", "stop/a", "outbound", {"kind": "fast"}"#, r#"["lines/ac"]"#),
        (
            r#""lines", "stop/a", "outbound", [{"km": 2}, {"owner.name": "ann"}]"#,
            r#"["lines/ab", "lines/ac"]"#,
        ),
        (r#""lines", "stop/a", "outbound", {"km": 2, "kind": "fast"}"#, "[]"),
        (r#""lines", "stop/a", "outbound", ["lines/ab", {"km": 99}]"#, r#"["lines/ab"]"#),
        (r#""lines", "stop/a", "outbound", []"#, r#"["lines/ab", "lines/ac"]"#),
        (
            r#""lines", "stop/c", "any", null, {"includeVertices": true}"#,
            r#"[{"edge": "lines/cd", "vertex": "stop/d"}, {"edge": "lines/ac", "vertex": "stop/a"},
                {"edge": "lines/bc", "vertex": "stop/b"}]"#,
        ),
    ] {
        rail.check("EDGES", arguments, expected);
    }
}

#[test]
fn neighbors_of_a_vertex() {
    let rail = Rail::new();
    for (arguments, expected) in [
        (r#""stop", "lines", "a", "outbound""#, r#"["stop/b", "stop/c"]"#),
        (r#""stop", "lines", "stop/c", "any""#, r#"["stop/d", "stop/a", "stop/b"]"#),
        (r#""stop", "lines", "stop/c", "any", {"kind": "slow"}"#, r#"["stop/d", "stop/b"]"#),
        (r#""stop", "broken", "a", "outbound""#, r#"["stop/gone"]"#),
        (r#""stop", "broken", "a", "outbound", null, {"includeData": true}"#, "[null]"),
    ] {
        rail.check("NEIGHBORS", arguments, expected);
    }
    let data = rail.value("NEIGHBORS", r#""stop", "lines", "d", "any", null, {"includeData": true}"#);
    assert_eq!(data.at(0).get("zone").as_i64(), Some(2));
}

#[test]
fn vertices_of_a_graph() {
    let rail = Rail::new();
    for (arguments, expected) in [
        (r#""rail", {}"#, r#"["stop/a", "stop/b", "stop/c", "stop/d", "depot/x", "lost/z"]"#),
        (r#""rail", null, {"direction": "outbound"}"#, r#"["stop/a", "stop/b", "stop/c", "stop/d"]"#),
        (r#""rail", {}, {"direction": "inbound"}"#, r#"["stop/b", "stop/c", "stop/d", "depot/x"]"#),
        (r#""rail", {}, {"vertexCollectionRestriction": ["depot", "lost"]}"#, r#"["depot/x", "lost/z"]"#),
        (r#""rail", {}, {"vertexCollectionRestriction": "p"}"#, "[]"),
        (r#""rail", {"zone": 2}"#, r#"["stop/c", "stop/d", "depot/x"]"#),
        (r#""rail", [{"zone": 3}, {"big": false}]"#, r#"["stop/b", "lost/z"]"#),
        (r#""rail", {"size.w": 5}"#, r#"["depot/x"]"#),
        (r#""rail", "stop/b""#, r#"["stop/b"]"#),
        (r#""rail", "b""#, "[]"),
        (r#""rail", ["stop/b", "stop/no", "p/1"]"#, r#"["stop/b"]"#),
        (r#""rail", [{"_id": "stop/c", "zone": 2}, {"_id": "stop/d", "zone": 1}]"#, r#"["stop/c"]"#),
    ] {
        rail.check("GRAPH_VERTICES", arguments, expected);
    }
}

#[test]
fn edges_and_neighbors_within_a_depth() {
    let rail = Rail::new();
    for (name, arguments, expected) in [
        ("GRAPH_EDGES", r#""rail", "stop/a""#, r#"["lines/ab", "lines/ac"]"#),
        (
            "GRAPH_EDGES",
            r#""rail", "stop/a", {"direction": "outbound", "maxDepth": 2}"#,
            r#"["lines/ab", "lines/bc", "lines/ac", "lines/cd"]"#,
        ),
        (
            "GRAPH_EDGES",
            r#""rail", "stop/a", {"direction": "outbound", "minDepth": 3, "maxDepth": 3, "includeData": true}"#,
            r#"["lines/cd", "buses/dx"]"#,
        ),
        (
            "GRAPH_EDGES",
            r#""rail", "stop/a", {"edgeExamples": {"kind": "slow"}, "maxDepth": 2}"#,
            r#"["lines/ab", "lines/bc"]"#,
        ),
        ("GRAPH_EDGES", r#""rail", {}, {"edgeCollectionRestriction": "buses"}"#, r#"["buses/dx"]"#),
        ("GRAPH_EDGES", r#""rail", {}, {"startVertexCollectionRestriction": "depot"}"#, r#"["buses/dx"]"#),
        (
            "GRAPH_EDGES",
            r#""rail", "stop/a", {"endVertexCollectionRestriction": ["depot"], "maxDepth": 4}"#,
            r#"["buses/dx"]"#,
        ),
        (
            "GRAPH_NEIGHBORS",
            r#""rail", "stop/a", {"direction": "outbound", "maxDepth": 2}"#,
            r#"["stop/b", "stop/c", "stop/d"]"#,
        ),
        (
            "GRAPH_NEIGHBORS",
            r#""rail", "stop/a", {"direction": "outbound", "minDepth": 2, "maxDepth": 2, "includeData": true}"#,
            r#"["stop/c", "stop/d"]"#,
        ),
        ("GRAPH_NEIGHBORS", r#""rail", "stop/a", {"neighborExamples": {"zone": 1}}"#, r#"["stop/b"]"#),
        ("GRAPH_NEIGHBORS", r#""rail", {"zone": 1}"#, r#"["stop/b", "stop/c", "stop/a"]"#),
        (
            "GRAPH_NEIGHBORS",
            r#""rail", "stop/a", {"vertexCollectionRestriction": "depot", "maxDepth": 3}"#,
            r#"["depot/x"]"#,
        ),
    ] {
        rail.check(name, arguments, expected);
    }
}

#[test]
fn what_vertices_have_in_common() {
    let rail = Rail::new();
    let common = r#"[{"left": "stop/a", "right": "stop/b", "neighbors": ["stop/c"]}]"#;
    for (arguments, expected) in [
        (r#""rail", "stop/a", ["stop/b", "depot/x"]"#, common),
        (r#""rail", "stop/a", "stop/b", {"includeData": true, "direction": "outbound"}"#, common),
        (r#""rail", "stop/a", "stop/b", {}, {"direction": "inbound"}"#, "[]"),
        (r#""rail", "stop/a", "stop/a""#, "[]"),
    ] {
        rail.check("GRAPH_COMMON_NEIGHBORS", arguments, expected);
    }
    for (arguments, expected) in [
        (
            r#""rail", "stop/a", {}"#,
            r#"[{"stop/a": [{"_id": "stop/b", "zone": 1}, {"_id": "stop/c", "big": true}]}]"#,
        ),
        // Both zones are 2, but that does not count.
        (
            r#""rail", "stop/c", {}, {"ignoreProperties": "zone"}"#,
            r#"[{"stop/c": [{"_id": "stop/a", "big": true}]}]"#,
        ),
        (
            r#""rail", {}, "stop/d", {"ignoreProperties": ["big"], "vertex1CollectionRestriction": "stop"}"#,
            r#"[{"stop/c": [{"_id": "stop/d", "zone": 2}]}]"#,
        ),
        (r#""rail", "stop/a", {}, {"vertex2CollectionRestriction": "depot"}"#, "[]"),
    ] {
        let found = rail.value("GRAPH_COMMON_PROPERTIES", arguments);
        assert!(found.equal(&common::parse(expected)), "{arguments}: {}", found.to_json());
    }
}
