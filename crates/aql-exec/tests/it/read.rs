//! Queries that read: loops, filters, subqueries, sorting, limits.

use std::time::{Duration, Instant};

use crate::common::{self, Fixture, Run, value};

/// Creates collection `n` with documents 0 to 99 (`v`, `mod` of 7, `text`), index on `mod` and `v`.
fn numbers() -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("n").index("n", r#"{"type":"persistent","fields":["mod","v"]}"#);
    let documents: Vec<String> = (0..100)
        .map(|v| {
            format!(
                r#"{{"_key":"k{v:03}","v":{v},"mod":{},"text":"a text that is longer than inline, {v}"}}"#,
                v % 7
            )
        })
        .collect();
    fixture.insert("n", &format!("[{}]", documents.join(",")));
    fixture
}

#[test]
fn expressions_without_data() {
    let fixture = Fixture::new();
    assert_eq!(fixture.one("RETURN 1 + 2"), "3");
    assert_eq!(
        fixture.one("RETURN {a: [1, {b: 'x'}], [CONCAT('c', 1)]: null}"),
        r#"{"a":[1,{"b":"x"}],"c1":null}"#
    );
    assert_eq!(
        fixture.one("LET a = [1,2,3,4] RETURN a[* FILTER CURRENT > 1 LIMIT 1, 2 RETURN CURRENT * 10]"),
        "[30,40]"
    );
    assert_eq!(fixture.one("LET a = 5 RETURN (a > 3 AND a < 10) ? 'in' : 'out'"), r#""in""#);
    assert_eq!(
        fixture.one("RETURN [CURRENT_DATABASE(), CURRENT_USER(), VERSION(), DATE_NOW()]"),
        r#"["_system","root","3.12.0",1700000000000]"#
    );
}

#[test]
fn loops_over_arrays() {
    let fixture = Fixture::new();
    assert_eq!(fixture.query("FOR x IN [1, 'a', null, [2]] RETURN x"), ["1", r#""a""#, "null", "[2]"]);
    assert_eq!(
        fixture.query("FOR x IN [1, 2, 3] FOR y IN x..3 FILTER x != y RETURN [x, y]"),
        ["[1,2]", "[1,3]", "[2,3]"]
    );
    assert_eq!(fixture.query("FOR x IN [] RETURN x"), [""; 0]);
    assert_eq!(fixture.query("FOR x IN [[2, 3], []] FOR y IN x RETURN y"), ["2", "3"]);
    let run = Run::default();
    assert_eq!(fixture.run("FOR x IN [[2, 3], null] FOR y IN x RETURN y", &run).unwrap_err().number(), 1563);
}

#[test]
fn a_range_is_never_written_out_for_a_loop() {
    let fixture = Fixture::new();
    let start = Instant::now();
    assert_eq!(fixture.query("FOR i IN 1..1000000000 LIMIT 3 RETURN i"), ["1", "2", "3"]);
    assert_eq!(fixture.query("FOR i IN 5..1000000000 FILTER i > 7 LIMIT 1 RETURN i"), ["8"]);
    assert_eq!(fixture.query("FOR i IN 3..1 RETURN i"), ["3", "2", "1"]);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(fixture.error("LET r = NOOPT(1)..1000000000 RETURN LENGTH(r)"), 1504);
}

#[test]
fn scans_of_collections() {
    let fixture = numbers();
    assert_eq!(fixture.query_unordered("FOR d IN n RETURN d.v").len(), 100);
    assert_eq!(
        fixture.query("FOR d IN n FILTER d.v >= 98 SORT d.v RETURN d._id"),
        [r#""n/k098""#, r#""n/k099""#]
    );
    assert_eq!(fixture.query("FOR d IN n FILTER d.text LIKE '%, 42' RETURN d.v"), ["42"]);
    assert_eq!(
        fixture.query("FOR d IN n LIMIT 2 RETURN KEEP(d, '_key', '_id', 'v')"),
        [r#"{"_key":"k000","_id":"n/k000","v":0}"#, r#"{"_key":"k001","_id":"n/k001","v":1}"#,]
    );
    assert_eq!(fixture.one("RETURN LENGTH(n)"), "100");
    assert_eq!(fixture.one("RETURN COUNT(FOR d IN n FILTER d.v < 10 RETURN d)"), "10");
    assert_eq!(fixture.one("FOR d IN n COLLECT WITH COUNT INTO c RETURN c"), "100");
    assert_eq!(
        fixture.query("FOR a IN 1..2 FOR d IN n FILTER d.v == a * 10 RETURN [a, d.v]"),
        ["[1,10]", "[2,20]"]
    );
}

#[test]
fn a_document_at_random() {
    let fixture = numbers();
    let seen: std::collections::HashSet<String> = (0..3)
        .flat_map(|_| {
            fixture.run("FOR d IN n SORT RAND() LIMIT 1 RETURN d.v", &Run::default()).unwrap().results
        })
        .collect();
    assert!(!seen.is_empty());
}

#[test]
fn index_scans() {
    let fixture = numbers();
    for query in [
        "FOR d IN n FILTER d.mod == 3 SORT d.v RETURN d.v",
        "FOR d IN n FILTER d.mod == 3 AND d.v > 10 AND d.v <= 40 SORT d.v RETURN d.v",
        "FOR d IN n FILTER d.mod IN [5, 3, 5, 'x'] AND d.v < 20 SORT d.v RETURN [d.mod, d.v]",
        "FOR d IN n FILTER d.mod == 1 OR d.mod == 2 SORT d.mod, d.v DESC RETURN [d.mod, d.v]",
        "FOR d IN n FILTER d.mod == 1 OR (d.mod == 1 AND d.v > 50) OR d.mod > 5 SORT d.v RETURN d.v",
        "FOR d IN n SORT d.mod, d.v LIMIT 5 RETURN d.v",
        "FOR d IN n SORT d.mod DESC, d.v DESC LIMIT 3, 5 RETURN d.text",
        "FOR d IN n FILTER d._key == 'k007' RETURN d.v",
        "FOR d IN n FILTER d._key IN ['k003', 'k001', 'nope', 3, 'k003'] SORT d.v RETURN d.v",
        "FOR d IN n FILTER d._id == 'n/k050' OR d._id == 'other/k051' RETURN d.v",
        "FOR k IN ['k001', 'k999', 'k002'] FOR d IN n FILTER d._key == k RETURN d.v",
        "FOR m IN [6, 0, 9] FOR d IN n FILTER d.mod == m AND d.v < 10 SORT m, d.v RETURN [m, d.v]",
        "FOR a IN n FILTER a.v < 5 FOR b IN n FILTER b.mod == a.mod AND b.v == a.v + 7 SORT a.v RETURN [a.v, b.v]",
        "FOR d IN n FILTER d.mod == 9 RETURN d",
    ] {
        fixture.query(query);
    }
    let found = fixture.query("FOR d IN n FILTER d.mod IN [5, 3] AND d.v < 20 SORT d.v RETURN d.v");
    assert_eq!(found, ["3", "5", "10", "12", "17", "19"]);
    assert_eq!(
        fixture.query("FOR k IN ['k001', 'k999', 'k002'] FOR d IN n FILTER d._key == k RETURN d.v"),
        ["1", "2"]
    );
}

#[test]
fn statistics_of_scans() {
    let fixture = numbers();
    let statistics = |query: &str| fixture.run(query, &Run::default()).unwrap().statistics;
    let full = statistics("FOR d IN n FILTER d.text == 'x' RETURN d");
    assert_eq!((full.scanned_full, full.scanned_index, full.filtered), (100, 0, 100));
    let index = statistics("FOR d IN n FILTER d.mod == 3 RETURN d.text");
    assert_eq!(
        (index.scanned_full, index.scanned_index, index.document_lookups, index.cursors_created),
        (0, 14, 14, 1)
    );
    let covered = statistics("FOR d IN n FILTER d.mod == 3 RETURN d.v");
    assert_eq!((covered.scanned_index, covered.document_lookups), (14, 0));
    let primary = statistics("FOR d IN n FILTER d._key == 'k001' RETURN d");
    assert_eq!((primary.scanned_full, primary.scanned_index), (0, 1));
    // Few rows are requested, so few are read.
    assert!(statistics("FOR d IN n LIMIT 3 RETURN d").scanned_full <= 3);
    assert!(statistics("FOR d IN n FILTER d.mod == 3 LIMIT 2 RETURN d").scanned_index <= 2);
}

#[test]
fn indexes_over_members_of_arrays() {
    let fixture = Fixture::new();
    fixture.collection("c").index("c", r#"{"type":"persistent","fields":["tags[*]"]}"#);
    fixture.insert("c", r#"[{"_key":"1","tags":["a","b"]},{"_key":"2","tags":["b","b","c"]},{"_key":"3","tags":"b"},{"_key":"4"}]"#);
    assert_eq!(
        fixture.query("FOR d IN c FILTER 'b' IN d.tags SORT d._key RETURN d._key"),
        [r#""1""#, r#""2""#]
    );
    assert_eq!(
        fixture.query("FOR d IN c FILTER 'b' IN d.tags[*] OR 'a' IN d.tags[*] SORT d._key RETURN d._key"),
        [r#""1""#, r#""2""#]
    );
}

#[test]
fn edges_are_found_from_both_ends() {
    let fixture = Fixture::new();
    fixture.edge_collection("e");
    fixture.insert(
        "e",
        r#"[{"_key":"1","_from":"v/a","_to":"v/b","w":1},{"_key":"2","_from":"v/a","_to":"v/c","w":2},{"_key":"3","_from":"v/b","_to":"v/a","w":3}]"#,
    );
    assert_eq!(
        fixture.query("FOR x IN e FILTER x._from == 'v/a' SORT x.w RETURN x._to"),
        [r#""v/b""#, r#""v/c""#]
    );
    assert_eq!(
        fixture.query("FOR x IN e FILTER x._to IN ['v/a', 'v/b', null] SORT x.w RETURN x.w"),
        ["1", "3"]
    );
    assert_eq!(fixture.query("FOR v IN ['v/b', 'v/z', 'v/a'] FOR x IN e FILTER x._from == v SORT x.w RETURN [v, x._from, x._to]").len(), 3);
    let statistics =
        fixture.run("FOR x IN e FILTER x._from == 'v/a' RETURN x._to", &Run::default()).unwrap().statistics;
    assert_eq!((statistics.scanned_index, statistics.scanned_full), (2, 0));
}

#[test]
fn subqueries() {
    let fixture = numbers();
    assert_eq!(
        fixture.query(
            "FOR m IN 0..2 LET vs = (FOR d IN n FILTER d.mod == m AND d.v < 20 SORT d.v RETURN d.v) RETURN vs"
        ),
        ["[0,7,14]", "[1,8,15]", "[2,9,16]"]
    );
    assert_eq!(
        fixture.query("FOR m IN [1, 100, 2] LET vs = (FOR d IN n FILTER d.mod == m AND d.v < 10 RETURN d.v) RETURN LENGTH(vs)"),
        ["2", "0", "2"]
    );
    assert_eq!(
        fixture.query("FOR m IN 1..3 LET x = FIRST(FOR d IN n FILTER d.mod == m SORT d.v DESC LIMIT 1 RETURN d) RETURN x.v"),
        ["99", "93", "94"]
    );
    assert_eq!(
        fixture
            .query("FOR x IN 1..3 RETURN (FOR y IN 1..x RETURN (FOR z IN 1..y FILTER z != 2 RETURN [x, z]))"),
        ["[[[1,1]]]", "[[[2,1]],[[2,1]]]", "[[[3,1]],[[3,1]],[[3,1],[3,3]]]"]
    );
    assert_eq!(fixture.one("LET vs = (FOR d IN n RETURN d.v) RETURN SUM(vs)"), "4950");
    assert_eq!(
        fixture.query("FOR i IN 1..3 LET s = (FOR j IN [1, 2] RETURN j) RETURN s"),
        ["[1,2]", "[1,2]", "[1,2]"]
    );
}

#[test]
fn subqueries_run_only_where_they_are_needed() {
    let fixture = Fixture::new();
    let query = "FOR i IN 1..3 RETURN i == 2 ? (FOR x IN [1] FILTER ASSERT(i == 2, 'ran') RETURN x) : 'no'";
    assert_eq!(fixture.query(query), [r#""no""#, "[1]", r#""no""#]);
}

#[test]
fn sorting() {
    let fixture = numbers();
    assert_eq!(
        fixture.query("FOR x IN [3, 'b', null, [1], {a: 1}, 'a', true, -1.5, false] SORT x RETURN x"),
        ["null", "false", "true", "-1.5", "3", r#""a""#, r#""b""#, "[1]", r#"{"a":1}"#]
    );
    assert_eq!(fixture.query("FOR x IN ['b', 'A', 'a', 'B', 'ä'] SORT x DESC RETURN x").len(), 5);
    assert_eq!(fixture.query("FOR d IN n SORT d.mod DESC, d.v LIMIT 3 RETURN d.v"), ["6", "13", "20"]);
    assert_eq!(fixture.query("FOR d IN n SORT d.text DESC LIMIT 98, 5 RETURN d.v").len(), 2);
    // Equal rows keep their order.
    assert_eq!(
        fixture.query("FOR x IN [[2,'a'],[1,'b'],[2,'c'],[1,'d']] SORT x[0] RETURN x[1]"),
        [r#""b""#, r#""d""#, r#""a""#, r#""c""#]
    );
    assert_eq!(fixture.query("FOR i IN 1..20000 SORT (i * 7919) % 20000 DESC, i LIMIT 3 RETURN i").len(), 3);
    assert_eq!(
        fixture.query("FOR i IN 1..20000 SORT (i * 7919) % 19997 DESC LIMIT 3 RETURN (i * 7919) % 19997"),
        ["19996", "19995", "19994"]
    );
}

#[test]
fn limits_and_full_count() {
    let fixture = numbers();
    assert_eq!(fixture.query("FOR i IN 1..10 LIMIT 2, 3 RETURN i"), ["3", "4", "5"]);
    assert_eq!(fixture.query("FOR i IN 1..10 LIMIT 20, 3 RETURN i"), [""; 0]);
    assert_eq!(fixture.query("FOR i IN 1..10 LIMIT 0 RETURN i"), [""; 0]);
    for batch_rows in [1, 2, 1024] {
        for (query, results, count) in [
            ("FOR d IN n FILTER d.v < 50 LIMIT 10, 5 RETURN d.v", 5, 50),
            ("FOR d IN n LIMIT 0 RETURN d", 0, 100),
            ("FOR d IN n LIMIT 1000, 5 RETURN d", 0, 100),
            ("FOR d IN n SORT d.text LIMIT 90, 20 RETURN d", 10, 100),
            ("FOR d IN n SORT d.mod LIMIT 2 RETURN d", 2, 100),
        ] {
            let answer = fixture.run(query, &Run { full_count: true, batch_rows, ..Run::default() }).unwrap();
            assert_eq!(
                (answer.results.len(), answer.statistics.full_count),
                (results, Some(count)),
                "{query}"
            );
        }
    }
}

#[test]
fn bind_parameters_and_documents_by_function() {
    let fixture = numbers();
    let run = Run { bind: value(r#"{"@c":"n","k":"k010","keys":["k001","nope","k002"]}"#), ..Run::default() };
    assert_eq!(
        fixture.query_with("FOR d IN @@c FILTER d._key == @k FILTER LENGTH(@keys) == 3 RETURN d.v", &run),
        ["10"]
    );
    assert_eq!(fixture.one("RETURN DOCUMENT('n/k010').v"), "10");
    assert_eq!(fixture.one("RETURN DOCUMENT(n, ['k001', 'nope', 'n/k002'])[*].v"), "[1,2]");
    assert_eq!(fixture.one("RETURN COLLECTION_COUNT('n')"), "100");
}

#[test]
fn a_killed_query_ends_wherever_it_is() {
    let fixture = numbers();
    for query in [
        "FOR a IN 1..1000000000 FILTER a < 0 RETURN a",
        "FOR a IN 1..1000000000 COLLECT WITH COUNT INTO c RETURN c",
        "FOR a IN 1..1000000000 COLLECT b = a % 10 INTO g RETURN b",
        "FOR a IN 1..1000000000 SORT -a LIMIT 1 RETURN a",
        "FOR a IN n FOR b IN n FOR c IN n FOR d IN n FILTER a.v + b.v + c.v + d.v < 0 RETURN a",
        "FOR a IN 1..1000000000 LET s = (FOR d IN n FILTER d.mod == a RETURN d) FILTER LENGTH(s) > 100 RETURN a",
        "LET a = (FOR x IN 1..1000000000 FILTER x < 0 RETURN x) RETURN a",
        "FOR a IN 1..1000000000 LIMIT 999999999, 1 RETURN a",
    ] {
        let start = Instant::now();
        let interrupt = aql_value::Interrupt::with_max_runtime(Duration::from_millis(30));
        let error = fixture.run(query, &Run { interrupt, ..Run::default() }).unwrap_err();
        assert_eq!(error.number(), 1500, "{query}");
        // The queries would run for minutes. Test machines are busy.
        assert!(start.elapsed() < Duration::from_secs(10), "{query} took {:?}", start.elapsed());
    }
}

#[test]
fn memory_is_limited_and_released() {
    let fixture = numbers();
    let run = Run { memory_limit_bytes: Some(1 << 20), ..Run::default() };
    for query in [
        "FOR a IN 1..1000000 SORT a DESC RETURN a",
        "FOR a IN 1..1000000 COLLECT b = a RETURN b",
        "FOR a IN 1..1000000 COLLECT b = a % 2 INTO g RETURN g",
        "FOR a IN 1..1000000 COLLECT AGGREGATE u = UNIQUE(a) RETURN LENGTH(u)",
        "FOR a IN 1..1000000 RETURN DISTINCT a",
        "LET a = (FOR b IN 1..1000000 RETURN b) RETURN a",
    ] {
        let error = fixture.run(query, &run).expect_err(query);
        assert_eq!(error.number(), 32, "{query}");
    }
    for query in [
        "FOR a IN 1..1000000 SORT a DESC LIMIT 10 RETURN a",
        "FOR a IN 1..1000000 COLLECT b = a % 10 WITH COUNT INTO c RETURN c",
        "FOR a IN 1..300000 LET b = (FOR x IN 1..3 RETURN a) COLLECT WITH COUNT INTO c RETURN c",
    ] {
        let answer = fixture.run(query, &run).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert!(answer.statistics.peak_memory_bytes <= 1 << 20);
    }
}

#[test]
fn nodes_are_measured_when_asked() {
    let fixture = numbers();
    let run = Run { profile: true, ..Run::default() };
    let answer = fixture.run("FOR d IN n FILTER d.text != 'x' SORT d.text LIMIT 10 RETURN d", &run).unwrap();
    let nodes = answer.statistics.nodes;
    assert!(nodes.len() >= 4 && nodes.is_sorted_by_key(|node| node.id));
    assert!(nodes.iter().all(|node| node.calls > 0 && node.runtime >= node.fetching));
    assert!(nodes.iter().any(|node| node.items == 100) && nodes.iter().any(|node| node.items == 10));
}

/// Runs a query without optimizer rules on a thread whose stack has the usual size.
fn run_on_small_stack(query: &str) -> errors::Result<Vec<String>> {
    run_with_rules(query, &["-all"])
}

fn run_with_rules(query: &str, rules: &'static [&'static str]) -> errors::Result<Vec<String>> {
    let run = move || Run { rules, ..Run::default() };
    let query = query.to_owned();
    // Planning has its own limits.
    let planning = std::thread::Builder::new().stack_size(256 << 20);
    let plan = planning.spawn(move || Fixture::new().plan(&query, &run())).unwrap().join().unwrap()?;
    let running = std::thread::Builder::new().stack_size(2 << 20);
    let results = running.spawn(move || {
        let data = aql_exec::DataAccess::Read(Fixture::new().store.snapshot().unwrap());
        let mut execution = common::start(&std::sync::Arc::new(plan), data, &run())?;
        let mut results = Vec::new();
        while let Some(batch) = execution.next_batch(10)? {
            results.extend(batch.iter().map(aql_value::Value::to_json));
        }
        Ok(results)
    });
    results.unwrap().join().unwrap()
}

#[test]
fn deep_queries_do_not_exhaust_the_stack() {
    let chain = (1..1900).map(|i| format!("LET x{i} = x{} + 1 ", i - 1)).collect::<String>();
    assert_eq!(run_on_small_stack(&format!("LET x0 = NOOPT(1) {chain} RETURN x1899")).unwrap(), ["1900"]);
    let loops =
        |count: usize| (0..count).map(|i| format!("FOR x{i} IN [{i}] ")).collect::<String>() + "RETURN x0";
    // Each list is a calculation before its loop.
    assert_eq!(run_on_small_stack(&loops(490)).unwrap(), ["0"]);
    assert_eq!(run_on_small_stack(&loops(1900)).unwrap_err().number(), 32);
    // The optimizer moves the lists out of the way.
    assert_eq!(run_with_rules(&loops(1000), &[]).unwrap(), ["0"]);
    let nested = |count: usize| {
        (0..count).fold("RETURN 1".to_owned(), |query, i| {
            format!("FOR x{i} IN 1..2 LET y{i} = ({query}) LIMIT 1 RETURN y{i}")
        })
    };
    assert_eq!(
        run_on_small_stack(&nested(100)).unwrap(),
        [format!("{}1{}", "[".repeat(100), "]".repeat(100))]
    );
    assert!(run_on_small_stack(&nested(240)).is_err());
}
