//! Ranges and sorts by `_key` and `_id`, and lookups in unique indexes, with more documents than
//! one step reads.

use std::collections::BTreeSet;

use crate::common::{Fixture, Run};

/// Returns keys that mix case, signs and digits; some share long prefixes, some differ only in
/// case.
fn keys() -> BTreeSet<String> {
    let alphabet = b"aAbBzZ019_-.:";
    let mut state = 7u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut keys: BTreeSet<String> = (0..400).map(|number| format!("user{number:06}")).collect();
    while keys.len() < 1500 {
        let length = 1 + random(6);
        let text = (0..length).map(|_| char::from(alphabet[random(alphabet.len() as u64) as usize]));
        keys.insert(text.collect());
    }
    keys
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("c").collection("few");
    let documents: Vec<String> =
        keys().iter().enumerate().map(|(n, key)| format!(r#"{{"_key":"{key}","n":{n}}}"#)).collect();
    fixture.insert("c", &format!("[{}]", documents.join(",")));
    fixture.insert(
        "few",
        r#"[{"_key":"b"},{"_key":"B"},{"_key":"a-"},{"_key":"_"},{"_key":"10"},{"_key":"9"}]"#,
    );
    fixture
}

/// Checks that the query returns the same with an index and without.
fn check(fixture: &Fixture, query: &str) -> usize {
    let without = Run { rules: &["-all"], ..Run::default() };
    let expected = fixture.run(query, &without).unwrap().results;
    for batch_rows in [1, 7, 1024] {
        let run = Run { batch_rows, ..Run::default() };
        assert_eq!(fixture.run(query, &run).unwrap().results, expected, "{query} in batches of {batch_rows}");
    }
    expected.len()
}

#[test]
fn keys_come_in_the_order_of_aql() {
    let fixture = fixture();
    assert_eq!(
        fixture.query("FOR d IN few SORT d._key RETURN d._key"),
        [r#""_""#, r#""10""#, r#""9""#, r#""a-""#, r#""B""#, r#""b""#]
    );
    for query in [
        "FOR d IN c SORT d._key RETURN d.n",
        "FOR d IN c SORT d._key RETURN d._key",
        "FOR d IN c SORT d._key DESC RETURN d.n",
        "FOR d IN c SORT d._id DESC, d.n DESC RETURN d._id",
        "FOR d IN c FILTER d.n % 3 == 1 SORT d._id RETURN d",
        "FOR d IN c SORT d._key LIMIT 700, 20 RETURN d.n",
    ] {
        assert!(check(&fixture, query) > 0, "{query}");
        let answer = fixture.run(query, &Run::default()).unwrap();
        assert_eq!(answer.statistics.scanned_full, 0, "{query}");
    }
}

#[test]
fn ranges_of_keys_compare_as_aql_does() {
    let fixture = fixture();
    for bound in
        ["'a'", "'A'", "'user000200'", "'B:'", "'zz'", "'é'", "'1'", "''", "null", "5", "[]", "'b ü'"]
    {
        for operator in ["<", "<=", ">", ">="] {
            let key = format!("FOR d IN c FILTER d._key {operator} {bound}");
            let id = format!("FOR d IN c FILTER d._id {operator} CONCAT('c/', {bound})");
            for range in [key, id] {
                check(&fixture, &format!("{range} SORT d._key RETURN d.n"));
                check(&fixture, &format!("{range} SORT d._key DESC LIMIT 50 RETURN d._key"));
                check(&fixture, &format!("RETURN SORTED(({range} RETURN d.n))"));
            }
        }
    }
    for query in [
        "FOR d IN c FILTER d._key >= 'a' && d._key < 'b' SORT d._key RETURN d.n",
        "FOR d IN c FILTER d._id > 'b' && d._id <= 'd' SORT d._key RETURN d.n",
        "FOR d IN c FILTER d._id > 'C/a' SORT d._id RETURN d.n",
        "FOR d IN c FILTER d._key < 'b' || d._key > 'a' || d._key == 'user000001' SORT d._key RETURN d.n",
        "FOR d IN c FILTER d._key IN ['b', 'B', 'a', 'user000009', 'none', 7] SORT d._key DESC RETURN d._key",
        "FOR x IN ['a', 'user0003', 1] FOR d IN c FILTER d._key >= x FILTER d._key < 'user00031' SORT x, d._key RETURN d.n",
        "FOR d IN c FILTER d._key > 'user' COLLECT WITH COUNT INTO n RETURN n",
    ] {
        assert!(check(&fixture, query) > 0, "{query}");
    }
}

#[test]
fn a_page_of_keys_reads_little() {
    let fixture = fixture();
    let query = "FOR d IN c FILTER d._key > 'user000100' SORT d._key LIMIT 5 RETURN d._key";
    let answer = fixture.run(query, &Run::default()).unwrap();
    assert_eq!(answer.results[0], r#""user000101""#);
    assert_eq!(answer.results.len(), 5);
    assert_eq!(answer.statistics.scanned_full, 0);
    assert!(answer.statistics.scanned_index <= 300, "{}", answer.statistics.scanned_index);
}

#[test]
fn unique_indexes_are_looked_up_in_batches() {
    let fixture = Fixture::new();
    fixture.collection("u");
    let documents: Vec<String> = (0..3000)
        .map(|n| format!(r#"{{"_key":"k{n}","code":"code that is long {n}","a":{},"b":{}}}"#, n / 50, n % 50))
        .collect();
    fixture.insert("u", &format!("[{}]", documents.join(",")));
    fixture
        .index("u", r#"{"type":"persistent","fields":["code"],"unique":true,"storedValues":["a"]}"#)
        .index("u", r#"{"type":"persistent","fields":["a","b"],"unique":true}"#);
    for query in [
        "FOR i IN 0..3500 FOR d IN u FILTER d.code == CONCAT('code that is long ', i) RETURN d.b",
        "FOR i IN 0..3500 FOR d IN u FILTER d.code == CONCAT('code that is long ', i) RETURN d.a",
        "FOR i IN [3, null, 5, 'x'] FOR d IN u FILTER d.a == i && d.b == i RETURN d._key",
        "FOR i IN 1..3 FOR d IN u FILTER d.a IN [i, i + 1, 70] && d.b IN [4, 2, 4] SORT i, d._key RETURN [i, d._key]",
        "FOR d IN u FILTER d.a IN 0..70 && d.b IN 10..20 SORT d.a, d.b RETURN [d.a, d.b, d.code]",
        "FOR d IN u FILTER d.a IN [3, 2] && d.b IN 10..20 SORT d.a DESC, d.b DESC LIMIT 3, 15 RETURN d.code",
        "FOR i IN 1..9 FOR d IN u FILTER (d.a == i && d.b == 1) || (d.a == 1 && d.b == i) SORT i, d._key RETURN [i, d._key]",
        "FOR i IN 1..5 LET n = LENGTH(FOR d IN u FILTER d.a == i && d.b IN [1, 2, 900] RETURN 1) RETURN n",
        "FOR i IN 1..5 LET f = (FOR d IN u FILTER d.a == i && d.b IN 1..30 LIMIT 2 RETURN d.code) RETURN LENGTH(f)",
    ] {
        assert!(check(&fixture, query) > 0, "{query}");
        let answer = fixture.run(query, &Run::default()).unwrap();
        assert_eq!(answer.statistics.scanned_full, 0, "{query}");
    }
}
