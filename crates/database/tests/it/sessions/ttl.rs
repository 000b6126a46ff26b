//! Expiry of documents.

use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use database::ttl::TtlProperties;
use database::{InstanceOptions, Session};
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{count, create, query, rows, session_with, value};

fn start(ttl: TtlProperties) -> Session {
    let session = session_with(InstanceOptions { ttl, ..InstanceOptions::default() });
    create(&session, r#"{"name": "sessions"}"#);
    session
}

fn index(session: &Session, json: &str) -> errors::Result<()> {
    session.create_index("sessions", Slice::new(&value(json))).map(|_| ())
}

/// Returns the seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Waits until only `left` documents are left.
fn wait_for(session: &Session, left: u64) {
    wait_until(&format!("{left} documents are left"), || count(session, "sessions") == left);
}

const FAST: TtlProperties = TtlProperties {
    active: true,
    frequency_ms: 100,
    max_total_removes: 1_000_000,
    max_collection_removes: 100_000,
    only_loaded_collections: true,
};

#[test]
fn documents_go_when_their_time_is_over() {
    let session = start(FAST);
    let now = now();
    let documents = format!(
        r#"FOR d IN [
            {{_key: "past", at: {past}}}, {{_key: "text", at: "2001-02-03T04:05:06.789+01:00"}},
            {{_key: "day", at: "2001-02-03"}}, {{_key: "later", at: {later}}}, {{_key: "none"}},
            {{_key: "null", at: null}}, {{_key: "words", at: "next week"}}, {{_key: "list", at: [1]}}
        ] INSERT d INTO sessions"#,
        past = now - 10_000,
        later = now - 50,
    );
    query(&session, &documents).unwrap();
    index(&session, r#"{"type": "ttl", "fields": ["at"], "expireAfter": 3600}"#).unwrap();
    wait_for(&session, 5);
    assert_eq!(
        rows(&session, "FOR d IN sessions SORT d._key RETURN d._key"),
        serde_json::json!(["later", "list", "none", "null", "words"])
    );
    // Documents that are written later expire as well, and a changed date counts.
    query(&session, "INSERT {_key: 'new', at: 17} INTO sessions").unwrap();
    query(&session, "UPDATE 'null' WITH {at: 0} IN sessions").unwrap();
    wait_for(&session, 4);
    let statistics = session.instance().ttl().statistics();
    assert!(statistics.runs >= 2 && statistics.documents_removed == 5, "{statistics:?}");
}

#[test]
fn a_run_removes_no_more_than_it_may() {
    let session = start(TtlProperties { active: false, max_collection_removes: 1500, ..FAST });
    index(&session, r#"{"type": "ttl", "fields": ["at"], "expireAfter": 0}"#).unwrap();
    query(&session, "FOR i IN 1..4000 INSERT {at: i} INTO sessions").unwrap();
    // Four runs would take place in this time.
    sleep(Duration::from_millis(400));
    assert_eq!(count(&session, "sessions"), 4000);
    let ttl = session.instance().ttl();
    let changes = value(r#"{"frequency": 3600000, "active": true}"#);
    let changed = ttl.change(Slice::new(&changes)).unwrap();
    assert_eq!((changed.frequency_ms, changed.max_collection_removes), (3_600_000, 1500));
    let changes = value(r#"{"frequency": 1000}"#);
    ttl.change(Slice::new(&changes)).unwrap();
    wait_for(&session, 2500);
    // The oldest documents are removed first.
    assert_eq!(rows(&session, "RETURN MIN(FOR d IN sessions RETURN d.at)"), serde_json::json!([1501]));
    wait_for(&session, 0);
    // The statistics are read before the third run begins.
    assert_eq!(ttl.statistics().limit_reached, 2);
}

#[test]
fn wrong_properties_are_refused() {
    let session = start(TtlProperties::default());
    let ttl = session.instance().ttl();
    for wrong in [
        r#"{"active": 1}"#,
        r#"{"frequency": -1}"#,
        r#"{"frequency": 1}"#,
        r#"{"maxTotalRemoves": "x"}"#,
        "[]",
    ] {
        assert_eq!(ttl.change(Slice::new(&value(wrong))).unwrap_err().number(), 10, "{wrong}");
    }
    assert_eq!(ttl.properties(), TtlProperties::default());
}
