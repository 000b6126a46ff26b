//! Random queries: their results do not depend on optimizer rules, indexes or batch sizes.

use std::sync::OnceLock;

use proptest::prelude::*;

use crate::common::{Fixture, Run};

/// Returns collections `a` (with indexes) and `b` (without), and edges `e` between them.
///
/// Their documents have values of all types in `x`, `y` and `z`.
fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let fixture = Fixture::new();
        fixture.collection("a").collection("b").edge_collection("e");
        for index in [
            r#"{"type":"persistent","fields":["x","y"]}"#,
            r#"{"type":"persistent","fields":["y"],"sparse":true,"storedValues":["z"]}"#,
            r#"{"type":"persistent","fields":["z[*]"]}"#,
            r#"{"type":"persistent","fields":["n"],"unique":true}"#,
        ] {
            fixture.index("a", index);
        }
        let some = [
            "null",
            "true",
            "1",
            "2",
            "2.5",
            "-3",
            "\"p\"",
            "\"q\"",
            "[1]",
            "[1,\"p\",null]",
            "{\"k\":1}",
            "[]",
        ];
        let value = |seed: u64| some[(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % some.len()];
        let document = |n: u64| {
            let missing =
                if n.is_multiple_of(5) { String::new() } else { format!(r#","y":{}"#, value(n * 3 + 1)) };
            format!(r#"{{"_key":"k{n}","n":{n},"x":{}{missing},"z":{}}}"#, value(n * 3), value(n * 3 + 2))
        };
        fixture.insert("a", &format!("[{}]", (0..60).map(document).collect::<Vec<_>>().join(",")));
        fixture.insert("b", &format!("[{}]", (0..12).map(document).collect::<Vec<_>>().join(",")));
        let edge =
            |n: u64| format!(r#"{{"_key":"e{n}","_from":"a/k{}","_to":"b/k{}","w":{n}}}"#, n % 9, n % 4);
        fixture.insert("e", &format!("[{}]", (0..30).map(edge).collect::<Vec<_>>().join(",")));
        fixture
    })
}

fn constant() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "null", "true", "1", "2", "2.5", "-3", "0", "'p'", "'q'", "''", "[1]", "[]", "[1, 'p']", "{k: 1}",
    ])
    .prop_map(str::to_owned)
}

/// Returns a condition on variable `d`.
fn condition(d: &'static str) -> BoxedStrategy<String> {
    let attribute = prop::sample::select(vec!["x", "y", "z", "n"]);
    let operator = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let list = prop::collection::vec(constant(), 0..4).prop_map(|list| format!("[{}]", list.join(", ")));
    let key = prop::collection::vec(0..70u32, 1..4);
    let leaf = prop_oneof![
        6 => (attribute.clone(), operator, constant()).prop_map(move |(a, o, c)| format!("{d}.{a} {o} {c}")),
        2 => (attribute, list, any::<bool>())
            .prop_map(move |(a, l, negated)| format!("{d}.{a} {} {l}", if negated { "NOT IN" } else { "IN" })),
        1 => (0..70u32).prop_map(move |k| format!("{d}._key == 'k{k}'")),
        1 => key.prop_map(move |keys| {
            let keys: Vec<_> = keys.iter().map(|key| format!("'k{key}'")).collect();
            format!("{d}._key IN [{}]", keys.join(", "))
        }),
        1 => constant().prop_map(move |c| format!("{c} IN {d}.z[*]")),
        1 => (0..60u32, 0..60u32).prop_map(move |(low, high)| format!("{d}.n >= {low} AND {d}.n < {high}")),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" AND "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" OR "))),
            inner.prop_map(|part| format!("NOT ({part})")),
        ]
    })
    .boxed()
}

/// Returns the middle of a query, in which `d` is set.
fn middle() -> impl Strategy<Value = String> {
    let join = prop::sample::select(vec![
        "FOR o IN b FILTER o.x == d.x",
        "FOR o IN a FILTER o.n == d.n + 1",
        "FOR o IN a FILTER o.x == d.x AND o.y == d.y",
        "FOR o IN a FILTER o._key IN [d._key, 'k1', d.x]",
        "FOR o IN e FILTER o._from == d._id",
        "FOR o IN e FILTER o._to == CONCAT('b/', d._key) AND o.w > 3",
        "FOR o IN TO_ARRAY(d.z)",
        "LET o = (FOR i IN a FILTER i.x == d.x SORT i.n LIMIT 2 RETURN i.n)",
        "LET o = (FOR i IN e FILTER i._from == d._id SORT i.w RETURN i.w)",
        "LET o = LENGTH(FOR i IN a FILTER i.x == d.x RETURN i)",
        "LET o = FIRST(FOR i IN a FILTER i.n > d.n SORT i.n RETURN i.y)",
        "LET o = d.n > 20 ? (FOR i IN b SORT i.n RETURN i.n) : d.x",
        "LET o = d.y || d.x",
    ]);
    (prop::option::of(join), prop::option::of(condition("d"))).prop_map(|(join, filter)| {
        let filter = filter.map_or_else(String::new, |filter| format!("FILTER {filter}"));
        match join {
            Some(join) => format!("{join} {filter}"),
            None => format!("LET o = d.n {filter}"),
        }
    })
}

/// Returns the end of a query with `d` and `o` set, and true if its results have an order.
fn end() -> impl Strategy<Value = (String, bool)> {
    let projection = prop::sample::select(vec!["d.n", "[d.n, o]", "d", "{x: d.x, y: d.y}", "d._id", "d.z"]);
    let order = prop::sample::select(vec!["d.n", "d.x, d.y DESC, d.n", "d.x DESC, d.n", "d._key", "o, d.n"]);
    prop_oneof![
        projection.clone().prop_map(|p| (format!("RETURN {p}"), false)),
        projection.clone().prop_map(|p| (format!("RETURN DISTINCT {p}"), false)),
        (order.clone(), projection.clone()).prop_map(|(o, p)| (format!("SORT {o}, o RETURN {p}"), true)),
        (order, 0..5u32, 0..9u32, projection)
            .prop_map(|(o, skip, take, p)| (format!("SORT {o}, o LIMIT {skip}, {take} RETURN {p}"), true)),
        Just(("COLLECT x = d.x INTO g = d.n SORT x RETURN [x, SORTED(g)]".to_owned(), true)),
        Just(("COLLECT x = d.x, y = d.y WITH COUNT INTO k SORT x, y RETURN [x, y, k]".to_owned(), true)),
        Just(("COLLECT x = d.x AGGREGATE m = MAX(d.n), s = SUM(d.n), u = COUNT_DISTINCT(d.y) RETURN [x, m, s, u]".to_owned(), false)),
        Just(("COLLECT AGGREGATE l = LENGTH(), m = MIN(d.n), a = AVG(d.n) RETURN [l, m, a]".to_owned(), true)),
        Just(("COLLECT WITH COUNT INTO k RETURN k".to_owned(), true)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn results_do_not_depend_on_how_a_query_is_run(
        source in prop::sample::select(vec!["a", "a", "a", "b"]),
        first in prop::option::of(condition("d")),
        middle in middle(),
        end in end(),
    ) {
        let (end, is_ordered) = end;
        let first = first.map_or_else(String::new, |first| format!("FILTER {first}"));
        let query = format!("FOR d IN {source} {first} {middle} {end}");
        let results = |rules: &'static [&'static str], batch_rows: usize| {
            let answer = fixture().run(&query, &Run { rules, batch_rows, ..Run::default() });
            let mut results = answer.map_err(|error| TestCaseError::fail(format!("{query}: {error}")))?.results;
            if !is_ordered {
                results.sort();
            }
            Ok::<_, TestCaseError>(results)
        };
        let expected = results(&["-all"], 1024)?;
        for (rules, batch_rows) in [(&["-all"][..], 1), (&["-all"], 3), (&[], 1024), (&[], 1), (&[], 2)] {
            prop_assert_eq!(&results(rules, batch_rows)?, &expected, "{}, rules {:?}, {} rows", query, rules, batch_rows);
        }
    }
}
