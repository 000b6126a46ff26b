//! Long queries are given up soon under a budget, and only then.

use std::time::{Duration, Instant};

use database::cursor::encoder::Format;
use database::query::Progress;
use database::query::request::QueryRequest;
use database::{Budget, Limits, Session};

use crate::common::{create, query, session};

/// Returns the budget of a connection's own task.
fn budget() -> Budget {
    let deadline = Instant::now() + Duration::from_millis(2);
    Budget::new(Limits {
        yield_at: deadline,
        deadline,
        overrun: Duration::from_millis(8),
        longest_estimate: Duration::ZERO,
    })
}

fn begin(session: &Session, request: QueryRequest) -> Progress {
    session.begin_query(request, Format::Json, budget()).unwrap()
}

/// Returns whether a budget suffices to plan and to run a query. A busy machine may need several
/// attempts.
fn fits(session: &Session, query: &str) -> (bool, bool) {
    let progress = (0..100).find_map(|_| match begin(session, QueryRequest::new(query)) {
        Progress::More(rest) if !rest.is_planned() => None,
        progress => Some(progress),
    });
    match progress {
        None => (false, false),
        Some(Progress::More(_)) => (true, false),
        Some(Progress::Done(_)) => (true, true),
    }
}

fn with_numbers() -> Session {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    query(&session, "INSERT {_key: 'few', n: 3} INTO c").unwrap();
    query(&session, "INSERT {_key: 'many', n: 3000000} INTO c").unwrap();
    session
}

#[test]
fn work_that_exceeds_its_budget_is_given_up() {
    let session = with_numbers();
    let start = Instant::now();
    // A constant is computed in planning; a value from a document is computed when the query runs.
    let constant = "RETURN LENGTH(SORTED(FLATTEN([RANGE(1, 2000000), RANGE(2, 3000000)])))";
    assert_eq!(fits(&session, constant), (false, false));
    let read = "FOR d IN c FILTER d._key == 'many' RETURN LENGTH(SORTED(RANGE(1, d.n)))";
    assert_eq!(fits(&session, read), (true, false));
    // A generous bound, because tests share the machine.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    for text in [constant, read] {
        let reply = query(&session, text).unwrap();
        assert!(String::from_utf8_lossy(&reply.body).contains(r#""error":false"#), "{text}");
    }
}

#[test]
fn work_within_its_budget_is_done() {
    let session = with_numbers();
    let was_done = |query: &str| (0..100).any(|_| fits(&session, query) == (true, true));
    assert!(was_done("RETURN 1 + 1"));
    assert!(was_done("FOR d IN c FILTER d._key == 'few' RETURN SORTED(RANGE(1, d.n))"));
}

/// A client that asks for the plan cache sees one use of its query.
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
        let rest = (0..100).find_map(|_| match begin(&session, request()) {
            Progress::More(rest) if !rest.is_planned() => None,
            Progress::More(rest) => Some(rest),
            Progress::Done(_) => panic!("sorting millions of numbers was done within a budget"),
        });
        let reply = rest.unwrap().run().unwrap();
        let body = String::from_utf8_lossy(&reply.body);
        assert!(body.contains("[3000000]"), "{body}");
        assert_eq!(body.contains("planCacheKey"), uses > 0, "{body}");
        assert_eq!(listed().iter().map(|plan| plan.hits()).collect::<Vec<_>>(), [uses]);
    }
}
