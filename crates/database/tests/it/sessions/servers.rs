//! Sessions of several servers on one store: definitions, plans, results and transactions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::AccessLevel;
use database::transaction::TransactionRequest;
use database::{Identity, Instance, InstanceOptions, Session};
use errors::ErrorCode;
use kv_tikv::MemoryCluster;
use serde_json::json;
use storage::Durability;
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{count, create, query, rows, value};

pub(super) fn open(cluster: &MemoryCluster) -> Session {
    let engine = cluster.open(Duration::from_secs(3600)).unwrap();
    let instance = Instance::open(engine, InstanceOptions::default()).unwrap();
    Session::open(instance, "_system", Identity::Superuser).unwrap()
}

fn pair() -> (Session, Session) {
    let cluster = MemoryCluster::new();
    (open(&cluster), open(&cluster))
}

/// Plans and results of one server follow what the other one changes.
#[test]
fn queries_see_what_another_server_has_changed() {
    let (left, right) = pair();
    create(&left, r#"{"name": "c"}"#);
    for round in 0..3_u64 {
        query(&left, &format!("INSERT {{n: {round}}} INTO c")).unwrap();
        assert_eq!(rows(&right, "FOR d IN c SORT d.n RETURN d.n")[round as usize], round);
        assert_eq!((count(&left, "c"), count(&right, "c")), (round + 1, round + 1));
    }
    let filtered = "FOR d IN c FILTER d.n == 1 RETURN d.n";
    assert_eq!(rows(&right, filtered), json!([1]));
    let index = value(r#"{"type": "persistent", "fields": ["n"], "unique": true}"#);
    left.create_index("c", Slice::new(&index)).unwrap();
    assert_eq!(rows(&right, filtered), json!([1]));
    let refused = query(&right, "INSERT {n: 1} INTO c").err().unwrap();
    assert_eq!(refused.code(), ErrorCode::UniqueConstraintViolated);
}

/// Graphs, Analyzers, views and users of one server also exist on the other one.
#[test]
fn definitions_in_documents_are_followed() {
    let (left, right) = pair();
    let graph =
        value(r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": ["v"], "to": ["v"]}]}"#);
    left.create_graph(Slice::new(&graph), Durability::Buffered).unwrap();
    query(&right, "FOR i IN 1..3 INSERT {_key: TO_STRING(i)} INTO v").unwrap();
    query(&right, "FOR i IN 1..2 INSERT {_from: CONCAT('v/', i), _to: CONCAT('v/', i + 1)} INTO e").unwrap();
    let reached = "FOR v IN 1..2 OUTBOUND 'v/1' GRAPH 'g' RETURN v._key";
    assert_eq!(rows(&left, reached), json!(["2", "3"]));
    let mut user = catalog::UserDefinition::new("anna", String::new());
    user.rights.grant_database("_system", AccessLevel::ReadOnly);
    left.instance().store().create_user(user).unwrap();
    let anna = Session::open(Arc::clone(right.instance()), "_system", Identity::User("anna".into())).unwrap();
    assert_eq!(query(&anna, "INSERT {} INTO v").err().unwrap().code(), ErrorCode::ReadOnly);
    let view = value(r#"{"name": "w", "type": "arangosearch", "links": {"v": {"includeAllFields": true}}}"#);
    left.create_view(Slice::new(&view)).unwrap();
    query(&right, "INSERT {_key: 'new', t: 'x'} INTO v").unwrap();
    let searched = "FOR d IN w SEARCH d.t == 'x' OPTIONS {waitForSync: true} RETURN d._key";
    for session in [&left, &right] {
        assert_eq!(rows(session, searched), json!(["new"]));
    }
    right.drop_view("w").unwrap();
    assert_eq!(query(&left, searched).err().unwrap().code(), ErrorCode::DataSourceNotFound);
}

/// An exclusive stream transaction of one server keeps the writers of the other one out.
#[test]
fn stream_transactions_exclude_other_servers() {
    let (left, right) = pair();
    create(&left, r#"{"name": "c"}"#);
    let request = |json: &str| TransactionRequest::from_body(Slice::new(&value(json))).unwrap();
    let exclusive = request(r#"{"collections": {"exclusive": "c"}}"#);
    let alone = right.begin_transaction(&exclusive).unwrap().id;
    query(&right.clone().within(alone), "INSERT {n: 1} INTO c").unwrap();
    let waiting = request(r#"{"collections": {"exclusive": "c"}, "lockTimeout": 0.2}"#);
    assert_eq!(left.begin_transaction(&waiting).err().unwrap().code(), ErrorCode::LockTimeout);
    right.commit_transaction(alone).unwrap();
    query(&left, "INSERT {n: 2} INTO c").unwrap();
    assert_eq!((count(&left, "c"), count(&right, "c")), (2, 2));
}

/// Returns a server with the collections `c` and `u`, the second one with a unique index over `n`.
fn with_two_collections() -> (MemoryCluster, Session) {
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    for name in ["c", "u"] {
        create(&session, &format!(r#"{{"name": "{name}"}}"#));
    }
    let unique = value(r#"{"type": "persistent", "fields": ["n"], "unique": true}"#);
    session.create_index("u", Slice::new(&unique)).unwrap();
    (cluster, session)
}

/// Returns the number of messages that a server has sent to the cluster for `work`.
///
/// Those of its threads are left out: after a change of definitions, up to one in a millisecond.
fn messages_for(session: &Session, work: impl FnOnce()) -> u64 {
    let messages = || {
        let nodes = session.instance().store().engine().statistics().nodes;
        nodes.iter().map(|node| node.replies.count()).sum::<u64>()
    };
    let (before, begun) = (messages(), Instant::now());
    work();
    (messages() - before).saturating_sub(begun.elapsed().as_millis() as u64)
}

/// Checks that `work` waits for several messages at once, where each takes a millisecond.
fn waits_together(cluster: &MemoryCluster, work: impl FnOnce()) {
    cluster.delay(Duration::from_millis(1));
    cluster.messages();
    work();
    let (_, most_at_once) = cluster.messages();
    assert!(most_at_once >= 8, "{most_at_once} messages at once");
}

/// Statements over many rows look up their documents in batches.
#[test]
fn statements_over_many_rows_send_few_messages() {
    const ROWS: u64 = 2_000;
    /// Messages for each thousand rows.
    const MESSAGES_MAX: u64 = 100;
    let (_cluster, session) = with_two_collections();
    let last = ROWS - 1;
    let names = format!("(FOR i IN 0..{last} RETURN CONCAT('c/k', i))");
    for (text, result) in [
        (format!("FOR i IN 0..{last} INSERT {{_key: CONCAT('k', i), n: i}} INTO c"), json!([])),
        (format!("FOR i IN 0..{last} INSERT {{_key: CONCAT('k', i), n: i}} INTO u"), json!([])),
        ("FOR d IN c UPDATE d WITH {m: 1} IN c".to_owned(), json!([])),
        (format!("FOR i IN 0..{last} UPDATE CONCAT('k', i) WITH {{m: 2}} IN c"), json!([])),
        ("FOR d IN u UPDATE d WITH {m: 2} IN u".to_owned(), json!([])),
        (format!("FOR d IN u UPDATE d WITH {{n: d.n + {ROWS}}} IN u"), json!([])),
        (format!("FOR i IN 0..{last} REPLACE CONCAT('k', i) WITH {{n: -1 - i}} IN u"), json!([])),
        (format!("FOR i IN 0..{last} REPLACE CONCAT('k', i) WITH {{n: i, m: 3}} IN c"), json!([])),
        (format!("RETURN SUM(DOCUMENT({names})[*].m)"), json!([3 * ROWS])),
        (format!("RETURN SUM(FOR i IN 0..{last} RETURN DOCUMENT('c', CONCAT('k', i)).m)"), json!([3 * ROWS])),
        (format!("RETURN LENGTH(FOR n IN {names} RETURN DOCUMENT(n)._id)"), json!([ROWS])),
        (format!("FOR i IN 1..{last} REMOVE CONCAT('k', i) IN c"), json!([])),
        ("FOR d IN u REMOVE d IN u".to_owned(), json!([])),
    ] {
        let sent = messages_for(&session, || assert_eq!(rows(&session, &text), result, "{text}"));
        assert!(sent <= MESSAGES_MAX * ROWS / 1_000, "{sent} messages: {text}");
    }
    assert_eq!((count(&session, "c"), count(&session, "u")), (1, 0));
}

/// The search of an UPSERT is looked up for many rows together, although each row finds what the
/// rows before it have written.
#[test]
fn upserts_of_many_rows_send_few_messages() {
    const ROWS: u64 = 1_000;
    /// Messages for each thousand rows.
    const MESSAGES_MAX: u64 = 120;
    let (_cluster, session) = with_two_collections();
    let by_key = format!(
        "FOR i IN 1..{ROWS} UPSERT {{_key: CONCAT('k', i % 900)}} \
         INSERT {{_key: CONCAT('k', i % 900), m: 1}} UPDATE {{m: OLD.m + 1}} IN c"
    );
    let by_index = format!(
        "FOR i IN 1..{ROWS} UPSERT {{n: i % 900}} \
         INSERT {{_key: CONCAT('k', i % 900), n: i % 900, m: 1}} REPLACE {{n: OLD.n, m: OLD.m + 1}} IN u"
    );
    // An insert looks its key up, unless the search has done so.
    for (text, collection, inserts) in [(by_key, "c", 0), (by_index, "u", 900)] {
        for round in 1..=2 {
            let sent = messages_for(&session, || drop(query(&session, &text).unwrap()));
            let most = MESSAGES_MAX * ROWS / 1_000 + if round == 1 { inserts } else { 0 };
            assert!(sent <= most, "{sent} messages in round {round}: {text}");
            let sum = rows(&session, &format!("RETURN SUM(FOR d IN {collection} RETURN d.m)"));
            assert_eq!((count(&session, collection), sum), (900, json!([round * ROWS])));
        }
    }
}

/// Subqueries that run once for each row read ahead for the following rows.
#[test]
fn subqueries_of_many_rows_wait_together() {
    const ROWS: u64 = 200;
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    for name in ["c", "d"] {
        create(&session, &format!(r#"{{"name": "{name}"}}"#));
    }
    let index = value(r#"{"type": "persistent", "fields": ["n", "m"]}"#);
    session.create_index("d", Slice::new(&index)).unwrap();
    query(&session, &format!("FOR i IN 1..{ROWS} INSERT {{_key: TO_STRING(i), n: i}} INTO c")).unwrap();
    query(&session, &format!("FOR i IN 1..{ROWS} FOR m IN 1..3 INSERT {{n: i, m, x: i * m}} INTO d"))
        .unwrap();
    let expected: Vec<u64> = (1..=ROWS).map(|i| i * 3).collect();
    for text in [
        "FOR i IN c SORT i.n RETURN FIRST(FOR j IN d FILTER j.n == i.n SORT j.m DESC LIMIT 1 RETURN j.x)",
        "FOR i IN c SORT i.n RETURN MAX(FOR j IN d FILTER j.n == i.n COLLECT x = j.x RETURN x)",
        "FOR i IN c SORT i.n RETURN LAST(FOR j IN d FILTER j.n == i.n SORT j.x RETURN j.x)",
    ] {
        waits_together(&cluster, || assert_eq!(rows(&session, text), json!(expected), "{text}"));
    }
}

/// A merge join whose matches are far apart searches for many rows concurrently; one whose matches
/// are near reads its index in order.
#[test]
fn merge_joins_wait_for_few_messages() {
    const ROWS: u64 = 100;
    const GAP: u64 = 300;
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    for name in ["c", "d"] {
        create(&session, &format!(r#"{{"name": "{name}"}}"#));
        let index = value(r#"{"type": "persistent", "fields": ["n"]}"#);
        session.create_index(name, Slice::new(&index)).unwrap();
    }
    query(&session, &format!("FOR i IN 1..{ROWS} INSERT {{n: i * {GAP}}} INTO c")).unwrap();
    query(&session, &format!("FOR i IN 1..{} INSERT {{n: i}} INTO d", ROWS * GAP)).unwrap();
    let near = "FOR i IN d FOR j IN d FILTER i.n == j.n COLLECT WITH COUNT INTO n RETURN n";
    let messages = messages_for(&session, || assert_eq!(rows(&session, near), json!([ROWS * GAP])));
    assert!(messages <= 200, "{messages} messages");
    let far = "FOR i IN c FOR j IN d FILTER i.n == j.n RETURN i.n";
    waits_together(&cluster, || assert_eq!(rows(&session, far).as_array().unwrap().len() as u64, ROWS));
}

/// A search for near vectors reads several lists at once.
#[test]
fn lists_of_vectors_are_read_together() {
    const ROWS: u64 = 400;
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    create(&session, r#"{"name": "c"}"#);
    let rows_of = format!("FOR i IN 1..{ROWS} INSERT {{_key: TO_STRING(i), v: [i, i % 20]}} INTO c");
    query(&session, &rows_of).unwrap();
    let index =
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 2, "nLists": 20}}"#;
    session.create_index("c", Slice::new(&value(index))).unwrap();
    let nearest = "FOR d IN c SORT APPROX_NEAR_L2(d.v, [200, 0], {nProbe: 20}) LIMIT 3 RETURN d._key";
    waits_together(&cluster, || assert_eq!(rows(&session, nearest), json!(["200", "201", "202"])));
}

/// A traversal by another index than the edge index reads ahead as well.
#[test]
fn traversals_by_vertex_centric_indexes_wait_together() {
    const VERTICES: u64 = 100;
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    create(&session, r#"{"name": "v"}"#);
    create(&session, r#"{"name": "e", "type": 3}"#);
    let index = value(r#"{"type": "persistent", "fields": ["_from", "kind"]}"#);
    session.create_index("e", Slice::new(&index)).unwrap();
    for text in [
        format!("FOR i IN 0..{VERTICES} INSERT {{_key: TO_STRING(i)}} INTO v"),
        format!("FOR i IN 1..{VERTICES} INSERT {{_from: 'v/0', _to: CONCAT('v/', i), kind: i % 2}} INTO e"),
        format!("FOR i IN 1..{VERTICES} INSERT {{_from: CONCAT('v/', i), _to: 'v/0', kind: 1}} INTO e"),
    ] {
        query(&session, &text).unwrap();
    }
    let text = "FOR v, e, p IN 2..2 OUTBOUND 'v/0' e OPTIONS {indexHint: {e: {outbound: {base: 'INDEX'}}}} \
                FILTER p.edges[*].kind ALL == 1 COLLECT WITH COUNT INTO n RETURN n";
    let text =
        text.replace("INDEX", session.collection("e", AccessLevel::ReadOnly).unwrap().indexes()[2].name());
    waits_together(&cluster, || assert_eq!(rows(&session, &text), json!([VERTICES / 2])));
}

/// A collection with indexes is dropped by ranges of keys.
#[test]
fn a_collection_is_dropped_with_few_messages() {
    const ROWS: u64 = 2_000;
    const MESSAGES_MAX: u64 = 200;
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    create(&session, r#"{"name": "c"}"#);
    for field in ["a", "b", "n"] {
        let index = value(&format!(r#"{{"type": "persistent", "fields": ["{field}"]}}"#));
        session.create_index("c", Slice::new(&index)).unwrap();
    }
    query(&session, &format!("FOR i IN 1..{ROWS} INSERT {{a: i, b: -i, n: i % 7}} INTO c")).unwrap();
    let sent = messages_for(&session, || {
        session.drop_collection("c", false).unwrap();
        assert!(session.collection("c", AccessLevel::ReadOnly).is_err());
        wait_until("its keys are deleted", || session.instance().store().has_deleted_all());
    });
    assert!(sent <= MESSAGES_MAX, "{sent} messages");
}

/// A batch of lookups changes nothing of what statements see and find.
#[test]
fn batches_of_lookups_see_what_single_ones_would() {
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    create(&session, r#"{"name": "c"}"#);
    create(&session, r#"{"name": "d"}"#);
    let unique = value(r#"{"type": "persistent", "fields": ["n"], "unique": true}"#);
    session.create_index("c", Slice::new(&unique)).unwrap();
    query(&session, "FOR i IN 1..3 INSERT {_key: TO_STRING(i), n: i} INTO c").unwrap();
    query(&session, "INSERT {_key: '1', n: 10} INTO d").unwrap();
    let documents = "RETURN DOCUMENT(['c/3', 'd/1', 'none/1', 'c/9', 5, {_id: 'c/1'}, 'c/3', null])[*].n";
    assert_eq!(rows(&session, documents), json!([[3, 10, 1, 3]]));
    let mixed = "FOR x IN ['c/2', 'd/1', ['c/1', 'c/9'], 'c', null] RETURN DOCUMENT(x).n";
    assert_eq!(rows(&session, mixed), json!([2, 10, null, null, null]));
    let of = "FOR x IN [['c', '1'], ['c', 'd/1'], ['d', 'd/1'], [1, '1']] RETURN DOCUMENT(x[0], x[1]).n";
    assert_eq!(rows(&session, of), json!([1, null, 10, null]));
    // The second row sees the write of the first one.
    let twice = "FOR x IN [['1', 'a'], ['1', 'b']] UPDATE x[0] WITH {[x[1]]: 1} IN c RETURN NEW.a";
    assert_eq!(rows(&session, twice), json!([1, 1]));
    let gone = query(&session, "FOR x IN ['2', '2'] REMOVE x IN c").err().unwrap();
    assert_eq!(gone.code(), ErrorCode::DocumentNotFound);
    let taken = query(&session, "FOR x IN [7, 8, 7] INSERT {n: x} INTO c").err().unwrap();
    assert_eq!(taken.code(), ErrorCode::UniqueConstraintViolated);
    let taken = query(&session, "FOR x IN [7, 8, 3] INSERT {n: x} INTO c").err().unwrap();
    assert_eq!(taken.code(), ErrorCode::UniqueConstraintViolated);
    let some = "FOR x IN ['2', '9', '3'] REMOVE x IN c OPTIONS {ignoreErrors: true} RETURN OLD.n";
    assert_eq!(rows(&session, some), json!([2, 3]));
    assert_eq!(count(&session, "c"), 1);
}

/// A query that reads costs one timestamp.
#[test]
fn a_query_costs_one_timestamp() {
    const QUERIES: u64 = 200;
    /// The least time between two looks of the background at what other servers have announced.
    const FOLLOWED_EVERY: Duration = Duration::from_millis(5);
    let cluster = MemoryCluster::new();
    let session = open(&cluster);
    create(&session, r#"{"name": "c"}"#);
    query(&session, "FOR i IN 1..3 INSERT {_key: TO_STRING(i), n: i} INTO c").unwrap();
    for text in ["RETURN DOCUMENT('c/1').n", "FOR d IN c FILTER d.n == 2 RETURN d", "RETURN LENGTH(c)"] {
        let begin = Instant::now();
        cluster.timestamps();
        for _ in 0..QUERIES {
            rows(&session, text);
        }
        let (_, given) = cluster.timestamps();
        let background = begin.elapsed().as_micros() / FOLLOWED_EVERY.as_micros();
        let most = QUERIES + u64::try_from(background).unwrap() + 20;
        assert!((QUERIES..=most).contains(&given), "{given} timestamps, at most {most}: {text}");
    }
}
