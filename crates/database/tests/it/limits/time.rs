//! Queries that are killed or exceed their run time end soon, whatever they are doing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use database::{Instance, InstanceOptions, Session, SpillOptions};
use test_engine::wait_until;

use crate::common::{create, query, session, session_with};

/// The run time of queries.
const RUNTIME: Duration = Duration::from_millis(50);
/// The bound for the time after that. A hundredth of it is the goal, but test machines are busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Queries that would run for minutes, named by their constant work.
const ENDLESS: &[(&str, &str)] = &[
    ("rows whose replies are long", "LET a = NOOPT(1..300000) FOR i IN 1..10000 RETURN [a, a, a, a]"),
    ("loops", "FOR a IN 1..1000000000 FOR b IN 1..1000000000 FILTER a + b < 0 RETURN a"),
    (
        "a loop in a subquery",
        "FOR a IN 1..1000000000 LET s = (FOR b IN 1..1000000000 LIMIT 5 RETURN b) FILTER a < 0 RETURN s",
    ),
    ("a large range as a value", "FOR i IN 1..100000 LET a = i..9000000 RETURN LENGTH(a) + SUM(a)"),
    ("a range as a value", "RETURN LENGTH(FOR a IN 1..1000000000 RETURN a)"),
    ("RANGE", "FOR i IN 1..100000 RETURN LENGTH(RANGE(i, 9000000))"),
    ("a sort", "FOR a IN 1..8000000 SORT RAND() RETURN a"),
    ("a sort of texts", "FOR a IN 1..8000000 SORT CONCAT('some text', RAND()) RETURN a"),
    (
        "groups",
        "FOR a IN 1..100000000 COLLECT b = a % 1000003 WITH COUNT INTO c OPTIONS {method: 'hash'} RETURN [b, c]",
    ),
    ("gathered rows", "FOR a IN 1..100000000 COLLECT b = a % 7 INTO g RETURN LENGTH(g)"),
    ("distinct rows", "FOR a IN 1..1000000000 RETURN DISTINCT a % 100"),
    (
        "one large group",
        "FOR a IN 1..100000000 COLLECT AGGREGATE u = SORTED_UNIQUE(a % 1000003) RETURN LENGTH(u)",
    ),
    (
        "an expansion",
        "LET a = (FOR i IN 1..5000 RETURN i) RETURN SUM(a[* RETURN LENGTH(a[* RETURN LENGTH(a[* FILTER CURRENT > 1])])])",
    ),
    (
        "an inline filter",
        "LET a = (FOR i IN 1..100000 RETURN i) RETURN LENGTH(a[* FILTER LENGTH(a[* FILTER CURRENT == RAND()]) > 0])",
    ),
    (
        "array comparison",
        "LET a = (FOR i IN 1..300000 RETURN i + RAND()) FOR i IN 1..1000000 RETURN APPEND(a, [i]) ALL NOT IN a",
    ),
    (
        "membership",
        "LET a = (FOR i IN 1..100000 RETURN CONCAT('some long text', i)) FOR i IN 1..100000000 FILTER CONCAT('x', i) IN a RETURN i",
    ),
    (
        "LIKE",
        "FOR i IN 1..100000 LET t = CONCAT(i, REPEAT('ab', 300000)) LET p = CONCAT('%', REPEAT('_', 30000), 'c%') RETURN t LIKE p",
    ),
    (
        "a regular expression",
        "FOR i IN 1..100000 LET t = CONCAT(i, REPEAT('ab', 300000)) RETURN t =~ '(a|b)*a(a|b){900}c'",
    ),
    (
        "REGEX_REPLACE",
        "FOR i IN 1..100000 LET t = CONCAT(i, REPEAT('ab', 300000)) RETURN LENGTH(REGEX_REPLACE(t, '(a|b)*a(a|b){900}c', 'x'))",
    ),
    (
        "REGEX_SPLIT",
        "FOR i IN 1..100000 LET t = CONCAT(i, REPEAT('ab', 300000)) RETURN LENGTH(REGEX_SPLIT(t, 'a.*c|b'))",
    ),
    (
        "REGEX_MATCHES",
        "FOR i IN 1..100000 LET t = CONCAT(i, REPEAT('ab', 300000)) RETURN LENGTH(REGEX_MATCHES(t, '(a|b)*a(a|b){900}c'))",
    ),
    (
        "hashes of long texts",
        "FOR i IN 1..100000 FILTER SHA512(REPEAT('abcdefgh', 200000 + i)) == '' RETURN i",
    ),
    (
        "SORTED_UNIQUE of texts",
        "LET a = (FOR i IN 1..100000 RETURN CONCAT('é', i * 7919 % 100003)) FOR i IN 1..1000 RETURN LENGTH(SORTED_UNIQUE(APPEND(a, i)))",
    ),
    ("SLEEP", "RETURN SLEEP(1000)"),
    ("REPEAT", "FOR i IN 1..10000000 RETURN LENGTH(REPEAT('abc', 3000000))"),
    ("SUBSTITUTE", "LET t = REPEAT('ab', 300000) FOR i IN 1..1000000 RETURN LENGTH(SUBSTITUTE(t, 'a', i))"),
    (
        "LEVENSHTEIN_DISTANCE",
        "LET t = REPEAT('ab', 100000) RETURN LEVENSHTEIN_DISTANCE(t, REVERSE(CONCAT(t, 'x')))",
    ),
    (
        "NGRAM_SIMILARITY",
        "LET t = REPEAT('abcdefg', 100000) RETURN NGRAM_SIMILARITY(t, REVERSE(CONCAT(t, 'x')), 3)",
    ),
    (
        "NGRAM_POSITIONAL_SIMILARITY",
        "LET t = REPEAT('abcdefg', 100000) RETURN NGRAM_POSITIONAL_SIMILARITY(t, REVERSE(CONCAT(t, 'x')), 3)",
    ),
    (
        "sets",
        "LET a = (FOR i IN 1..300000 RETURN CONCAT('x', i)) FOR i IN 1..10000 RETURN LENGTH(INTERSECTION(a, APPEND(a, [i])))",
    ),
    (
        "DOCUMENT",
        "LET keys = (FOR i IN 1..300000 RETURN CONCAT('c/', i)) FOR i IN 1..1000000 RETURN LENGTH(DOCUMENT(keys))",
    ),
    ("a scan", "FOR a IN c FOR b IN c FOR d IN c FILTER a.n + b.n + d.n < 0 RETURN a"),
    (
        "an index",
        "FOR a IN c FOR b IN c FILTER b._key >= a._key FOR d IN c FILTER d._key == b._key FILTER a.n + b.n + d.n < 0 RETURN d",
    ),
    ("subqueries", "FOR a IN 1..1000000 LET s = (FOR b IN 1..1000000 FILTER a + b < 0 RETURN b) RETURN s"),
    (
        "subqueries that sort",
        "FOR a IN 1..1000000 LET s = (FOR b IN 1..100000 SORT RAND() LIMIT 3 RETURN b + a) RETURN s",
    ),
    ("writes", "FOR a IN 1..100000000 INSERT {n: a} INTO d"),
    ("an offset", "FOR a IN 1..1000000000 LIMIT 999999999, 1 RETURN a"),
];

fn with_documents(options: InstanceOptions) -> Session {
    let session = session_with(options);
    create(&session, r#"{"name": "c"}"#);
    create(&session, r#"{"name": "d"}"#);
    query(&session, "FOR i IN 1..3000 INSERT {_key: CONCAT('', i), n: i} INTO c").unwrap();
    session
}

/// Returns the run time of a query that ends with error 1500.
fn time(session: &Session, text: &str, max_runtime: Option<Duration>) -> Result<Duration, String> {
    let mut request = QueryRequest::new(text);
    request.options.max_runtime = max_runtime;
    let start = Instant::now();
    let outcome = session.query(&request, Format::Json);
    let took = start.elapsed();
    match outcome {
        Err(error) if error.number() == 1500 => Ok(took),
        // A query that asks for too much memory may fail before its time is over.
        Err(error) if error.number() == 32 && took < RUNTIME + PATIENCE => {
            eprintln!("{text}: {error}");
            Ok(took)
        }
        Err(error) => Err(format!("ended with {error}")),
        Ok(_) => Err("came to an end by itself".to_owned()),
    }
}

/// Prints the time of each query, and fails if any takes too long.
fn check(outcomes: Vec<(&str, Result<Duration, String>)>) {
    let mut wrong = Vec::new();
    for (name, outcome) in outcomes {
        match outcome {
            Ok(took) => {
                eprintln!("{name}: {} ms after its end", took.saturating_sub(RUNTIME).as_millis());
                if took > RUNTIME + PATIENCE {
                    wrong.push(format!("{name} ended after {took:?}"));
                }
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn queries_out_of_time_end() {
    let session = with_documents(InstanceOptions::default());
    check(ENDLESS.iter().map(|(name, text)| (*name, time(&session, text, Some(RUNTIME)))).collect());
}

#[test]
fn queries_that_are_killed_end() {
    let session = with_documents(InstanceOptions::default());
    let killed = |text: &str| {
        std::thread::scope(|scope| {
            let running = scope.spawn(|| time(&session, text, None));
            // The query is killed in the middle of its work, wherever that is.
            std::thread::sleep(RUNTIME);
            session.instance().queries().kill_all();
            wait_until("the query ends", || {
                session.instance().queries().kill_all();
                running.is_finished()
            });
            running.join().unwrap()
        })
    };
    let some = ENDLESS.iter().step_by(4).chain(ENDLESS.iter().filter(|(name, _)| *name == "SLEEP"));
    check(some.map(|(name, text)| (*name, killed(text))).collect());
}

#[test]
fn queries_in_temporary_files_end() {
    let spill = SpillOptions { threshold_bytes: 1 << 20, ..InstanceOptions::default().spill };
    let session = with_documents(InstanceOptions { spill, ..InstanceOptions::default() });
    let texts = [
        ("a sort", "FOR a IN 1..8000000 SORT CONCAT('some text', RAND()) RETURN a"),
        (
            "groups",
            "FOR a IN 1..8000000 COLLECT b = CONCAT('x', a) INTO g OPTIONS {method: 'hash'} RETURN [b, g]",
        ),
        ("distinct rows", "FOR a IN 1..8000000 RETURN DISTINCT CONCAT('x', a)"),
    ];
    // The two run times end a query in different phases: writing, merging and reading of runs.
    for runtime_ms in [50, 1000] {
        let runtime = Duration::from_millis(runtime_ms);
        let time =
            |text| time(&session, text, Some(runtime)).map(|took| took.saturating_sub(runtime) + RUNTIME);
        check(texts.iter().map(|(name, text)| (*name, time(text))).collect());
    }
}

#[test]
fn queries_that_wait_for_others_end() {
    let session = with_documents(InstanceOptions::default());
    // The holder locks the collection until it is fetched.
    let mut holder =
        QueryRequest::new("FOR i IN 1..10 INSERT {} INTO d OPTIONS {exclusive: true} RETURN NEW");
    holder.options.stream = true;
    holder.batch_size = 1;
    let reply = session.query(&holder, Format::Json).unwrap();
    assert!(reply.cursor.is_some());
    let other = ("exclusive use", "FOR i IN 1..10 INSERT {} INTO d OPTIONS {exclusive: true}");
    let shared = ("shared use", "FOR i IN 1..10 INSERT {} INTO d");
    check([other, shared].map(|(name, text)| (name, time(&session, text, Some(RUNTIME)))).into());
}

#[test]
fn planning_also_ends() {
    let session = with_documents(InstanceOptions::default());
    let terms: Vec<String> = (0..200_000).map(|n| format!("(d.a{n} == {n} && d.b == {n})")).collect();
    let terms = format!("FOR d IN c FILTER {} RETURN d", terms.join(" || "));
    let folded = format!("RETURN [{}]", vec!["LENGTH(SORTED(1..1000000))"; 500].join(","));
    for (name, text) in [("conditions", terms), ("constants", folded)] {
        let outcome = time(&session, &text, Some(RUNTIME));
        check(vec![(name, outcome)]);
    }
}

/// Sessions of a server that stops.
#[test]
fn a_server_that_stops_ends_its_queries() {
    let session = session();
    let instance: Arc<Instance> = Arc::clone(session.instance());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| query(&session, "RETURN SLEEP(1000)").map(drop).unwrap_err().number());
        // It sleeps then. If it begins later, it ends as well.
        std::thread::sleep(RUNTIME);
        let start = Instant::now();
        instance.stop();
        assert_eq!(running.join().unwrap(), 1500);
        assert!(start.elapsed() < PATIENCE);
    });
}
