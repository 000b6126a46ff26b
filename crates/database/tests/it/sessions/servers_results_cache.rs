//! The results cache of several servers on one store: a result is used again until any server has
//! changed the data that it was read from.

use std::time::Duration;

use database::query::results_cache::{CacheMode, CacheProperties};
use database::{Identity, Instance, InstanceOptions, Session};
use kv_tikv::MemoryCluster;
use serde_json::{Value, json};
use velocypack::Slice;

use crate::common::{body, create, query, value};

fn open(cluster: &MemoryCluster) -> Session {
    let engine = cluster.open(Duration::from_secs(3600)).unwrap();
    let results_cache = CacheProperties { mode: CacheMode::On, ..CacheProperties::default() };
    let options = InstanceOptions { results_cache, ..InstanceOptions::default() };
    Session::open(Instance::open(engine, options).unwrap(), "_system", Identity::Superuser).unwrap()
}

fn pair() -> (Session, Session) {
    let cluster = MemoryCluster::new();
    (open(&cluster), open(&cluster))
}

/// Returns the rows, and whether they came from the cache.
fn ask(session: &Session, text: &str) -> (Value, bool) {
    let reply = body(&query(session, text).unwrap());
    (reply["result"].clone(), reply["cached"] == json!(true))
}

#[test]
fn a_result_is_used_until_any_server_has_written() {
    let (left, right) = pair();
    create(&left, r#"{"name": "docs"}"#);
    create(&left, r#"{"name": "other"}"#);
    let read = "FOR d IN docs SORT d._key RETURN d.n";
    let mut expected = json!([]);
    for (change, result) in [
        ("INSERT {_key: 'a', n: 1} INTO docs", json!([1])),
        ("UPDATE 'a' WITH {n: 2} IN docs", json!([2])),
        ("REMOVE 'a' IN docs", json!([])),
        ("FOR n IN 1..2 INSERT {_key: CONCAT('k', n), n} INTO docs", json!([1, 2])),
    ] {
        for reader in [&left, &right] {
            ask(reader, read);
            assert_eq!(ask(reader, read), (expected.clone(), true), "before {change}");
        }
        query(&right, "INSERT {} INTO other").unwrap();
        assert_eq!(ask(&left, read), (expected, true), "another collection");
        query(&right, change).unwrap();
        for reader in [&left, &right] {
            assert_eq!(ask(reader, read), (result.clone(), false), "{change}");
        }
        expected = result;
    }
    right.truncate_collection("docs").unwrap();
    assert_eq!(ask(&left, read), (json!([]), false));
    assert_eq!(ask(&left, read), (json!([]), true));
}

/// The list of results has those that are still right.
#[test]
fn results_that_another_server_has_made_wrong_are_not_listed() {
    let (left, right) = pair();
    create(&left, r#"{"name": "docs"}"#);
    create(&left, r#"{"name": "other"}"#);
    ask(&left, "FOR d IN docs RETURN d.n");
    ask(&left, "FOR d IN other RETURN d.n");
    assert_eq!(left.cached_results().unwrap().len(), 2);
    query(&right, "INSERT {} INTO docs").unwrap();
    let listed = left.cached_results().unwrap();
    assert_eq!(listed.iter().map(|result| result.text()).collect::<Vec<_>>(), ["FOR d IN other RETURN d.n"]);
}

/// Searches and graph queries depend on more than the collections that they name.
#[test]
fn results_of_searches_and_traversals_follow_other_servers() {
    let (left, right) = pair();
    create(&left, r#"{"name": "docs"}"#);
    create(&left, r#"{"name": "edges", "type": 3}"#);
    let view =
        value(r#"{"name": "v", "type": "arangosearch", "links": {"docs": {"includeAllFields": true}}}"#);
    left.create_view(Slice::new(&view)).unwrap();
    let search = "FOR d IN v SEARCH d.n > 0 OPTIONS {waitForSync: true} SORT d.n RETURN d.n";
    let walk = "FOR d IN 1..1 OUTBOUND 'docs/a' edges RETURN d.n";
    for (change, found, reached) in [
        ("INSERT {_key: 'a', n: 1} INTO docs", json!([1]), json!([])),
        ("INSERT {_key: 'b', n: 2} INTO docs", json!([1, 2]), json!([])),
        ("INSERT {_from: 'docs/a', _to: 'docs/b'} INTO edges", json!([1, 2]), json!([2])),
        ("UPDATE 'b' WITH {n: 3} IN docs", json!([1, 3]), json!([3])),
    ] {
        query(&right, change).unwrap();
        for _ in 0..3 {
            assert_eq!(ask(&left, search).0, found, "{change}");
            assert_eq!(ask(&left, walk).0, reached, "{change}");
        }
        assert!(ask(&left, walk).1, "{change}");
    }
}
