//! Queries that take long are given up soon where nobody may wait for them, and nowhere else.

use super::common::{create, query, session};
use database::Session;
use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use std::time::Instant;

/// Whether a moment is enough to plan and to run a query. On a busy machine it may not be enough for anything.
fn fits(session: &Session, query: &str) -> (bool, bool) {
    let plan = || session.prepare_in_a_moment(QueryRequest::new(query)).unwrap();
    let Some(prepared) = (0..100).find_map(|_| plan()) else { return (false, false) };
    assert!(prepared.is_quick());
    (true, prepared.run_in_a_moment(Format::Json).unwrap().is_some())
}

fn with_numbers() -> Session {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    query(&session, "INSERT {_key: 'few', n: 3} INTO c").unwrap();
    query(&session, "INSERT {_key: 'many', n: 3000000} INTO c").unwrap();
    session
}

#[test]
fn what_takes_longer_than_a_moment_is_given_up() {
    let session = with_numbers();
    let start = Instant::now();
    // A constant is computed in planning, what is read from a document when the query runs.
    let constant = "RETURN LENGTH(SORTED(FLATTEN([RANGE(1, 2000000), RANGE(2, 3000000)])))";
    assert_eq!(fits(&session, constant), (false, false));
    let read = "FOR d IN c FILTER d._key == 'many' RETURN LENGTH(SORTED(RANGE(1, d.n)))";
    assert_eq!(fits(&session, read), (true, false));
    // Generous, because tests share the machine.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    for text in [constant, read] {
        let reply = query(&session, text).unwrap();
        assert!(String::from_utf8_lossy(&reply.body).contains(r#""error":false"#), "{text}");
    }
}

#[test]
fn what_is_quick_is_done() {
    let session = with_numbers();
    let was_done = |query: &str| (0..100).any(|_| fits(&session, query) == (true, true));
    assert!(was_done("RETURN 1 + 1"));
    assert!(was_done("FOR d IN c FILTER d._key == 'few' RETURN SORTED(RANGE(1, d.n))"));
}

/// A client that asks for the plan cache sees its query used once.
#[test]
fn a_query_that_begins_anew_has_the_plan_that_it_had() {
    let session = with_numbers();
    let text = "FOR d IN c FILTER d._key == 'many' RETURN LENGTH(SORTED(RANGE(1, d.n)))";
    let request = || {
        let mut request = QueryRequest::new(text);
        request.options.use_plan_cache = Some(true);
        request
    };
    let listed =
        || session.instance().plan_cache().listed(session.database_name(), session.catalog().version());
    for uses in 0..3 {
        let prepared = (0..100).find_map(|_| session.prepare_in_a_moment(request()).unwrap()).unwrap();
        let planned = prepared.planned();
        assert!(prepared.run_in_a_moment(Format::Json).unwrap().is_none());
        let reply = session.prepare_planned(request(), planned).unwrap().run(Format::Json).unwrap();
        let body = String::from_utf8_lossy(&reply.body);
        assert!(body.contains("[3000000]"), "{body}");
        assert_eq!(body.contains("planCacheKey"), uses > 0, "{body}");
        assert_eq!(listed().iter().map(|plan| plan.hits()).collect::<Vec<_>>(), [uses]);
    }
}
