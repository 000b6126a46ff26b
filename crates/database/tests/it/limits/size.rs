//! Long or deep queries, documents and parameters get an answer or a clear error, in bounded time
//! and on a worker's stack.

use std::time::{Duration, Instant};

use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use serde_json::{Value, json};
use velocypack::{Builder, Limits, Slice};

use crate::common::{create, query, session};

/// The stack of the server's workers.
const STACK_BYTES: usize = 2 << 20;
/// Far below the time of any quadratic algorithm, and enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the rows of a query or the number of its error, from a stack of the usual size.
fn run(text: &str, parameters: &str) -> Result<Value, u32> {
    let work = || {
        let session = session();
        create(&session, r#"{"name": "c"}"#);
        session
            .create_index(
                "c",
                Slice::new(&crate::common::value(r#"{"type": "persistent", "fields": ["a"]}"#)),
            )
            .unwrap();
        query(&session, "FOR i IN 1..10 INSERT {a: i, b: i} INTO c").unwrap();
        let mut parsed = Builder::new();
        velocypack::json::parse(parameters.as_bytes(), &Limits::default(), &mut parsed)
            .map_err(|_| 600u32)?;
        let mut wanted = QueryRequest::new(text);
        wanted.bind_variables = parsed.into_vec();
        let start = Instant::now();
        wanted.options.profile = 1;
        let reply = session.query(&wanted, Format::Json);
        let planned = start.elapsed();
        // Explaining plans the query in the same way and prints the plan.
        let explained = session.explain(&wanted).map(drop);
        let took = start.elapsed();
        // Only a run finds too many nested operators.
        assert_eq!(
            reply.is_err(),
            explained.is_err() || reply.as_ref().is_err_and(|error| error.number() == 32)
        );
        let (head, _) = text.split_at(text.char_indices().nth(60).map_or(text.len(), |(at, _)| at));
        eprintln!("{head}: {} ms, of which explaining {}", took.as_millis(), (took - planned).as_millis());
        assert!(took < PATIENCE, "{head} took {took:?}");
        reply.map(|reply| rows_of(&reply)).map_err(|error| error.number())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap()
    })
}

/// Returns the rows, or text if they are too deep for the test's own parser.
fn rows_of(reply: &database::Reply) -> Value {
    match serde_json::from_slice::<Value>(&reply.body) {
        Ok(mut body) => {
            eprintln!("  {}", body["extra"]["profile"]);
            body["result"].take()
        }
        Err(_) => Value::from(String::from_utf8_lossy(&reply.body)),
    }
}

fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

fn chain(count: usize, link: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(link).collect::<Vec<_>>().join(between)
}

/// Syntax that nests expressions.
const NESTS: &[(&str, &str)] = &[
    ("[", "]"),
    ("(", ")"),
    ("{a: ", "}"),
    ("(RETURN ", ")"),
    ("(true ? ", " : 1)"),
    ("(RAND() < 2 ? ", " : 1)"),
    ("NOT_NULL(", ")"),
    ("NOT_NULL(RAND(), ", ")"),
    ("-", ""),
    ("! ", ""),
    ("[1][* RETURN ", "]"),
    ("[1][? FILTER ", "]"),
    ("1 + (", ")"),
    ("1 IN [", "]"),
];

#[test]
fn ten_thousand_levels_are_too_many() {
    for (open, close) in NESTS {
        let outcome = run(&format!("RETURN {}", nested(10_000, open, "1", close)), "{}");
        assert_eq!(outcome, Err(1524), "{open}");
    }
}

#[test]
fn as_many_levels_as_are_allowed_work() {
    for (open, close) in NESTS {
        for count in [10, 60, 150, 240, 480] {
            let text = format!("FOR d IN c LIMIT 1 RETURN {}", nested(count, open, "d.a", close));
            // Error 32: more nested operators than the stack can hold.
            match run(&text, "{}") {
                Ok(rows) => assert!(rows.as_array().is_none_or(|rows| rows.len() == 1)),
                Err(number) => assert!(number == 1524 || number == 32, "{open} {count}: {number}"),
            }
        }
    }
}

#[test]
fn a_hundred_thousand_terms_work() {
    let count = 100_000;
    for (text, expected) in [
        (format!("RETURN {}", chain(count, |n| format!("{n} == -1"), " OR ")), Ok(json!([false]))),
        (format!("RETURN {}", chain(count, |n| format!("{n} != -1"), " AND ")), Ok(json!([true]))),
        (
            format!("FOR d IN c FILTER {} RETURN 1", chain(count, |n| format!("d.b == {}", n + 11), " OR ")),
            Ok(json!([])),
        ),
        (
            format!("FOR d IN c FILTER {} RETURN 1", chain(count, |n| format!("d.a == {}", n + 11), " || ")),
            Ok(json!([])),
        ),
        (
            format!(
                "FOR d IN c FILTER {} RETURN 1",
                chain(count, |n| format!("d.a != {}", n % 10 + 1), " AND ")
            ),
            Ok(json!([])),
        ),
        (
            format!("FOR d IN c FILTER {} RETURN 1", chain(count, |n| format!("d.x{n} == d.a"), " AND ")),
            Ok(json!([])),
        ),
        (
            format!(
                "FOR d IN c FILTER {} RETURN 1",
                chain(count, |n| format!("(d.a == {n} AND d.b == -1)"), " OR ")
            ),
            Ok(json!([])),
        ),
        (
            format!(
                "FOR d IN c FILTER d.a IN [{}] RETURN 1",
                chain(count, |n| format!("{} + d.b", n + 100), ",")
            ),
            Ok(json!([])),
        ),
        (format!("RETURN LENGTH([{}])", chain(count, |n| n.to_string(), ",")), Ok(json!([count]))),
        (format!("RETURN LENGTH({{{}}})", chain(count, |n| format!("a{n}: {n}"), ",")), Ok(json!([count]))),
        (format!("RETURN LENGTH(CONCAT({}))", chain(count, |_| "'x'".to_owned(), ",")), Ok(json!([count]))),
        (format!("RETURN {}", chain(count, |_| "1".to_owned(), " + ")), Err(1524)),
        (format!("RETURN {}", chain(count, |_| "1".to_owned(), " * ")), Err(1524)),
        (format!("RETURN x{}", ".a".repeat(count)), Err(1524)),
        (format!("RETURN {}", chain(count, |n| format!("{n} == {n} ? {n} "), ": ") + ": 1"), Err(1524)),
    ] {
        assert_eq!(run(&text, "{}"), expected, "{}", &text[..60]);
    }
}

#[test]
fn a_hundred_thousand_statements_are_too_many() {
    let count = 100_000;
    for text in [
        format!("{} RETURN 1", chain(count, |n| format!("LET v{n} = {n}"), " ")),
        format!("{} RETURN 1", chain(count, |n| format!("LET v{n} = RAND()"), " ")),
        format!("{} RETURN 1", chain(count, |_| "FILTER RAND() < 2".to_owned(), " ")),
        format!("FOR d IN c {} RETURN 1", chain(count, |n| format!("SORT d.a{n}"), " ")),
        format!("{} RETURN 1", chain(count, |n| format!("FOR v{n} IN [1]"), " ")),
        format!("FOR d IN c SORT {} RETURN 1", chain(count, |n| format!("d.a{n}"), ", ")),
        format!("FOR d IN c COLLECT {} RETURN 1", chain(count, |n| format!("v{n} = d.a{n}"), ", ")),
    ] {
        let outcome = run(&text, "{}");
        let is_answer = matches!(&outcome, Ok(rows) if rows.is_array());
        assert!(is_answer || matches!(outcome, Err(1524 | 32)), "{}: {outcome:?}", &text[..40]);
    }
}

#[test]
fn a_query_of_ten_megabytes_works() {
    let row = "{name: 'some text', numbers: [1, 2.5, -3], nested: {a: null, b: true}}";
    let count = (10 << 20) / row.len();
    let text = format!("RETURN LENGTH([{}])", vec![row; count].join(","));
    assert_eq!(run(&text, "{}"), Ok(json!([count])));
    let text =
        format!("FOR d IN [{}] COLLECT n = d.name WITH COUNT INTO k RETURN k", vec![row; count].join(","));
    assert_eq!(run(&text, "{}"), Ok(json!([count])));
    let text = format!("RETURN LENGTH('{}')", "x".repeat(10 << 20));
    assert_eq!(run(&text, "{}"), Ok(json!([10 << 20])));
}

#[test]
fn large_parameters_work_and_deep_ones_are_refused() {
    let list = format!("[{}]", chain(1_000_000, |n| (n + 5).to_string(), ","));
    for text in [
        "RETURN LENGTH(FOR d IN c FILTER d.a IN @list RETURN d)",
        "RETURN LENGTH(FOR d IN c FILTER d.b IN @list RETURN d)",
        "RETURN LENGTH(FOR d IN c FILTER d.b + 0 IN @list RETURN d)",
        "RETURN LENGTH(FOR d IN @list FILTER d <= 10 RETURN d)",
        "RETURN LENGTH(FOR d IN c FILTER @list ANY == d.b RETURN d)",
    ] {
        assert_eq!(run(text, &format!(r#"{{"list": {list}}}"#)), Ok(json!([6])), "{text}");
    }
    let text = "RETURN LENGTH(FOR d IN c FILTER d.b NOT IN @list RETURN d)";
    assert_eq!(run(text, &format!(r#"{{"list": {list}}}"#)), Ok(json!([4])));
    assert_eq!(run("RETURN @deep", &format!(r#"{{"deep": {}}}"#, nested(10_000, "[", "1", "]"))), Err(600));
    assert_eq!(
        run("RETURN @deep", &format!(r#"{{"deep": {}}}"#, nested(10_000, r#"{"a":"#, "1", "}"))),
        Err(600)
    );
    assert!(run("RETURN @deep", &format!(r#"{{"deep": {}}}"#, nested(100, "[", "1", "]"))).is_ok());
}

#[test]
fn values_that_grew_deep_can_be_used() {
    let work = || {
        let session = session();
        create(&session, r#"{"name": "c"}"#);
        query(&session, "INSERT {_key: 'x', v: 1} INTO c").unwrap();
        // Each query nests the stored value 100 levels deeper, far beyond the limits of the stack.
        let deeper = format!("FOR d IN c UPDATE d WITH {{v: {}}} IN c", nested(100, "[", "d.v", "]"));
        (0..500).for_each(|_| drop(query(&session, &deeper).unwrap()));
        for use_ in [
            "d.v == d.v",
            "d.v < [d.v]",
            "JSON_STRINGIFY(d.v)",
            "JSON_PARSE(JSON_STRINGIFY(d.v))",
            "FLATTEN(d.v, 100000)",
            "HASH(d)",
            "d.v[**]",
            "UNIQUE([d.v, d.v])",
            "SORTED([d.v, d])",
            "MERGE_RECURSIVE(d, {w: d})",
            "TO_STRING(d.v)",
            "MATCHES(d, d)",
            "VALUES(d)",
            "UNION_DISTINCT([d.v], [d])",
            "d.v IN [d.v]",
            "MINUS([d.v], [d.v])",
            "d",
        ] {
            // An answer or an error is fine; an overflow of the stack is not.
            let _ = query(&session, &format!("FOR d IN c RETURN {use_}"));
        }
        query(&session, "FOR d IN c COLLECT v = d.v INTO g SORT v, g RETURN [v, g]").unwrap();
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap();
    });
}

#[test]
fn what_calls_make_for_many_rows_stays_within_the_limit() {
    let session = session();
    // A thousand texts of 800 KB are never in memory together.
    let text = "FOR i IN 1..1000 FILTER CRC32(REPEAT('ab', 400000 + i)) == '' RETURN i";
    let mut request = QueryRequest::new(text);
    request.memory_limit_bytes = 32 << 20;
    let reply = session.query(&request, Format::Json).unwrap();
    assert!(String::from_utf8_lossy(&reply.body).contains(r#""result":[]"#));
    // A single row is also charged.
    request.text = "FOR i IN 1..20 FILTER CRC32(REPEAT('ab', 4000000 + i)) == '' RETURN i".to_owned();
    request.memory_limit_bytes = 4 << 20;
    assert_eq!(session.query(&request, Format::Json).unwrap_err().number(), 32);
}

/// The structures that planning builds take up to eighty times the text.
#[test]
fn long_texts_are_planned_within_the_limit() {
    let session = session();
    let ask = |text: String, limit_bytes| {
        let mut request = QueryRequest::new(text);
        request.memory_limit_bytes = limit_bytes;
        let outcome = session.query(&request, Format::Json).map_err(|error| error.number());
        assert_eq!(
            session.explain(&request).map_err(|error| error.number()).err(),
            outcome.as_ref().err().copied()
        );
        outcome.map(|reply| rows_of(&reply))
    };
    let list = |count: usize| format!("RETURN LENGTH([{}])", chain(count, |_| "1".to_owned(), ","));
    let terms =
        |count| format!("FOR i IN 1..2 FILTER {} RETURN i", chain(count, |n| format!("i == {n}"), " || "));
    assert_eq!(ask(list(1_000_000), 32 << 20), Err(32));
    assert_eq!(ask(list(1_000_000), 512 << 20), Ok(json!([1_000_000])));
    assert_eq!(ask(terms(100_000), 32 << 20), Err(32));
    assert_eq!(ask(terms(100_000), 512 << 20), Ok(json!([1, 2])));
    assert_eq!(ask(list(100_000), 32 << 20), Ok(json!([100_000])));
}
