//! Effects of functions besides their results: limits, interruption, randomness, warnings, and
//! refusals to be folded.

use std::time::{Duration, Instant};

use aql_functions::lookup;
use aql_value::{Interrupt, NoEnvironment, Value, Warnings};
use errors::ErrorCode;

use crate::common::{Answer, Query, call, parse, text, value_of};

fn call_in(query: Query<'_>, name: &str, arguments: &str) -> Answer {
    let arguments: Vec<Value> = parse(&format!("[{arguments}]")).elements().collect();
    query.call(lookup(name).expect(name), &arguments)
}

#[test]
fn results_are_bounded_by_the_memory_of_the_query() {
    let long = "x".repeat(10_000);
    for (name, arguments) in [
        ("REPEAT", "\"foo\", 1000000".to_owned()),
        ("RANGE", "1, 1000000".to_owned()),
        ("RANGE", "1, 1000000, 1".to_owned()),
        ("REPLACE_NTH", "[], 1000000, 1, 2".to_owned()),
        ("REPLACE_NTH", format!("[], 1000, 1, \"{long}\"")),
        ("REGEX_REPLACE", format!("\"{long}\", \"x\", \"{long}\"")),
        ("SUBSTITUTE", format!("\"{long}\", \"x\", \"{long}\"")),
        ("SPLIT", format!("\"{}\", \"\"", "x".repeat(100_000))),
        ("LEVENSHTEIN_DISTANCE", format!("\"{long}\", \"{}\"", "y".repeat(1000))),
        ("CONCAT", format!("[{}]", vec![format!("\"{long}\""); 200].join(","))),
        ("JSON_PARSE", format!("\"[{}1]\"", "1,".repeat(100_000))),
        ("UNIQUE", format!("[{}]", (0..50_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","))),
    ] {
        let query = Query { memory_limit_bytes: 1 << 20, ..Query::default() };
        let answer = call_in(query, name, &arguments);
        assert_eq!(answer.result.map_err(|error| error.number()), Err(32), "{name}");
    }
}

#[test]
fn a_killed_query_ends_immediately() {
    let interrupt = Interrupt::with_max_runtime(Duration::from_millis(50));
    let begin = Instant::now();
    let answer = call_in(Query { interrupt, ..Query::default() }, "SLEEP", "3600");
    assert_eq!(answer.result.unwrap_err().number(), 1500);
    assert!(begin.elapsed() < Duration::from_secs(10));

    let killed = Interrupt::new();
    killed.kill();
    let json = format!("\"[{}0]\"", "1,".repeat(100_000));
    for (name, arguments) in
        [("RANGE", "1, 100000"), ("SLEEP", "0"), ("REPEAT", "\"a\", 100000"), ("JSON_PARSE", &json)]
    {
        let query = Query { interrupt: killed.clone(), ..Query::default() };
        assert_eq!(call_in(query, name, arguments).result.unwrap_err().number(), 1500, "{name}");
    }
}

#[test]
fn sleep_takes_its_time() {
    let begin = Instant::now();
    value_of("SLEEP", &[Value::Double(0.05)]);
    assert!(begin.elapsed() >= Duration::from_millis(50));
}

#[test]
fn what_belongs_to_a_run_is_not_folded() {
    for (name, arguments) in [
        ("DATE_NOW", ""),
        ("NOEVAL", "1"),
        ("VERSION", ""),
        ("CURRENT_USER", ""),
        ("CURRENT_DATABASE", ""),
        ("DOCUMENT", "\"persons/alice\""),
        ("COLLECTIONS", ""),
        ("COLLECTION_COUNT", "\"persons\""),
        ("SCHEMA_GET", "\"persons\""),
        ("CHANGES", "\"persons\""),
        ("GRAPH_ALGORITHM", "\"wcc\", \"web\""),
        ("PREGEL_RESULT", "\"17\""),
    ] {
        let answer = call_in(Query { environment: &NoEnvironment, ..Query::default() }, name, arguments);
        assert_eq!(answer.result.unwrap_err().code(), ErrorCode::NotConstant, "{name}");
    }
}

#[test]
fn warnings_may_be_errors() {
    for (name, arguments, number) in
        [("FIRST", "1", 1563), ("PUSH", "1, 1", 1542), ("DATE_YEAR", "\"x\"", 1572)]
    {
        let query = Query { warnings: Warnings::new(10, true), ..Query::default() };
        assert_eq!(call_in(query, name, arguments).result.unwrap_err().number(), number, "{name}");
    }
}

#[test]
fn messages_name_the_function_as_arangodb_does() {
    let error = |name, arguments| {
        let query = Query { warnings: Warnings::new(10, true), ..Query::default() };
        call_in(query, name, arguments).result.unwrap_err().message().to_owned()
    };
    assert_eq!(error("PUSH", "1, 1"), "invalid argument type in call to function 'PUSH()'");
    assert_eq!(error("FIRST", "1"), "in function 'FIRST()': array expected");
    assert_eq!(error("FAIL", "\"because\""), "FAIL(because) called");
    assert_eq!(error("ASSERT", "false, \"because\""), "because");
    assert_eq!(error("CALL", "\"no_such\""), "usage of unknown function 'no_such()'");
    let arity = "invalid number of arguments for function 'SUBSTRING()', expected number of arguments: minimum: 2, \
                 maximum: 3";
    assert_eq!(error("CALL", "\"SUBSTRING\""), arity);
}

#[test]
fn random_functions_stay_in_their_forms() {
    let function = |name| lookup(name).unwrap();
    let number = call(function("RAND"), &[]).result.unwrap().to_f64();
    assert!(number > 0.0 && number < 1.0);
    let token = value_of("RANDOM_TOKEN", &[Value::Int(1000)]);
    let token = token.as_str().unwrap();
    assert!(token.len() == 1000 && token.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let uuid = value_of("UUID", &[]);
    let uuid = uuid.as_str().unwrap();
    let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12]);
    assert!(uuid.as_bytes()[14] == b'4' && b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
    for name in ["RAND", "RANDOM", "UUID", "RANDOM_TOKEN", "SLEEP", "FAIL", "NOOPT", "DOCUMENT", "CHANGES"] {
        assert!(!function(name).deterministic, "{name}");
    }
}

#[test]
fn time_zones() {
    let zones = value_of("DATE_TIMEZONES", &[]);
    assert!(zones.elements().any(|zone| zone == text("Asia/Kathmandu")) && zones.len() > 400);
    assert!(!value_of("DATE_TIMEZONE", &[]).as_str().unwrap().is_empty());
    let arguments = [text("2021-03-16T12:00:00.000"), text("Africa/Lagos"), Value::Bool(true)];
    let answer = value_of("DATE_LOCALTOUTC", &arguments);
    assert_eq!(answer.get("utc"), text("2021-03-16T11:00:00.000Z"));
    assert!(answer.get("tzdb").as_str().unwrap().starts_with("20"));
    let expected = parse(
        "{\"name\":\"WAT\",\"begin\":\"1919-08-31T23:30:00.000Z\",\"end\":null,\"dst\":false,\"offset\":3600}",
    );
    assert_eq!(answer.get("zoneInfo").to_json(), expected.to_json());
    let utc = value_of("DATE_UTCTOLOCAL", &[Value::Int(0), text("UTC"), Value::Bool(true)]);
    let expected = parse("{\"name\":\"UTC\",\"begin\":null,\"end\":null,\"dst\":false,\"offset\":0}");
    assert_eq!(utc.get("zoneInfo").to_json(), expected.to_json());
}

#[test]
fn minhash_signatures_approximate_similarity() {
    let signature = |numbers: std::ops::Range<i64>| {
        let values = Value::array(&numbers.map(Value::Int).collect::<Vec<_>>());
        value_of("MINHASH", &[values, Value::Int(400)])
    };
    let (left, right) = (signature(0..2000), signature(1000..3000));
    assert_eq!((left.len(), right.len()), (400, 400));
    // Both sets share a third of the 3,000 numbers, so about a third of the 400 smallest hashes of
    // the union are in both.
    let both: std::collections::BTreeSet<Value> = left.elements().collect();
    let common = right.elements().filter(|hash| both.contains(hash)).count();
    assert!((120..280).contains(&common), "{common}");
    assert_eq!(signature(0..3).len(), 3);
}

#[test]
fn collections_may_be_named_where_arangodb_allows_it() {
    for (name, expected) in
        [("DOCUMENT", 1), ("COLLECTION_COUNT", 1), ("IS_SAME_COLLECTION", 1), ("LENGTH", 0)]
    {
        assert_eq!(lookup(name).unwrap().collection_arguments, expected, "{name}");
    }
}
