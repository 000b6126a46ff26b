//! Sorts and groupings that do not fit in memory spill to temporary files and return the same.

use aql_exec::SpillOptions;

use crate::common::{Fixture, Run};

/// Returns options with files in the system's folder of temporary files.
fn to_files() -> SpillOptions {
    SpillOptions { folder: Some(std::env::temp_dir().into()), ..SpillOptions::default() }
}

fn limited(limit_bytes: u64) -> Run {
    Run { memory_limit_bytes: Some(limit_bytes), spill: to_files(), ..Run::default() }
}

/// Returns the results of a query; sorted, unless the query orders them.
fn results(fixture: &Fixture, query: &str, run: &Run) -> Vec<String> {
    let answer = fixture.run(query, run).unwrap_or_else(|error| panic!("{query}: {error}"));
    if let Some(limit) = run.memory_limit_bytes {
        assert!(answer.statistics.peak_memory_bytes <= limit, "{query}");
    }
    let mut results = answer.results;
    if !query.contains("SORT") {
        results.sort();
    }
    results
}

/// Queries that keep more than three megabytes, if they may.
const LARGE: &[&str] = &[
    "FOR a IN 1..50000 LET t = CONCAT('a rather long text ', a) SORT a % 100 DESC, t RETURN [a, t]",
    "FOR a IN 1..50000 LET t = CONCAT('a rather long text ', a) SORT a % 7, t LIMIT 30000, 10 RETURN [a, t]",
    "FOR a IN 1..100000 COLLECT t = CONCAT('a rather long text ', a % 30000) WITH COUNT INTO n OPTIONS {method: 'hash'} RETURN [t, n]",
    "FOR a IN 1..60000 COLLECT t = CONCAT('a rather long text ', a % 20000), odd = a % 2 == 1
     AGGREGATE s = SUM(a), v = AVG(a % 3 ? a : null), l = MIN(a), g = MAX(CONCAT('x', a)), c = COUNT(), u = COUNT_DISTINCT(a % 4),
       d = SORTED_UNIQUE(a % 4), f = UNIQUE(a % 5), p = PUSH(a), o = BIT_OR(a), n = BIT_AND(a), x = BIT_XOR(a), w = SUM(a > 300 ? 'x' : a) RETURN [t, odd, s, v, l, g, c, u, d, f, p, o, n, x, w]",
    "FOR a IN 1..40000 COLLECT k = a % 1000 INTO g = CONCAT('a rather long text ', a) OPTIONS {method: 'hash'} RETURN [k, g]",
    "FOR a IN 1..40000 LET b = CONCAT('a rather long text ', a) COLLECT k = a % 1000 INTO g OPTIONS {method: 'hash'} RETURN [k, g]",
    "FOR a IN 1..40000 LET b = CONCAT('a rather long text ', a) COLLECT k = a % 1000 INTO g KEEP b OPTIONS {method: 'sorted'} RETURN [k, g]",
    "FOR a IN 1..100000 RETURN DISTINCT CONCAT('a rather long text ', a % 50000)",
    "FOR a IN 1..100000 COLLECT t = CONCAT('a rather long text ', a % 50000), n = a % 3 RETURN {t, n}",
    "FOR k IN 1..3 LET l = LENGTH(FOR a IN 1..50000 RETURN DISTINCT CONCAT('a rather long text ', a, k)) RETURN [k, l]",
    "FOR a IN 1..50000 COLLECT t = CONCAT('a rather long text ', a) INTO g OPTIONS {method: 'hash'} SORT t DESC LIMIT 5 RETURN [t, g]",
];

#[test]
fn the_same_comes_out_of_files_as_out_of_memory() {
    let fixture = Fixture::new();
    for query in LARGE {
        let expected = results(&fixture, query, &Run::default());
        assert!(!expected.is_empty());
        for (limit_bytes, batch_rows) in [(2 << 20, 1024), (1 << 20, 100)] {
            let run = Run { batch_rows, ..limited(limit_bytes) };
            assert!(results(&fixture, query, &run) == expected, "{query} within {limit_bytes} bytes");
        }
        // Without files they end at the limit.
        let run = Run { spill: SpillOptions::default(), ..limited(1 << 20) };
        assert_eq!(fixture.run(query, &run).unwrap_err().number(), 32, "{query}");
    }
}

#[test]
fn every_aggregate_is_put_together_from_its_parts() {
    let fixture = Fixture::new();
    // Values that are null, no numbers, or missing; groups of one part and of many.
    let query = "FOR a IN 1..3000
        LET k = a > 2990 ? CONCAT('rare', a) : a % 50
        LET v = a % 50 == 7 ? null : a % 50 == 8 && a > 1500 ? 'x' : a % 50 == 9 ? a / 2 : a % 11
        COLLECT key = k
        AGGREGATE s = SUM(v), m = AVG(v), l = MIN(v), g = MAX(v), c = COUNT(v), u = COUNT_DISTINCT(v), d = SORTED_UNIQUE(v),
          f = UNIQUE(v), p = PUSH(v), o = BIT_OR(v), n = BIT_AND(v), x = BIT_XOR(v), vp = VARIANCE_POPULATION(v),
          vs = VARIANCE_SAMPLE(v), sp = STDDEV_POPULATION(v), ss = STDDEV_SAMPLE(v)
        OPTIONS {method: 'hash'}
        LET r = (FOR y IN [vp, vs, sp, ss] RETURN y == null ? null : ROUND(y * 1000000))
        RETURN [key, s, m, l, g, c, u, d, f, p, o, n, x, r]";
    let expected = results(&fixture, query, &Run::default());
    for threshold_rows in [1, 10, 40] {
        let spill = SpillOptions { threshold_rows, ..to_files() };
        let run = Run { spill, batch_rows: 16, ..Run::default() };
        assert_eq!(results(&fixture, query, &run), expected, "from {threshold_rows} groups on");
    }
}

#[test]
fn every_threshold_gives_the_same_distinct_rows() {
    let fixture = Fixture::new();
    let query = "FOR o IN 1..2 FOR t IN (FOR a IN 1..2000 COLLECT x = a % 300, y = a % 7 == o RETURN [o, x, y]) RETURN t";
    let expected = results(&fixture, query, &Run::default());
    for threshold_rows in [0, 1, 100, 301, 10_000] {
        let run =
            Run { spill: SpillOptions { threshold_rows, ..to_files() }, batch_rows: 7, ..Run::default() };
        assert_eq!(results(&fixture, query, &run), expected, "from {threshold_rows} keys on");
    }
}

#[test]
fn what_must_be_in_memory_ends_at_the_limit() {
    let fixture = Fixture::new();
    for query in [
        "FOR a IN 1..100000 COLLECT INTO g RETURN LENGTH(g)",
        "FOR a IN 1..100000 COLLECT AGGREGATE p = PUSH(a) RETURN LENGTH(p)",
        "FOR a IN 1..100000 COLLECT AGGREGATE p = UNIQUE(a) RETURN LENGTH(p)",
        "FOR a IN 1..100000 COLLECT k = a < 0 INTO g = CONCAT('a rather long text ', a) OPTIONS {method: 'hash'} RETURN LENGTH(g)",
        "LET l = (FOR a IN 1..100000 SORT RAND() RETURN a) RETURN LENGTH(l)",
        "FOR a IN 1..10 LET l = (FOR b IN 1..50000 RETURN [a, b]) RETURN l[a]",
    ] {
        let error = fixture.run(query, &limited(256 << 10)).unwrap_err();
        assert_eq!(
            (error.number(), error.message().contains("more memory than allowed")),
            (32, true),
            "{query}"
        );
    }
}

#[test]
fn files_have_a_limit_too_which_all_queries_share() {
    let fixture = Fixture::new();
    let query = "FOR a IN 1..20000 SORT CONCAT('x', a) RETURN a";
    let spill = SpillOptions { threshold_bytes: 10_000, ..to_files() }.with_capacity(100_000);
    for _ in 0..2 {
        let error = fixture.run(query, &Run { spill: spill.clone(), ..Run::default() }).unwrap_err();
        assert_eq!(error.number(), 32);
        assert_eq!(error.message(), "disk capacity limit for intermediate results exceeded");
    }
    // The space of the failed queries in files is free again.
    let query = "FOR a IN 1..2000 SORT CONCAT('x', a) RETURN a";
    assert_eq!(fixture.run(query, &Run { spill, ..Run::default() }).unwrap().results.len(), 2000);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    let fixture = Fixture::new();
    let spill = SpillOptions {
        threshold_bytes: 10_000,
        folder: Some(std::path::Path::new("/does/not/exist").into()),
        ..to_files()
    };
    for query in [
        "FOR a IN 1..20000 SORT CONCAT('x', a) RETURN a",
        "FOR a IN 1..20000 COLLECT k = CONCAT('x', a) WITH COUNT INTO n OPTIONS {method: 'hash'} RETURN [k, n]",
        "FOR a IN 1..20000 RETURN DISTINCT CONCAT('x', a)",
    ] {
        let run = Run { spill: spill.clone(), ..Run::default() };
        let error = fixture.run(query, &run).unwrap_err();
        assert!(error.message().contains("creating a temporary file"), "{query}: {error}");
    }
}

#[test]
fn groups_that_an_index_gives_are_sorted_one_after_the_other() {
    let fixture = Fixture::new();
    fixture.collection("docs").index("docs", r#"{"type": "persistent", "fields": ["a"], "name": "byA"}"#);
    let insert =
        "FOR i IN 1..900 INSERT {a: FLOOR(SQRT(i)), b: (i * 7919) % 1009, t: CONCAT('text ', i)} INTO docs";
    fixture.run(insert, &Run::default()).unwrap();
    for (query, largest) in [
        ("FOR d IN docs SORT d.a, d.b RETURN [d.a, d.b, d.t]", 59),
        ("FOR d IN docs SORT d.a DESC, d.b LIMIT 70, 100 RETURN [d.a, d.b, d.t]", 59),
    ] {
        let plan = fixture.plan(query, &Run::default()).unwrap();
        assert!(aql_plan::print(&plan).contains(" grouped 1"), "{query}");
        let expected = results(&fixture, query, &Run { rules: &["-all"], ..Run::default() });
        for (threshold_rows, batch_rows) in [(5, 16), (largest, 1), (largest, 1024), (10_000, 7)] {
            let spill = SpillOptions { threshold_rows, ..to_files() };
            let run = Run { spill, batch_rows, ..Run::default() };
            assert_eq!(results(&fixture, query, &run), expected, "{query}, {threshold_rows} rows in memory");
        }
    }
}
