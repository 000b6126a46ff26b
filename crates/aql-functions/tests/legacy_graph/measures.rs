//! Paths, distances and what is computed from them.

use crate::rail::Rail;

#[test]
fn all_paths() {
    let rail = Rail::new();
    let count = |name: &str, arguments: &str| rail.value(name, arguments).len();
    // Of length 0: 4, from a: 5, from b: 2, from c: 1.
    assert_eq!(count("PATHS", r#""stop", "lines""#), 12);
    assert_eq!(count("PATHS", r#""stop", "lines", "outbound", {"maxLength": 0}"#), 4);
    let vertices = |name: &str, arguments: &str| {
        let keys = |path: &aql_value::Value| {
            path.get("vertices").elements().map(|vertex| vertex.get("_key").to_json()).collect::<String>()
        };
        let paths: Vec<String> = rail.value(name, arguments).elements().map(|path| keys(&path)).collect();
        paths.join(" ").replace('"', "")
    };
    assert_eq!(vertices("PATHS", r#""stop", "lines", "outbound", {"minLength": 2}"#), "abc abcd acd bcd");
    let inbound = r#""stop", "lines", "inbound", {"minLength": 1, "maxLength": 1}"#;
    assert_eq!(vertices("PATHS", inbound), "ba ca cb dc");
    assert_eq!(vertices("PATHS", r#""p", "ring", "outbound", {"minLength": 3}"#), "");
    let cycles = r#""p", "ring", "outbound", {"minLength": 3, "followcycles": true}"#;
    assert_eq!(vertices("PATHS", cycles), "1231 2312 3123");
    assert_eq!(vertices("GRAPH_PATHS", r#""rail", {"minLength": 4}"#), "abcdx");
    let two = r#""rail", {"direction": "any", "minLength": 1, "maxLength": 1}"#;
    assert_eq!(vertices("GRAPH_PATHS", two), "ab ac bc ba cd ca cb dc dx xd");
    rail.check(
        "GRAPH_PATHS",
        r#""rail", {"minLength": 3, "maxLength": 3, "direction": "inbound"}"#,
        r#"[{"vertices": ["stop/d", "stop/c", "stop/b", "stop/a"], "edges": ["lines/cd", "lines/bc", "lines/ab"],
             "source": "stop/d", "destination": "stop/a"},
            {"vertices": ["depot/x", "stop/d", "stop/c", "stop/a"], "edges": ["buses/dx", "lines/cd", "lines/ac"],
             "source": "depot/x", "destination": "stop/a"},
            {"vertices": ["depot/x", "stop/d", "stop/c", "stop/b"], "edges": ["buses/dx", "lines/cd", "lines/bc"],
             "source": "depot/x", "destination": "stop/b"}]"#,
    );
}

#[test]
fn shortest_paths() {
    let rail = Rail::new();
    let short = r#"[{"vertices": ["stop/a", "stop/c", "stop/d", "depot/x"],
        "edges": ["lines/ac", "lines/cd", "buses/dx"], "distance": 3}]"#;
    let light = r#"[{"vertices": ["stop/a", "stop/b", "stop/c", "stop/d", "depot/x"],
        "edges": ["lines/ab", "lines/bc", "lines/cd", "buses/dx"], "distance": 106}]"#;
    for (arguments, expected) in [
        (r#""rail", "stop/a", "depot/x", {"direction": "outbound"}"#, short),
        (r#""rail", "stop/a", "depot/x", {"includeData": true, "algorithm": "Floyd-Warshall"}"#, short),
        (r#""rail", "stop/a", "depot/x", {"weight": "km"}"#, short),
        (r#""rail", "stop/a", "depot/x", {"weight": "km", "defaultWeight": 100}"#, light),
        (r#""rail", "depot/x", "stop/a", {"direction": "outbound"}"#, "[]"),
        (r#""rail", "stop/a", "stop/a""#, "[]"),
        (r#""rail", "stop/none", "stop/a""#, "[]"),
        (
            r#""rail", "stop/a", "stop/c", {"edgeExamples": [{"kind": "slow"}], "edgeCollectionRestriction": "lines"}"#,
            r#"[{"vertices": ["stop/a", "stop/b", "stop/c"], "edges": ["lines/ab", "lines/bc"], "distance": 2}]"#,
        ),
    ] {
        rail.check("GRAPH_SHORTEST_PATH", arguments, expected);
    }
    let distance = |start: &str, end: &str, distance: u32| {
        format!(r#"{{"startVertex": "{start}", "vertex": "{end}", "distance": {distance}}}"#)
    };
    let from = |start: &str| {
        ["stop/c", "stop/d", "depot/x"]
            .iter()
            .zip(1..)
            .map(|(end, length)| distance(start, end, length))
            .collect()
    };
    let all: [Vec<String>; 2] = [from("stop/a"), from("stop/b")];
    let ends = r#""rail", {"zone": 1}, {"zone": 2}, {"direction": "outbound"}"#;
    rail.check("GRAPH_DISTANCE_TO", ends, &format!("[{}]", all.concat().join(",")));
    let first = [distance("stop/a", "stop/c", 1), distance("stop/b", "stop/c", 1)].join(",");
    let at_first = r#""rail", {"zone": 1}, {"zone": 2}, {"stopAtFirstMatch": true}"#;
    rail.check("GRAPH_DISTANCE_TO", at_first, &format!("[{first}]"));
    let restricted = r#""rail", {}, {}, {"startVertexCollectionRestriction": "depot", "weight": "km", "defaultWeight": 4,
        "endVertexCollectionRestriction": ["lost", "stop"]}"#;
    let found = ["stop/a", "stop/b", "stop/c", "stop/d"].into_iter().zip([10, 8, 5, 4]);
    let found: Vec<String> = found.map(|(end, length)| distance("depot/x", end, length)).collect();
    rail.check("GRAPH_DISTANCE_TO", restricted, &format!("[{}]", found.join(",")));
    let negative = r#""rail", "stop/a", "stop/d", {"weight": "minus", "defaultWeight": 1}"#;
    assert_eq!(rail.error("GRAPH_SHORTEST_PATH", negative), 1948);
}

#[test]
fn eccentricity_and_closeness() {
    let rail = Rail::new();
    for (name, arguments, expected) in [
        ("GRAPH_ABSOLUTE_ECCENTRICITY", r#""rail", "stop/a", {"direction": "outbound"}"#, r#"{"stop/a": 3}"#),
        // Nothing is known of the way to the depot.
        ("GRAPH_ABSOLUTE_ECCENTRICITY", r#""rail", "stop/a", {"weight": "km"}"#, r#"{"stop/a": 6}"#),
        (
            "GRAPH_ABSOLUTE_ECCENTRICITY",
            r#""rail", "stop/a", {"weight": "km", "defaultWeight": 4}"#,
            r#"{"stop/a": 10}"#,
        ),
        (
            "GRAPH_ABSOLUTE_ECCENTRICITY",
            r#""rail", {}, {"startVertexCollectionRestriction": ["stop", "lost"], "endVertexCollectionRestriction": "stop"}"#,
            r#"{"stop/a": 2, "stop/b": 2, "stop/c": 1, "stop/d": 2, "lost/z": 0}"#,
        ),
        (
            "GRAPH_ECCENTRICITY",
            r#""rail""#,
            r#"{"stop/a": 0.6666666666666666, "stop/b": 0.6666666666666666, "stop/c": 1, "stop/d": 1,
                "depot/x": 0.6666666666666666, "lost/z": 0}"#,
        ),
        ("GRAPH_RADIUS", r#""rail""#, "2"),
        ("GRAPH_DIAMETER", r#""rail""#, "3"),
        ("GRAPH_RADIUS", r#""rail", {"direction": "outbound"}"#, "1"),
        ("GRAPH_DIAMETER", r#""rail", {"direction": "outbound", "weight": "km"}"#, "6"),
        ("GRAPH_RADIUS", r#""star", {"edgeExamples": {"none": 1}}"#, "0"),
        ("GRAPH_ABSOLUTE_CLOSENESS", r#""rail", "stop/a", {"direction": "outbound"}"#, r#"{"stop/a": 7}"#),
        ("GRAPH_ABSOLUTE_CLOSENESS", r#""rail", "stop/a", {"weight": "km"}"#, r#"{"stop/a": 13}"#),
        (
            "GRAPH_ABSOLUTE_CLOSENESS",
            r#""rail", {}"#,
            r#"{"stop/a": 7, "stop/b": 7, "stop/c": 5, "stop/d": 6, "depot/x": 9, "lost/z": 0}"#,
        ),
    ] {
        rail.check(name, arguments, expected);
    }
    let closeness = rail.value("GRAPH_CLOSENESS", r#""rail""#);
    for (vertex, expected) in
        [("stop/a", 5.0 / 7.0), ("stop/c", 1.0), ("depot/x", 5.0 / 9.0), ("lost/z", 0.0)]
    {
        assert!((closeness.get(vertex).to_f64() - expected).abs() < 1e-12, "{vertex}");
    }
}

#[test]
fn betweenness() {
    let rail = Rail::new();
    for (name, arguments, [b, c, d]) in [
        ("GRAPH_ABSOLUTE_BETWEENNESS", r#""rail", {"direction": "outbound"}"#, [0.0, 4.0, 3.0]),
        ("GRAPH_ABSOLUTE_BETWEENNESS", r#""rail""#, [0.0, 8.0, 6.0]),
        ("GRAPH_BETWEENNESS", r#""rail""#, [0.0, 1.0, 0.75]),
        (
            "GRAPH_ABSOLUTE_BETWEENNESS",
            r#""rail", {"direction": "outbound", "weight": "km"}"#,
            [0.0, 4.0, 3.0],
        ),
        (
            "GRAPH_ABSOLUTE_BETWEENNESS",
            r#""rail", {"direction": "outbound", "weight": "km", "defaultWeight": 5}"#,
            [3.0, 4.0, 3.0],
        ),
        // From a to c and beyond there are two shortest paths, one of them by b.
        (
            "GRAPH_ABSOLUTE_BETWEENNESS",
            r#""rail", {"direction": "outbound", "weight": "tie", "defaultWeight": 1}"#,
            [1.5, 4.0, 3.0],
        ),
    ] {
        let found = rail.value(name, arguments);
        let expected =
            [("stop/a", 0.0), ("stop/b", b), ("stop/c", c), ("stop/d", d), ("depot/x", 0.0), ("lost/z", 0.0)];
        assert_eq!(found.len(), 6);
        for (vertex, expected) in expected {
            assert_eq!(found.get(vertex).as_f64(), Some(expected), "{name}({arguments}) of {vertex}");
        }
    }
}
