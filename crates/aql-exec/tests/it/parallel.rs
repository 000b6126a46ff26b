//! Scans that several threads divide give the results of one thread.

use std::sync::OnceLock;

use aql_exec::{Parallelism, SpillOptions};
use aql_value::Interrupt;
use proptest::prelude::*;

use crate::common::{EAGER, Fixture, Run};

/// Rows of a batch: the collection has many blocks.
const BATCH_ROWS: usize = 16;

/// Returns a collection `c` of 3,000 documents with numbers, texts and missing values, and an empty
/// collection `empty`.
fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let fixture = Fixture::new();
        fixture.collection("c").collection("empty");
        let document = |n: u64| {
            let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            // Equal values that are written in different ways.
            let object = if mixed.is_multiple_of(2) { r#"{"a":1,"b":2}"# } else { r#"{"b":2,"a":1}"# };
            let z = ["null", "1", "1.0", "\"p\"", object, "[1]", "true"][(mixed % 7) as usize];
            let z = if mixed.is_multiple_of(11) { String::new() } else { format!(r#","z":{z}"#) };
            let (x, y) = (mixed % 13, mixed % 1009);
            format!(r#"{{"_key":"k{n:05}","n":{n},"x":{x},"y":{y},"t":"text {}"{z}}}"#, mixed % 40)
        };
        for part in 0..3 {
            let documents: Vec<_> = (part * 1000..(part + 1) * 1000).map(document).collect();
            fixture.insert("c", &format!("[{}]", documents.join(",")));
        }
        fixture
    })
}

fn alone() -> Run {
    Run { batch_rows: BATCH_ROWS, parallelism: Parallelism::of_threads(1), ..Run::default() }
}

fn together() -> Run {
    Run { parallelism: EAGER, ..alone() }
}

/// Runs a query on one thread and on several, and returns its results.
fn compare(query: &str, run: impl Fn(Run) -> Run) -> Vec<String> {
    let serial = fixture().run(query, &run(alone())).unwrap_or_else(|error| panic!("{query}: {error}"));
    let parallel = fixture().run(query, &run(together())).unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!(parallel.results, serial.results, "{query}");
    assert_eq!(parallel.warnings, serial.warnings, "{query}");
    let counts = |answer: &crate::common::Answer| {
        let statistics = &answer.statistics;
        (statistics.scanned_full, statistics.filtered, statistics.results)
    };
    assert_eq!(counts(&parallel), counts(&serial), "{query}");
    serial.results
}

fn same(query: &str) -> Vec<String> {
    compare(query, |run| run)
}

#[test]
fn groups_come_in_the_order_of_their_first_rows() {
    let groups = same(
        "FOR d IN c COLLECT x = d.x AGGREGATE n = COUNT(1), s = SUM(d.y), a = AVG(d.n) \
         OPTIONS {method: 'hash'} SORT null RETURN [x, n, s, a]",
    );
    assert_eq!(groups.len(), 13);
    same("FOR d IN c COLLECT z = d.z WITH COUNT INTO n OPTIONS {method: 'hash'} SORT null RETURN [z, n]");
    same(
        "FOR d IN c FILTER d.x > 3 LET k = d.t COLLECT t = k, z = d.z AGGREGATE l = MIN(d.n), g = MAX(d.t), \
         u = COUNT_DISTINCT(d.x), v = SORTED_UNIQUE(d.x), o = BIT_OR(d.n), b = BIT_XOR(d.y) \
         OPTIONS {method: 'hash'} SORT null RETURN [t, z, l, g, u, v, o, b]",
    );
    // Almost as many groups as rows.
    same(
        "FOR d IN c COLLECT n = d.n, y = d.y WITH COUNT INTO m OPTIONS {method: 'hash'} SORT null RETURN [n, y, m]",
    );
}

#[test]
fn aggregates_without_keys_count_every_row_once() {
    assert_eq!(
        same("FOR d IN c COLLECT AGGREGATE n = COUNT(1), s = SUM(d.n) RETURN [n, s]"),
        ["[3000,4498500]"]
    );
    assert_eq!(
        same("FOR d IN c FILTER d.n < 0 COLLECT AGGREGATE n = COUNT(1), s = SUM(d.n) RETURN [n, s]"),
        ["[0,null]"]
    );
    assert_eq!(
        same("FOR d IN c FILTER d.n >= 2990 COLLECT AGGREGATE n = COUNT(1), s = SUM(d.n) RETURN [n, s]"),
        ["[10,29945]"]
    );
    assert_eq!(
        same("FOR d IN empty COLLECT AGGREGATE s = SUM(d.n), m = MAX(d.n) RETURN [s, m]"),
        ["[null,null]"]
    );
}

#[test]
fn counts_include_every_row_once() {
    assert_eq!(same("FOR d IN c FILTER d.n % 3 == 0 COLLECT WITH COUNT INTO n RETURN n"), ["1000"]);
    assert_eq!(
        same("FOR d IN c FILTER d.n % 3 == 0 FILTER d.n < 1500 COLLECT WITH COUNT INTO n RETURN n"),
        ["500"]
    );
    assert_eq!(same("RETURN LENGTH(FOR d IN c FILTER d.n % 3 == 0 RETURN 1)"), ["1000"]);
    assert_eq!(
        same(
            "FOR i IN 1..3 LET n = LENGTH(FOR d IN c FILTER d.n % 3 == i - 1 AND d.n < 300 * i RETURN 1) RETURN n"
        ),
        ["100", "200", "300"]
    );
    assert_eq!(same("LET a = 5 FOR d IN c FILTER d.n % a == 0 COLLECT WITH COUNT INTO n RETURN n"), ["600"]);
    assert_eq!(same("FOR d IN c COLLECT WITH COUNT INTO n RETURN n"), ["3000"]);
    assert_eq!(same("FOR d IN c LIMIT 100 FILTER d.n % 3 == 0 COLLECT WITH COUNT INTO n RETURN n"), ["34"]);
}

#[test]
fn first_rows_of_an_order_are_those_of_one_thread() {
    assert_eq!(same("FOR d IN c SORT d.n DESC LIMIT 3 RETURN d.n"), ["2999", "2998", "2997"]);
    // Most rows are equal for the order.
    let rows = same("FOR d IN c SORT d.x LIMIT 150, 20 RETURN [d.x, d.n]");
    assert_eq!(rows.len(), 20);
    same("FOR d IN c FILTER d.y > 100 SORT d.z DESC, d.x LIMIT 500 RETURN d");
    same("LET a = 2 FOR d IN c SORT d.x * a LIMIT 10 RETURN [a, d]");
    same("FOR d IN c SORT d.t LIMIT 0 RETURN d");
    same("FOR i IN [3, 7] LET first = (FOR d IN c SORT d.n % i DESC LIMIT 4 RETURN d.n) RETURN [i, first]");
}

#[test]
fn orders_that_queries_are_promised_stay() {
    same("FOR d IN c COLLECT x = d.x INTO g = d.n RETURN [x, g]");
    same("FOR d IN c COLLECT x = d.x AGGREGATE p = PUSH(d.n), u = UNIQUE(d.y) RETURN [x, p, u]");
    same("FOR d IN c FILTER d.x == 1 RETURN d.n");
}

#[test]
fn warnings_are_those_of_one_thread() {
    let query = "FOR d IN c FILTER d.n / (d.n % 400) > 1 COLLECT WITH COUNT INTO n RETURN n";
    same(query);
    let run = |run: Run| Run { fail_on_warning: true, ..run };
    let error = |of: Run| fixture().run(query, &run(of)).unwrap_err();
    assert_eq!(error(together()), error(alone()));
}

#[test]
fn groups_and_rows_that_spill_are_merged() {
    let spill = |run: Run| Run {
        spill: SpillOptions {
            folder: Some(std::env::temp_dir().into()),
            threshold_rows: 60,
            ..SpillOptions::default()
        },
        ..run
    };
    let sorted = |query: &str, of: Run| {
        let mut results = fixture().run(query, &spill(of)).unwrap().results;
        results.sort();
        results
    };
    for query in [
        "FOR d IN c COLLECT t = d.t, x = d.x % 4 AGGREGATE s = SUM(d.n), m = MAX(d.y) OPTIONS {method: 'hash'} SORT null RETURN [t, x, s, m]",
        "FOR d IN c COLLECT t = d.t WITH COUNT INTO n OPTIONS {method: 'hash'} SORT null RETURN [t, n]",
        "FOR d IN c COLLECT n = d.n WITH COUNT INTO m OPTIONS {method: 'hash'} SORT null RETURN [n, m]",
    ] {
        assert_eq!(sorted(query, together()), sorted(query, alone()), "{query}");
    }
    compare("FOR d IN c SORT d.x, d.t LIMIT 700 RETURN [d.x, d.t, d.n]", spill);
}

#[test]
fn a_killed_query_ends_on_all_threads() {
    let query = "FOR d IN c COLLECT x = d.x WITH COUNT INTO n RETURN [x, n]";
    let interrupt = Interrupt::new();
    interrupt.kill();
    let error = fixture().run(query, &Run { interrupt, ..together() }).unwrap_err();
    assert_eq!(error.number(), 1500);
}

#[test]
fn all_threads_share_the_memory_limit() {
    let query = "FOR d IN c COLLECT k = CONCAT(REPEAT('x', 2000), d.x) WITH COUNT INTO n OPTIONS {method: 'hash'} RETURN n";
    let run = |bytes: u64| Run { memory_limit_bytes: Some(bytes), ..together() };
    let answer = fixture().run(query, &run(64 << 20)).unwrap();
    assert_eq!(answer.results.len(), 13);
    let error = fixture().run(query, &run(20_000)).unwrap_err();
    assert_eq!(error.number(), 32, "{error}");
    assert!(error.to_string().contains("query would use more memory than allowed"), "{error}");
}

fn expression() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "d.x",
        "d.y",
        "d.z",
        "d.t",
        "d.n % 7",
        "d.x + d.y",
        "d.missing",
        "[d.x, d.z]",
        "{k: d.z}",
        "d.n / 0",
        "DATE_NOW() > d.n",
        "d.t LIKE '%3'",
        "DOCUMENT('c/k00001').x == d.x",
        "d.x IN [1, 2, 3]",
        "LENGTH(d)",
    ])
}

fn query() -> impl Strategy<Value = String> {
    let filter = prop_oneof![
        2 => Just(String::new()),
        2 => (0..1009u32).prop_map(|y| format!("FILTER d.y < {y}")),
        1 => expression().prop_map(|e| format!("FILTER {e} ")),
    ];
    let end = prop_oneof![
        3 => (expression(), expression()).prop_map(|(k, e)| format!(
            "COLLECT k = {k} AGGREGATE n = COUNT(1), a = SUM(LENGTH({e})), l = MIN({e}), u = COUNT_DISTINCT({e}) \
             OPTIONS {{method: 'hash'}} SORT null RETURN [k, n, a, l, u]"
        )),
        1 => expression().prop_map(|e| format!("COLLECT AGGREGATE n = COUNT(1), g = MAX({e}) RETURN [n, g]")),
        1 => Just("COLLECT WITH COUNT INTO n RETURN n".to_owned()),
        3 => (expression(), any::<bool>(), 0..40u32, 0..200u32).prop_map(|(e, descending, skip, limit)| {
            let direction = if descending { "DESC" } else { "" };
            format!("SORT {e} {direction} LIMIT {skip}, {limit} RETURN [d.n, {e}]")
        }),
    ];
    (filter, expression(), filter_of_value(), end)
        .prop_map(|(filter, value, later, end)| format!("FOR d IN c {filter} LET v = {value} {later} {end}"))
}

fn filter_of_value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "FILTER v != null", "FILTER v"])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn random_queries_give_the_results_of_one_thread(query in query(), rows in 1..200usize) {
        // MIN and MAX may return any of several equal values.
        let written = |text: &str| text.replace(r#"{"b":2,"a":1}"#, r#"{"a":1,"b":2}"#);
        let results = |run: Run| {
            let answer = fixture().run(&query, &Run { batch_rows: rows, ..run });
            answer.map(|answer| answer.results.iter().map(|text| written(text)).collect::<Vec<_>>())
        };
        let (serial, parallel) = (results(alone()), results(together()));
        prop_assert_eq!(parallel, serial, "{}", query);
    }
}
