//! The hostile queries.

use serde_json::{Value, json};

use crate::attack::target::Target;

/// Vertices of the graph, each of which has an edge to each.
const VERTICES: usize = 60;

/// Collections of the graph.
const GRAPH: (&str, &str) = ("v", "e");

/// A query.
#[derive(Clone)]
pub(crate) struct Hostile {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) bind: Value,
}

/// Queries that are the same always. Most are one function with too much to do.
///
/// A range that is a value has at most 10,000,000 members.
const FIXED: &[(&str, &str)] = &[
    (
        "nested expansions",
        "LET a = RANGE(1, 3000) RETURN LENGTH(a[* RETURN a[* RETURN a[* RETURN CURRENT]]])",
    ),
    ("expansion of expansions", "LET a = 1..100000 RETURN LENGTH(a[* RETURN a[* FILTER CURRENT > 5]])"),
    ("SORTED_UNIQUE", "RETURN LENGTH(SORTED_UNIQUE(1..10000000))"),
    ("SORTED_UNIQUE of rows", "RETURN LENGTH(SORTED_UNIQUE(FOR i IN 1..30000000 RETURN i))"),
    ("MEDIAN of rows", "RETURN MEDIAN(FOR i IN 1..50000000 RETURN i)"),
    ("SORTED", "RETURN LENGTH(SORTED(REVERSE(1..10000000)))"),
    ("UNIQUE", "RETURN LENGTH(UNIQUE(1..10000000))"),
    ("REVERSE", "RETURN LENGTH(REVERSE(1..10000000))"),
    ("FLATTEN", "RETURN LENGTH(FLATTEN(FOR i IN 1..3000 RETURN 1..100000))"),
    ("flattening stars", "LET a = (FOR i IN 1..3000 RETURN 1..100000) RETURN LENGTH(a[**])"),
    ("UNION", "RETURN LENGTH(UNION(1..10000000, 1..10000000, 1..10000000))"),
    ("UNION_DISTINCT", "RETURN LENGTH(UNION_DISTINCT(1..10000000, 1..10000000))"),
    ("INTERSECTION", "RETURN LENGTH(INTERSECTION(1..10000000, 1..10000000))"),
    ("OUTERSECTION", "RETURN LENGTH(OUTERSECTION(1..10000000, 2..10000001))"),
    ("MINUS", "RETURN LENGTH(MINUS(1..10000000, 1..3))"),
    ("APPEND", "RETURN LENGTH(APPEND(1..10000000, 1..10000000, true))"),
    ("PUSH", "FOR i IN 1..1000 RETURN LENGTH(PUSH(1..10000000, i, true))"),
    ("FUSE_RANKS", "RETURN LENGTH(FUSE_RANKS([(FOR i IN 1..5000000 RETURN CONCAT('k', i))]))"),
    ("INTERLEAVE", "RETURN LENGTH(INTERLEAVE(1..10000000, 1..10000000))"),
    ("ZIP", "RETURN LENGTH(ZIP((FOR i IN 1..5000000 RETURN CONCAT('k', i)), 1..5000000))"),
    ("MERGE", "RETURN LENGTH(MERGE(FOR i IN 1..5000000 RETURN {[CONCAT('k', i)]: i}))"),
    (
        "MERGE_RECURSIVE",
        "LET a = ZIP((FOR i IN 1..300000 RETURN CONCAT('k', i)), 1..300000) FOR i IN 1..1000 RETURN MERGE_RECURSIVE(a, a, a)",
    ),
    ("MEDIAN", "RETURN MEDIAN(1..10000000)"),
    ("PERCENTILE", "RETURN PERCENTILE(1..10000000, 99, 'interpolation')"),
    ("COUNT_DISTINCT", "RETURN COUNT_DISTINCT(1..10000000)"),
    ("POSITION", "FOR i IN 1..1000000 RETURN POSITION(1..1000000, -i)"),
    ("RANGE", "RETURN RANGE(1, 1000000000000)"),
    ("RANGE of fractions", "RETURN LENGTH(RANGE(0, 1, 0.00000001))"),
    ("a huge range", "FOR i IN 1..9007199254740991 FILTER i < 0 RETURN i"),
    ("a huge range as a value", "RETURN 1..10000000"),
    ("a long result", "FOR i IN 1..100000000 RETURN i"),
    ("a long result in one batch", "FOR i IN 1..5000000 RETURN {i, a: 'abcdefghijklmnopqrstuvwxyz'}"),
    (
        "a cross product",
        "FOR a IN 1..10000 FOR b IN 1..10000 FOR c IN 1..10000 FILTER a + b + c < 0 RETURN 1",
    ),
    ("a counted cross product", "FOR a IN 1..100000 FOR b IN 1..100000 COLLECT WITH COUNT INTO n RETURN n"),
    ("nested subqueries", "FOR i IN 1..1000000 RETURN (FOR j IN 1..1000000 RETURN j)"),
    ("a long subquery", "LET a = (FOR i IN 1..50000000 RETURN {i, b: 'abcdefghijklmnop'}) RETURN LENGTH(a)"),
    ("COLLECT INTO", "FOR i IN 1..100000000 COLLECT k = i % 10 INTO g RETURN LENGTH(g)"),
    (
        "COLLECT INTO of large members",
        "FOR i IN 1..20000000 LET t = REPEAT('a', 1000) COLLECT k = i % 1000 INTO g = CONCAT(t, i)
         RETURN [LENGTH(g), MAX(g)]",
    ),
    ("SORT by long keys", "FOR i IN 1..200000 LET t = REPEAT('a', 30000) SORT CONCAT(t, i % 7) RETURN i"),
    ("COLLECT of many groups", "FOR i IN 1..100000000 COLLECT k = i RETURN k"),
    ("AGGREGATE UNIQUE", "FOR i IN 1..100000000 COLLECT AGGREGATE u = UNIQUE(i) RETURN LENGTH(u)"),
    ("AGGREGATE PUSH", "FOR i IN 1..100000000 COLLECT AGGREGATE u = PUSH(i) RETURN LENGTH(u)"),
    (
        "WINDOW",
        "FOR i IN 1..10000000 WINDOW {preceding: 'unbounded', following: 0} AGGREGATE u = PUSH(i) RETURN LENGTH(u)",
    ),
    ("SORT", "FOR i IN 1..100000000 SORT -i RETURN i"),
    ("SORT by texts", "FOR i IN 1..100000000 SORT SHA1(TO_STRING(i)) RETURN i"),
    ("RETURN DISTINCT", "FOR i IN 1..100000000 RETURN DISTINCT i"),
    ("REPEAT", "RETURN LENGTH(REPEAT('x', 1000000000))"),
    ("REPEAT in rows", "FOR i IN 1..1000000 RETURN REPEAT('abc', 1000000)"),
    ("CONCAT", "LET s = REPEAT('x', 10000000) FOR i IN 1..1000 RETURN CONCAT(s, s, s, s, s, i)"),
    ("CONCAT_SEPARATOR", "RETURN LENGTH(CONCAT_SEPARATOR(REPEAT('x', 1000), 1..10000000))"),
    ("SUBSTITUTE", "RETURN LENGTH(SUBSTITUTE(REPEAT('a', 1000000), 'a', REPEAT('b', 1000)))"),
    ("SPLIT", "RETURN LENGTH(SPLIT(REPEAT('a,', 20000000), ','))"),
    ("UPPER", "FOR i IN 1..1000 RETURN LENGTH(UPPER(REPEAT('ß', 10000000)))"),
    ("ENCODE_URI_COMPONENT", "RETURN LENGTH(ENCODE_URI_COMPONENT(REPEAT('ä', 50000000)))"),
    ("TO_BASE64", "RETURN LENGTH(TO_BASE64(REPEAT('ä', 100000000)))"),
    ("LEVENSHTEIN_DISTANCE", "RETURN LEVENSHTEIN_DISTANCE(REPEAT('ab', 200000), REPEAT('ba', 200000))"),
    ("NGRAM_SIMILARITY", "RETURN NGRAM_SIMILARITY(REPEAT('ab', 200000), REPEAT('ba', 200000), 5)"),
    ("TOKENS", "RETURN LENGTH(TOKENS(REPEAT('word ', 10000000), 'text_en'))"),
    ("SHA512", "FOR i IN 1..10000 RETURN SHA512(REPEAT('a', 10000000))"),
    ("JSON_PARSE of a list", "RETURN LENGTH(JSON_PARSE(CONCAT('[', REPEAT('[],', 50000000), '1]')))"),
    ("JSON_PARSE of depth", "RETURN JSON_PARSE(CONCAT(REPEAT('[', 1000000), REPEAT(']', 1000000)))"),
    ("JSON_STRINGIFY", "RETURN LENGTH(JSON_STRINGIFY(1..10000000))"),
    ("TO_STRING", "RETURN LENGTH(TO_STRING(1..10000000))"),
    ("TO_ARRAY", "FOR i IN 1..1000 RETURN LENGTH(TO_ARRAY(1..10000000))"),
    ("a catastrophic pattern", "RETURN REGEX_TEST(REPEAT('a', 5000), '^(a+)+$b')"),
    ("a pattern that looks ahead", "RETURN REGEX_TEST(REPEAT('a', 5000), '(?=(a+)+b)(a|aa)+$')"),
    ("a pattern with a reference", "RETURN REGEX_TEST(REPEAT('a', 5000), '^(a*)*(a*)*(a*)*\\\\1b$')"),
    ("a pattern of many states", "RETURN REGEX_TEST(REPEAT('a', 5000), '((a{0,100}){0,100}){0,100}')"),
    ("a pattern of many groups", "RETURN REGEX_MATCHES(REPEAT('a', 100), REPEAT('(a?)', 8000))"),
    ("a large pattern on a short text", "RETURN REGEX_TEST(REPEAT('a', 16000), '(a|b)*a(a|b){9000}c')"),
    (
        "a pattern that looks ahead far",
        "FOR i IN 1..1000 RETURN REGEX_TEST(REPEAT('ab', 4000), '(?:(?=.*.*.*x)a|b)*d')",
    ),
    (
        "a pattern that looks ahead far with many states",
        "RETURN REGEX_TEST(REPEAT('ab', 4000), '(?:(?=(?:a|b)*a(?:a|b){5000}c)[ab])*d')",
    ),
    (
        "a pattern that looks ahead in each place of each place",
        "RETURN REGEX_TEST(REPEAT('ab', 4000), '(?:(?=(?:(?=[ab]*x?)[ab])*)[ab])*d')",
    ),
    (
        "patterns that look ahead, row by row",
        "FOR i IN 1..100000 RETURN REGEX_MATCHES(CONCAT(REPEAT('a', 5000), i), '^(?=(a+)+b|a)(a|aa)+$')",
    ),
    (
        "a pattern of its own for each row",
        "FOR i IN 1..100000 RETURN REGEX_TEST('x', CONCAT(REPEAT('a?', 8000), REPEAT('a', 8000), i))",
    ),
    ("LIKE of any characters", "RETURN LIKE(REPEAT('a', 5000000), CONCAT('%', REPEAT('a_', 1000000), 'b%'))"),
    ("REGEX_REPLACE", "RETURN LENGTH(REGEX_REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 1000)))"),
    ("REGEX_SPLIT", "RETURN LENGTH(REGEX_SPLIT(REPEAT('a,', 10000000), ','))"),
    ("LIKE", "RETURN LIKE(REPEAT('a', 1000000), REPEAT('%a', 10000))"),
    ("DATE_ADD", "FOR i IN 1..100000000 RETURN DATE_ADD('2024-01-01', i, 'months')"),
    ("RANDOM_TOKEN", "FOR i IN 1..100000000 RETURN RANDOM_TOKEN(65536)"),
    ("a writing loop", "FOR i IN 1..100000000 INSERT {i, text: 'abcdefghijklmnop'} INTO c"),
    ("a writing loop with RETURN", "FOR i IN 1..100000000 INSERT {i} INTO c RETURN NEW"),
    ("SLEEP", "RETURN SLEEP(1000)"),
    ("a traversal", "FOR x, y, p IN 1..20 ANY 'v/1' e RETURN p"),
    ("a traversal that counts", "FOR x IN 1..20 ANY 'v/1' e COLLECT WITH COUNT INTO n RETURN n"),
    (
        "a traversal in breadth",
        "FOR x, y, p IN 1..20 OUTBOUND 'v/1' e OPTIONS {order: 'bfs', uniqueVertices: 'path'} FILTER x._key == 'none' RETURN p",
    ),
    ("K_PATHS", "FOR p IN 1..10 OUTBOUND K_PATHS 'v/1' TO 'v/2' e RETURN p"),
    ("K_SHORTEST_PATHS", "FOR p IN OUTBOUND K_SHORTEST_PATHS 'v/1' TO 'v/2' e RETURN p"),
    (
        "spread of attributes",
        "LET a = ZIP((FOR i IN 1..300000 RETURN CONCAT('k', i)), 1..300000) FOR i IN 1..1000 RETURN [ATTRIBUTES(a, false, true), VALUES(a)]",
    ),
    ("MATCHES", "FOR i IN 1..100000 RETURN MATCHES({a: 1}, (FOR j IN 1..10000 RETURN {a: j + 1}), true)"),
    ("IN of long lists", "LET a = 1..10000000 FOR i IN 1..1000000 FILTER -i IN a RETURN i"),
    ("array comparison", "LET a = 1..10000000 LET b = (FOR i IN 1..1000 RETURN a) RETURN b ALL == a"),
];

/// Returns all hostile queries.
pub(crate) fn hostile_queries() -> Vec<Hostile> {
    let fixed = FIXED.iter().map(|(name, text)| hostile(name, (*text).to_owned()));
    let mut queries: Vec<Hostile> = fixed.chain(doublings()).chain(long_texts()).collect();
    queries.push(Hostile { bind: parameters(), ..hostile("10,000 parameters", parameters_text()) });
    queries
}

fn hostile(name: &str, text: String) -> Hostile {
    Hostile { name: name.to_owned(), text, bind: json!({}) }
}

/// Values that double forty times.
fn doublings() -> Vec<Hostile> {
    let doubling = |first: &str, step: &dyn Fn(usize) -> String| {
        let steps: String = (1..=40).map(|n| format!("LET a{n} = {} ", step(n - 1))).collect();
        format!("LET a0 = {first} {steps} RETURN LENGTH(a40)")
    };
    vec![
        hostile("doublings of lists", doubling("NOOPT([1])", &|n| format!("[a{n}, a{n}]"))),
        hostile("doublings of objects", doubling("NOOPT({})", &|n| format!("{{x: a{n}, y: a{n}}}"))),
        hostile("doublings of texts", doubling("NOOPT('ab')", &|n| format!("CONCAT(a{n}, a{n})"))),
        hostile("doublings by UNION", doubling("NOOPT([1])", &|n| format!("UNION(a{n}, a{n})"))),
        hostile("constant doublings", doubling("[1]", &|n| format!("[a{n}, a{n}]"))),
    ]
}

/// Queries whose text is long or deep.
fn long_texts() -> Vec<Hostile> {
    let around = |before: &str, after: &str, times: usize| {
        format!("RETURN {}1{}", before.repeat(times), after.repeat(times))
    };
    let format = "%yyyy".repeat(800);
    vec![
        hostile("DATE_FORMAT", format!("FOR i IN 1..100000000 RETURN DATE_FORMAT(i * 1000000, '{format}')")),
        hostile("parentheses", around("(", ")", 100_000)),
        hostile("nested lists", around("[", "]", 100_000)),
        hostile("nested calls", around("ABS(", ")", 100_000)),
        hostile("nested FOR", around("(FOR i IN 1..2 RETURN ", ")", 400)),
        hostile("a long sum", around("", "+1", 500_000)),
        hostile("many negations", around("NOT ", "", 200_000)),
        hostile("nested conditions", around("true ? 1 : ", "", 100_000)),
        hostile("2 MB of list", format!("RETURN LENGTH([1{}])", ",1".repeat(1_000_000))),
        hostile("2 MB of text", format!("RETURN LENGTH('{}')", "a".repeat(2_000_000))),
        hostile("2 MB of objects", format!("RETURN [{{}}{}]", ",{a:1}".repeat(300_000))),
        hostile("many alternatives", format!("FOR d IN c FILTER d.a == 0 {} RETURN d", alternatives())),
        hostile("many loops", format!("{} RETURN 1", loops())),
    ]
}

fn alternatives() -> String {
    (0..5_000).map(|n| format!(" OR (d.a{} == {n} AND d.b > {n})", n % 20)).collect()
}

fn loops() -> String {
    (0..2_000).map(|n| format!("FOR i{n} IN 1..2 ")).collect()
}

fn parameters() -> Value {
    (0..10_000).map(|n| (format!("p{n}"), json!(n))).collect::<serde_json::Map<_, _>>().into()
}

fn parameters_text() -> String {
    let names: Vec<String> = (0..10_000).map(|n| format!("@p{n}")).collect();
    format!("RETURN [{}]", names.join(","))
}

/// Creates the graph that queries traverse.
pub(crate) fn prepare_graph(target: &Target) -> Result<(), String> {
    let (vertices, edges) = GRAPH;
    for (name, kind) in [(vertices, 2), (edges, 3)] {
        target.call("POST", "/_api/collection", &json!({"name": name, "type": kind}).to_string())?;
    }
    let keys: Vec<Value> = (1..=VERTICES).map(|key| json!({"_key": key.to_string()})).collect();
    let pairs = (1..=VERTICES).flat_map(|from| (1..=VERTICES).map(move |to| (from, to)));
    let links: Vec<Value> = pairs
        .map(|(from, to)| json!({"_from": format!("{vertices}/{from}"), "_to": format!("{vertices}/{to}")}))
        .collect();
    target.call("POST", &format!("/_api/document/{vertices}"), &json!(keys).to_string())?;
    target.call("POST", &format!("/_api/document/{edges}"), &json!(links).to_string())?;
    Ok(())
}
