//! Stream transactions: what requests within one see, and how they take turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::transaction::{TransactionLimits, TransactionRequest, TransactionStatus};
use database::{Identity, InstanceOptions, Session};
use errors::ErrorCode;
use proptest::prelude::*;
use serde_json::json;
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{as_user, count, create, query, rows, session, session_with, value};

fn request(json: &str) -> TransactionRequest {
    TransactionRequest::from_body(Slice::new(&value(json))).unwrap()
}

/// Begins a transaction, and returns its number and a session within it.
fn begin(session: &Session, json: &str) -> (u64, Session) {
    let id = session.begin_transaction(&request(json)).unwrap().id;
    (id, session.clone().within(id))
}

fn error(result: errors::Result<impl Sized>) -> ErrorCode {
    result.err().unwrap().code()
}

/// Indexes of every type, with queries that use them.
const INDEXES: [&str; 8] = [
    r#"{"type": "persistent", "fields": ["n"]}"#,
    r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#,
    r#"{"type": "persistent", "fields": ["t[*]"]}"#,
    r#"{"type": "geo", "fields": ["p"]}"#,
    r#"{"type": "mdi", "fields": ["x", "y"], "fieldValueTypes": "double"}"#,
    r#"{"type": "mdi-prefixed", "fields": ["x", "y"], "prefixFields": ["n"], "fieldValueTypes": "double"}"#,
    r#"{"type": "fulltext", "fields": ["w"]}"#,
    r#"{"type": "ttl", "fields": ["e"], "expireAfter": 1000000}"#,
];

const QUERIES: [&str; 10] = [
    "FOR d IN c FILTER d.n == 2 SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n > 1 SORT d.n, d._key RETURN d._key",
    "FOR d IN c FILTER d.u == 3 RETURN d._key",
    "FOR d IN c FILTER 1 IN d.t SORT d._key RETURN d._key",
    "FOR d IN c FILTER GEO_DISTANCE([1, 1], d.p) < 200000 SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.x >= 1 && d.y <= 2 SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n == 1 && d.x >= 1 && d.y <= 2 SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.e > 3 SORT d._key RETURN d._key",
    "FOR d IN c FILTER d._from == 'c/1' SORT d._key RETURN d._key",
    "FOR d IN c FILTER d._key >= '3' SORT d._key RETURN d._key",
];

#[derive(Clone, Debug)]
enum Write {
    Insert(u8, u8),
    Update(u8, u8),
    Remove(u8),
    Failing(u8),
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        4 => (0u8..9, 0u8..5).prop_map(|(key, n)| Write::Insert(key, n)),
        3 => (0u8..9, 0u8..5).prop_map(|(key, n)| Write::Update(key, n)),
        2 => (0u8..9).prop_map(Write::Remove),
        2 => (0u8..5).prop_map(Write::Failing),
    ]
}

/// Returns the text of a document whose attributes all depend on one number.
fn document(key: u8, n: u8) -> String {
    let word = ["zero", "one", "two", "three", "four"][usize::from(n)];
    format!(
        "{{_key: '{key}', _from: 'c/{n}', _to: 'c/{key}', n: {n}, u: {key}, t: [{n}, {key}], p: [{n}, {n}], x: {n}, y: {n}, w: '{word} word', e: {n}}}"
    )
}

fn apply(session: &Session, write: &Write) {
    let text = match write {
        Write::Insert(key, n) => {
            format!("INSERT {} INTO c OPTIONS {{overwriteMode: 'replace'}}", document(*key, *n))
        }
        Write::Update(key, n) => {
            format!("FOR d IN c FILTER d._key == '{key}' UPDATE d WITH {} IN c", document(*key, *n))
        }
        Write::Remove(key) => format!("FOR d IN c FILTER d._key == '{key}' REMOVE d IN c"),
        // It writes everything and then fails.
        Write::Failing(n) => format!(
            "FOR d IN c UPDATE d WITH {{n: {n}, x: {n}, t: [], w: 'gone'}} IN c COLLECT WITH COUNT INTO l RETURN ASSERT(false, 'no')"
        ),
    };
    let result = query(session, &text);
    assert_eq!(result.is_err(), matches!(write, Write::Failing(_)), "{text}: {:?}", result.err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn reads_within_see_its_writes_through_every_index(
        before in prop::collection::vec(write(), 0..12),
        within in prop::collection::vec(write(), 1..12),
        commit: bool,
    ) {
        let session = session();
        create(&session, r#"{"name": "c", "type": 3}"#);
        for index in INDEXES {
            session.create_index("c", Slice::new(&value(index))).unwrap();
        }
        let other = crate::common::session();
        create(&other, r#"{"name": "c", "type": 3}"#);
        for write in before.iter().filter(|write| !matches!(write, Write::Failing(_))) {
            apply(&session, write);
            apply(&other, write);
        }
        let (id, transaction) = begin(&session, r#"{"collections": {"write": "c"}}"#);
        for write in &within {
            apply(&transaction, write);
            if !matches!(write, Write::Failing(_)) {
                // The same without a transaction and without indexes.
                apply(&other, write);
            }
            for text in QUERIES {
                prop_assert_eq!(rows(&transaction, text), rows(&other, text), "{}", text);
            }
            prop_assert_eq!(count(&transaction, "c"), count(&other, "c"));
            let all = "FOR d IN c RETURN KEEP(d, '_key', 'n', 'w', '_from', '_to')";
            prop_assert_eq!(rows(&transaction, all), rows(&other, all));
            let words = rows(&transaction, "FOR d IN FULLTEXT(c, 'w', 'two') SORT d._key RETURN d._key");
            prop_assert_eq!(words, rows(&other, "FOR d IN c FILTER d.n == 2 SORT d._key RETURN d._key"));
            let reached = "FOR v, e IN 1..2 ANY 'c/1' c OPTIONS {uniqueEdges: 'path'} SORT e._key RETURN e._key";
            prop_assert_eq!(rows(&transaction, reached), rows(&other, reached));
        }
        let all = "FOR d IN c RETURN UNSET(d, '_rev')";
        let (inside, outside) = (rows(&transaction, all), rows(&session, all));
        if commit {
            session.commit_transaction(id).unwrap();
            prop_assert_eq!(rows(&session, all), inside);
        } else {
            session.abort_transaction(id).unwrap();
            prop_assert_eq!(rows(&session, all), outside);
        }
    }
}

#[test]
fn a_transaction_keeps_the_state_of_its_beginning() {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    query(&session, "INSERT {_key: 'a', n: 1} INTO c").unwrap();
    let (_, transaction) = begin(&session, r#"{"collections": {"read": "c"}}"#);
    query(&session, "UPDATE 'a' WITH {n: 2} IN c").unwrap();
    query(&session, "INSERT {_key: 'b'} INTO c").unwrap();
    assert_eq!(rows(&transaction, "FOR d IN c RETURN d.n"), json!([1]));
    // A collection that is emptied, and one that is created.
    session.truncate_collection("c").unwrap();
    create(&session, r#"{"name": "new"}"#);
    assert_eq!(rows(&transaction, "FOR d IN c RETURN d.n"), json!([1]));
    assert_eq!(error(query(&transaction, "FOR d IN new RETURN d")), ErrorCode::DataSourceNotFound);
    // An index that is built: the transaction sees a time before it.
    create(&session, r#"{"name": "d"}"#);
    query(&session, "FOR i IN 1..10 INSERT {n: i} INTO d").unwrap();
    let (_, transaction) = begin(&session, r#"{"collections": {"read": "d"}}"#);
    session.create_index("d", Slice::new(&value(r#"{"type": "persistent", "fields": ["n"]}"#))).unwrap();
    assert_eq!(rows(&transaction, "FOR d IN d FILTER d.n == 5 RETURN d.n"), json!([5]));
    assert_eq!(rows(&session, "FOR d IN d FILTER d.n == 5 RETURN d.n"), json!([5]));
}

#[test]
fn the_first_writer_wins() {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    query(&session, "INSERT {_key: 'a', n: 1} INTO c").unwrap();
    let (first, one) = begin(&session, r#"{"collections": {"write": "c"}}"#);
    let (second, two) = begin(&session, r#"{"collections": {"write": "c"}}"#);
    query(&one, "UPDATE 'a' WITH {n: 2} IN c").unwrap();
    let began = Instant::now();
    assert_eq!(error(query(&two, "UPDATE 'a' WITH {n: 3} IN c")), ErrorCode::Conflict);
    assert!(began.elapsed() < Duration::from_secs(10));
    // The failed request leaves the transaction as it was.
    query(&two, "INSERT {_key: 'b'} INTO c").unwrap();
    session.commit_transaction(first).unwrap();
    assert_eq!(error(query(&two, "UPDATE 'a' WITH {n: 3} IN c")), ErrorCode::Conflict);
    session.commit_transaction(second).unwrap();
    assert_eq!(rows(&session, "FOR d IN c RETURN d.n"), json!([2, null]));
}

fn impatient() -> Session {
    let transactions = TransactionLimits {
        lock_timeout: Duration::from_millis(100),
        idle_timeout: Duration::from_millis(200),
        ..TransactionLimits::default()
    };
    session_with(InstanceOptions { transactions, ..InstanceOptions::default() })
}

#[test]
fn requests_take_turns_and_an_abort_ends_them() {
    let session = impatient();
    create(&session, r#"{"name": "c"}"#);
    let (id, transaction) = begin(&session, r#"{"collections": {"write": "c"}}"#);
    let long = transaction.clone();
    let running = std::thread::spawn(move || {
        query(&long, "FOR i IN 1..1000000 INSERT {} INTO c RETURN SLEEP(0.01)").map(drop)
    });
    while error_or_none(query(&transaction, "RETURN LENGTH(c)")) != Some(ErrorCode::Locked) {
        std::thread::yield_now();
    }
    assert_eq!(error(query(&transaction, "INSERT {} INTO c")), ErrorCode::Locked);
    assert_eq!(error(session.commit_transaction(id)), ErrorCode::Locked);
    // A transaction in use does not expire. Time is what is tested.
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(session.transaction_status(id).unwrap(), TransactionStatus::Running);
    session.abort_transaction(id).unwrap();
    assert_eq!(error(running.join().unwrap()), ErrorCode::QueryKilled);
    assert_eq!(error(query(&transaction, "RETURN LENGTH(c)")), ErrorCode::TransactionAborted);
    assert_eq!(count(&session, "c"), 0);
    // Its locks are gone.
    session.truncate_collection("c").unwrap();
}

fn error_or_none(result: errors::Result<impl Sized>) -> Option<ErrorCode> {
    result.err().map(|error| error.code())
}

#[test]
fn an_abandoned_transaction_is_aborted() {
    let session = impatient();
    create(&session, r#"{"name": "c"}"#);
    let (id, transaction) = begin(&session, r#"{"collections": {"exclusive": "c"}}"#);
    query(&transaction, "INSERT {} INTO c").unwrap();
    wait_until("the transaction expires", || {
        session.transaction_status(id).unwrap() != TransactionStatus::Running
    });
    assert_eq!(session.transaction_status(id).unwrap(), TransactionStatus::Aborted);
    query(&session, "INSERT {} INTO c").unwrap();
    assert_eq!(count(&session, "c"), 1);
    assert_eq!(session.instance().transactions().counts().expired.get(), 1);
}

#[test]
fn a_transaction_belongs_to_its_user() {
    let root = session();
    create(&root, r#"{"name": "c"}"#);
    let (amy, ben) = (as_user(&root, "amy"), as_user(&root, "ben"));
    let mut limited = catalog::UserDefinition::new("eve", String::new());
    limited.rights.grant_database("_system", catalog::AccessLevel::ReadOnly);
    root.instance().store().create_user(limited).unwrap();
    let eve = Session::open(Arc::clone(root.instance()), "_system", Identity::User("eve".into())).unwrap();
    let (id, _) = begin(&amy, r#"{"collections": {"write": "c"}}"#);
    assert_eq!(error(eve.transaction_status(id)), ErrorCode::TransactionNotFound);
    assert_eq!(error(eve.abort_transaction(id)), ErrorCode::TransactionNotFound);
    assert_eq!(error(query(&eve.clone().within(id), "RETURN 1")), ErrorCode::TransactionNotFound);
    assert!(eve.transactions().is_empty());
    assert_ne!(
        error(eve.begin_transaction(&request(r#"{"collections": {"write": "c"}}"#))),
        ErrorCode::Locked
    );
    // Administrators of the server may use all.
    assert_eq!(ben.transactions().len(), 1);
    ben.abort_transaction(id).unwrap();
    assert_eq!(amy.transaction_status(id).unwrap(), TransactionStatus::Aborted);
}

#[test]
fn writes_are_charged_to_the_memory_of_queries() {
    let session =
        session_with(InstanceOptions { query_memory_bytes: 20_000_000, ..InstanceOptions::default() });
    create(&session, r#"{"name": "c"}"#);
    let (id, transaction) = begin(&session, r#"{"collections": {"write": "c"}}"#);
    let insert = "FOR i IN 1..1000 INSERT {text: REPEAT('x', 1000)} INTO c";
    let mut inserted = 0;
    let refused = loop {
        match query(&transaction, insert) {
            Ok(_) => inserted += 1,
            Err(error) => break error.code(),
        }
        assert!(inserted < 100);
    };
    assert_eq!(refused, ErrorCode::ResourceLimit);
    assert!(inserted > 3, "{inserted}");
    assert_eq!(count(&transaction, "c"), inserted * 1000);
    assert!(session.instance().query_memory_used_bytes() > 3_000_000);
    session.commit_transaction(id).unwrap();
    assert_eq!(count(&session, "c"), inserted * 1000);
    assert_eq!(session.instance().query_memory_used_bytes(), 0);
}

#[test]
fn a_stopping_server_ends_transactions() {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    let (id, _) = begin(&session, r#"{"collections": {"exclusive": "c"}}"#);
    session.instance().stop();
    assert_eq!(session.transaction_status(id).unwrap(), TransactionStatus::Aborted);
    let again = session.begin_transaction(&request(r#"{"collections": {}}"#));
    assert_eq!(error(again), ErrorCode::ShuttingDown);
}

#[test]
fn a_concurrent_commit_and_abort_agree_on_the_outcome() {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    for round in 0..300 {
        let (id, transaction) = begin(&session, r#"{"collections": {"write": "c"}}"#);
        query(&transaction, &format!("FOR i IN 1..200 INSERT {{round: {round}}} INTO c")).unwrap();
        let other = session.clone();
        let aborting = std::thread::spawn(move || other.abort_transaction(id).is_ok());
        let committed = session.commit_transaction(id).is_ok();
        let aborted = aborting.join().unwrap();
        assert_ne!(committed, aborted, "round {round}");
        let status = session.transaction_status(id).unwrap();
        let expected = if committed { TransactionStatus::Committed } else { TransactionStatus::Aborted };
        assert_eq!(status, expected, "round {round}");
        let written =
            rows(&session, &format!("RETURN LENGTH(FOR d IN c FILTER d.round == {round} RETURN 1)"));
        assert_eq!(written, json!([if committed { 200 } else { 0 }]), "round {round}");
        session.truncate_collection("c").unwrap();
    }
}
