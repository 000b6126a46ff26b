//! Graph queries over more data than golden files have: long lists of edges, indexes of vertices,
//! limits.

use std::time::{Duration, Instant};

use crate::common::{Fixture, Run};

/// Creates a vertex `v/hub` with edges to `v/0`, `v/1` and so on, each with an edge to `v/end`.
fn hub(spokes: usize) -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("v").edge_collection("e");
    fixture.insert("v", r#"[{"_key":"hub"},{"_key":"end"}]"#);
    for first in (0..spokes).step_by(500) {
        let numbers = first..spokes.min(first + 500);
        let vertices: Vec<_> = numbers.clone().map(|n| format!(r#"{{"_key":"{n}","n":{n}}}"#)).collect();
        let edges: Vec<_> = numbers
            .flat_map(|n| {
                let kind = n % 10;
                [
                    format!(r#"{{"_key":"a{n:05}","_from":"v/hub","_to":"v/{n}","kind":{kind}}}"#),
                    format!(r#"{{"_key":"b{n:05}","_from":"v/{n}","_to":"v/end","kind":{kind}}}"#),
                ]
            })
            .collect();
        fixture.insert("v", &format!("[{}]", vertices.join(",")));
        fixture.insert("e", &format!("[{}]", edges.join(",")));
    }
    fixture
}

/// Creates `v/0` to `v/(count - 1)`, with edges from each to each.
fn complete(count: usize) -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("v").edge_collection("e");
    let vertices: Vec<_> = (0..count).map(|n| format!(r#"{{"_key":"{n}"}}"#)).collect();
    fixture.insert("v", &format!("[{}]", vertices.join(",")));
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    let edges: Vec<_> = pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| {
            format!(r#"{{"_key":"{from}-{to}","_from":"v/{from}","_to":"v/{to}","w":{}}}"#, from + to)
        })
        .collect();
    fixture.insert("e", &format!("[{}]", edges.join(",")));
    fixture
}

#[test]
fn long_lists_of_edges_are_read_in_parts() {
    let fixture = hub(5000);
    let mut numbers: Vec<String> = (0..5000).map(|n| n.to_string()).collect();
    assert_eq!(fixture.query("FOR v IN 1..1 OUTBOUND 'v/hub' e OPTIONS {order: 'bfs'} RETURN v.n"), numbers);
    // Depth first, each part is followed from its last edge on.
    numbers.chunks_mut(1000).for_each(<[String]>::reverse);
    assert_eq!(fixture.query("FOR v IN 1..1 OUTBOUND 'v/hub' e RETURN v.n"), numbers);
    assert_eq!(fixture.one("FOR v IN 2 OUTBOUND 'v/hub' e COLLECT WITH COUNT INTO n RETURN n"), "5000");
    let global = "OPTIONS {order: 'bfs', uniqueVertices: 'global'}";
    let count = format!("RETURN LENGTH(FOR v IN 1..3 ANY 'v/hub' e {global} RETURN 1)");
    assert_eq!(fixture.one(&count), "5001");
    // Finished steps are dropped, but the data of their edges must remain.
    let edges = format!(
        "FOR v, e IN 2 ANY 'v/hub' e {global} COLLECT from = e._from WITH COUNT INTO n RETURN [from, n]"
    );
    assert_eq!(fixture.query(&edges), [r#"["v/0",1]"#]);
    let far = format!("FOR v, e IN 1..4 ANY 'v/0' e {global} FILTER e._from == null RETURN v");
    assert_eq!(fixture.query(&far), [""; 0]);
    let paths = "RETURN LENGTH(FOR p IN OUTBOUND ALL_SHORTEST_PATHS 'v/hub' TO 'v/end' e RETURN 1)";
    assert_eq!(fixture.one(paths), "5000");
    let path = "FOR x IN OUTBOUND SHORTEST_PATH 'v/hub' TO 'v/end' e COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(fixture.one(path), "3");
    // A small request must read little.
    let answer =
        fixture.run("FOR v IN 1..2 OUTBOUND 'v/hub' e LIMIT 3 RETURN v._key", &Run::default()).unwrap();
    assert_eq!(answer.results, [r#""999""#, r#""end""#, r#""998""#]);
    assert!(answer.statistics.scanned_index <= 1003, "{}", answer.statistics.scanned_index);
}

#[test]
fn nothing_is_fetched_that_nobody_reads() {
    let fixture = hub(100);
    let statistics = |query: &str| fixture.run(query, &Run::default()).unwrap().statistics;
    assert_eq!(
        statistics("FOR v IN 1..2 OUTBOUND 'v/hub' e COLLECT WITH COUNT INTO n RETURN n").document_lookups,
        0
    );
    assert_eq!(statistics("FOR v, e IN 1..2 OUTBOUND 'v/hub' e RETURN 1").document_lookups, 0);
    assert_eq!(statistics("FOR v IN 2 OUTBOUND 'v/hub' e RETURN v._key").document_lookups, 1);
}

#[test]
fn indexes_of_vertices_and_attributes_find_the_same_edges() {
    let queries = [
        "FOR v, e, p IN 1..2 OUTBOUND 'v/hub' e FILTER p.edges[0].kind == 3 RETURN [v._key, e._key]",
        "FOR v, e, p IN 1..2 OUTBOUND 'v/hub' e FILTER p.edges[*].kind ALL == 3 RETURN [v._key, e._key]",
        "FOR k IN [3, 4] FOR v, e, p IN 2 OUTBOUND 'v/hub' e FILTER p.edges[0].kind == k RETURN [k, e._key]",
        "FOR v, e, p IN 2 INBOUND 'v/end' e FILTER p.edges[1].kind == 3 RETURN [v._key, e._key]",
        "FOR v, e, p IN 1..1 OUTBOUND 'v/hub' e FILTER e.kind == 3 RETURN p.edges[*]._key",
        "FOR v, e, p IN 1..2 ANY 'v/0' e FILTER p.edges[0].kind IN [0, 7] RETURN p.edges[*]._key",
    ];
    let without = hub(1500);
    let expected: Vec<_> = queries.iter().map(|query| without.query_unordered(query)).collect();
    let with = hub(1500);
    with.index("e", r#"{"type":"persistent","fields":["_from","kind"]}"#);
    with.index("e", r#"{"type":"persistent","fields":["_to","kind"]}"#);
    for (query, expected) in queries.iter().zip(expected) {
        assert_eq!(with.query_unordered(query), expected, "{query}");
    }
}

#[test]
fn memory_is_limited() {
    let fixture = complete(40);
    let queries = [
        "FOR v IN 1..9 OUTBOUND 'v/0' e OPTIONS {order: 'bfs', uniqueVertices: 'path'} FILTER v._key == 'x' RETURN v",
        "FOR v IN 1..9 OUTBOUND 'v/0' e OPTIONS {order: 'weighted', weightAttribute: 'w'} LIMIT 1000000, 1 RETURN v",
        "FOR p IN OUTBOUND K_SHORTEST_PATHS 'v/0' TO 'v/1' e LIMIT 100000, 1 RETURN p",
    ];
    for query in queries {
        let run = Run { memory_limit_bytes: Some(8 << 20), ..Run::default() };
        assert_eq!(fixture.run(query, &run).unwrap_err().number(), 32, "{query}");
    }
    // Depth first keeps little.
    let run = Run { memory_limit_bytes: Some(8 << 20), ..Run::default() };
    let query = "FOR v IN 1..3 OUTBOUND 'v/0' e COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(fixture.run(query, &run).unwrap().results, ["60840"]);
}

#[test]
fn endless_searches_can_be_ended() {
    let fixture = complete(30);
    let queries = [
        "FOR v IN 1..29 OUTBOUND 'v/0' e OPTIONS {uniqueVertices: 'path'} COLLECT WITH COUNT INTO n RETURN n",
        "FOR v IN 29 OUTBOUND 'v/0' e FILTER v._key == 'x' RETURN v",
        "FOR v, e, p IN 1..29 OUTBOUND 'v/0' e PRUNE v._key == 'x' FILTER v._key == 'x' RETURN v",
        "FOR p IN 25..29 OUTBOUND K_PATHS 'v/0' TO 'v/1' e COLLECT WITH COUNT INTO n RETURN n",
    ];
    for query in queries {
        let run = Run::default();
        let interrupt = run.interrupt.clone();
        let killer = std::thread::spawn(move || {
            // The query is killed in the middle of its work, wherever that is.
            std::thread::sleep(Duration::from_millis(200));
            interrupt.kill();
            Instant::now()
        });
        let error = fixture.run(query, &run).unwrap_err();
        let ended = Instant::now();
        assert_eq!(error.number(), 1500, "{query}");
        // The queries would run for hours. Test machines are busy.
        let late = ended.saturating_duration_since(killer.join().unwrap());
        assert!(late < Duration::from_secs(20), "{query}: {late:?}");
    }
}
