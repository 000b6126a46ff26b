//! Sessions of several servers on one store: definitions, plans, results and transactions.

use std::sync::Arc;
use std::time::Duration;

use catalog::AccessLevel;
use database::transaction::TransactionRequest;
use database::{Identity, Instance, InstanceOptions, Session};
use errors::ErrorCode;
use kv_tikv::MemoryCluster;
use serde_json::json;
use storage::Durability;
use velocypack::Slice;

use crate::common::{count, create, query, rows, value};

fn open(cluster: &MemoryCluster) -> Session {
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
