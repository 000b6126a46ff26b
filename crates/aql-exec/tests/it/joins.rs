//! Merge joins over two indexes.

use aql_exec::ExecutionStatistics;

use crate::common::{Fixture, Run};

/// Creates three collections whose attributes `x` have values in common, some often.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    for (name, count, step) in [("a", 900, 2), ("b", 1500, 3), ("c", 60, 7)] {
        fixture.collection(name);
        let documents: Vec<String> = (0..count)
            .map(|n: u64| {
                let x = match n % 10 {
                    0 => "7".to_owned(),
                    1 => format!("\"t{}\"", n * step % 40),
                    2 => "null".to_owned(),
                    _ => (n * step % 1000).to_string(),
                };
                format!(r#"{{"_key":"{name}{n}","x":{x},"y":{},"z":"{name} is long enough {n}"}}"#, n % 5)
            })
            .collect();
        fixture.insert(name, &format!("[{}]", documents.join(",")));
        fixture.index(name, r#"{"type":"persistent","fields":["x"],"storedValues":["y"]}"#);
        fixture.index(name, r#"{"type":"persistent","fields":["y","x"]}"#);
    }
    fixture
}

#[test]
fn a_join_of_indexes_finds_what_nested_loops_find() {
    let fixture = fixture();
    let mut joins = 0;
    for query in [
        "FOR a IN a FOR b IN b FILTER a.x == b.x RETURN [a.x, b.z]",
        "FOR a IN a FOR b IN b FILTER a.x == b.x RETURN [a.y, b._key]",
        "FOR a IN a FOR b IN b FOR c IN c FILTER a.x == b.x && b.x == c.x RETURN [a.x, c.z]",
        "FOR a IN a FILTER a.y == 3 FOR b IN b FILTER a.x == b.x RETURN [a.x, b._key]",
        "FOR a IN a FOR b IN b FILTER a.x == b.x && b.y == 2 RETURN [a.y, b._key]",
        "FOR i IN 1..3 FOR a IN a FILTER a.y == i FOR b IN b FILTER a.x == b.x FILTER b.y != i RETURN [i, a.x, b._key]",
        "FOR a IN a FILTER a.x > 500 FOR b IN b FILTER a.x == b.x && b.z != a.y RETURN [a.x, b.z]",
        "FOR a IN a LET n = LENGTH(FOR b IN b FILTER a.x == b.x RETURN 1) RETURN [a.x, n]",
        "FOR a IN a FOR b IN b FILTER b._key == a.x RETURN b",
        "FOR c IN c FOR b IN b FILTER b.x == c._key RETURN b",
        "FOR a IN a FOR b IN b FILTER a.x == b.x COLLECT WITH COUNT INTO n RETURN n",
    ] {
        let sorted = format!("FOR r IN ({query}) SORT r RETURN r");
        let off = Run { rules: &["-join-index-nodes"], ..Run::default() };
        let expected = fixture.run(&sorted, &off).unwrap().results;
        for batch_rows in [1, 3, 1024] {
            for release in [false, true] {
                let run = Run { batch_rows, release, ..Run::default() };
                assert_eq!(fixture.run(&sorted, &run).unwrap().results, expected, "{query}: {batch_rows}");
            }
        }
        joins += usize::from(
            aql_plan::print(&fixture.plan(query, &Run::default()).unwrap()).contains("join next"),
        );
    }
    assert!(joins >= 6, "{joins}");
}

#[test]
fn neighbours_need_no_search() {
    let fixture = fixture();
    let query = "FOR a IN a FOR b IN b FILTER a.x == b.x RETURN a.x";
    let joined = fixture.run(query, &Run::default()).unwrap();
    let nested = fixture.run(query, &Run { rules: &["-join-index-nodes"], ..Run::default() }).unwrap();
    assert_eq!(joined.results.len(), nested.results.len());
    let searches = |statistics: &ExecutionStatistics| {
        statistics.seeks + statistics.cursors_created + statistics.cursors_rearmed
    };
    let (joined, nested) = (joined.statistics, nested.statistics);
    assert!(searches(&joined) * 4 < searches(&nested), "{joined:?} {nested:?}");
    assert_eq!(nested.seeks, 0);
}
