//! Queries that take long are given up soon where nobody may wait for them, and nowhere else.

use super::common::session;
use database::Session;
use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use std::time::Instant;
use velocypack::Slice;

fn request(query: &str, n: i64) -> QueryRequest {
    let mut request = QueryRequest::new(query);
    if query.contains("@n") {
        let value = aql_value::Value::object(&[("n", aql_value::Value::Int(n))]);
        value.with_slice(|slice: Slice<'_>, _| request.bind_variables = slice.bytes().to_vec());
    }
    request
}

/// Whether a moment is enough to plan and to run a query. On a busy machine it may not be enough for anything.
fn fits(session: &Session, query: &str, n: i64) -> (bool, bool) {
    let plan = || session.prepare_in_a_moment(request(query, n)).unwrap();
    let Some(prepared) = (0..100).find_map(|_| plan()) else { return (false, false) };
    assert!(prepared.is_quick());
    (true, prepared.run_in_a_moment(Format::Json).unwrap().is_some())
}

#[test]
fn what_takes_longer_than_a_moment_is_given_up() {
    let session = session();
    let start = Instant::now();
    // A constant is computed in planning, a parameter when the query runs.
    let constant = "RETURN LENGTH(SORTED(FLATTEN([RANGE(1, 2000000), RANGE(2, 3000000)])))";
    assert_eq!(fits(&session, constant, 0), (false, false));
    let parameter = "RETURN LENGTH(SORTED(FLATTEN([RANGE(1, @n), RANGE(2, @n)])))";
    assert_eq!(fits(&session, parameter, 3_000_000), (true, false));
    // Generous, because tests share the machine.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    for query in [constant, parameter] {
        let reply = session.query(&request(query, 3_000_000), Format::Json).unwrap();
        assert!(String::from_utf8_lossy(&reply.body).contains(r#""error":false"#), "{query}");
    }
}

#[test]
fn what_is_quick_is_done() {
    let session = session();
    let was_done = |query: &str| (0..100).any(|_| fits(&session, query, 3) == (true, true));
    assert!(was_done("RETURN 1 + 1"));
    assert!(was_done("RETURN SORTED(RANGE(1, @n))"));
}
