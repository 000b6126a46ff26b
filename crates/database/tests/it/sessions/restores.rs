//! Restores that broke off.

use std::thread::sleep;
use std::time::{Duration, Instant};

use database::restore::RestoreBody;
use database::{InstanceOptions, Session};
use serde_json::json;
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{rows, session_with, value};

const AFTER: Duration = Duration::from_millis(700);

fn restore(session: &Session, line: &str) {
    session.restore_data("edges", RestoreBody::Lines(line.as_bytes())).unwrap();
}

fn lacks_edge_index(session: &Session) -> bool {
    let catalog = session.catalog();
    let collection = session.database_in(&catalog).unwrap().collection("edges").cloned().unwrap();
    collection.lacks_edge_index()
}

#[test]
fn an_edge_index_that_nobody_asked_for_is_built_after_a_while() {
    let options = InstanceOptions { broken_restore_after: AFTER, ..InstanceOptions::default() };
    let session = session_with(options);
    let parameters = value(r#"{"parameters": {"name": "edges", "type": 3}}"#);
    session.restore_collection(Slice::new(&parameters), false, true).unwrap();
    // Documents may come long after the collection. Time is what is tested.
    sleep(2 * AFTER);
    assert!(lacks_edge_index(&session));
    restore(&session, r#"{"_key": "1", "_from": "v/1", "_to": "v/2"}"#);
    let start = Instant::now();
    wait_until("the index is built", || !lacks_edge_index(&session));
    assert!(start.elapsed() >= AFTER, "the index was built during a restore");
    restore(&session, r#"{"_key": "2", "_from": "v/2", "_to": "v/3"}"#);
    let found = rows(&session, "FOR v, e IN 1..2 ANY 'v/1' edges RETURN e._key");
    assert_eq!(found, json!(["1", "2"]));
}
