//! A second store follows the log of the first: at the end both are equal.

use std::sync::Arc;

use database::changes::TailRequest;
use database::follow::{AppliedPosition, Applier, CopiedState, TailBody};
use database::{Identity, Instance, InstanceOptions, Session};
use serde_json::{Value, json};
use storage::{ChangeLogMode, ChangeLogOptions, StoreOptions};

use crate::common::*;

const SOURCE: &str = "7";

/// A store that writes a log, and one that follows it.
struct Pair {
    leader: Session,
    follower: Session,
    /// The tick up to which the follower has received the log.
    received: u64,
}

impl Pair {
    fn new() -> Pair {
        let changes = ChangeLogOptions { mode: ChangeLogMode::Always, ..ChangeLogOptions::default() };
        let options = StoreOptions { changes, ..StoreOptions::default() };
        let leader =
            Instance::with_store_options(test_engine::engine(), options, InstanceOptions::default()).unwrap();
        let leader = Session::open(leader, "_system", Identity::Superuser).unwrap();
        let received = leader.tick_range().unwrap().last;
        Pair { leader, follower: session(), received }
    }

    fn applier(&self) -> Applier {
        let begin = CopiedState { first: self.received, last: self.received };
        Applier::open(Arc::clone(self.follower.instance()), SOURCE, begin).unwrap()
    }

    /// Returns the log behind a tick, at least one entry.
    fn tail(&self, from: u64, chunk_bytes: usize, velocypack: bool) -> (Vec<u8>, u64) {
        let request = TailRequest {
            from,
            to: u64::MAX,
            global: true,
            chunk_bytes,
            is_old_form: false,
            include_system: true,
            velocypack,
        };
        let tail = self.leader.tail(&request).unwrap();
        (tail.entries, tail.last_scanned)
    }

    /// Applies everything that the leader has, in chunks of this size.
    fn follow(&mut self, chunk_bytes: usize) {
        let mut applier = self.applier();
        self.received = applier.position().restart;
        while self.received < self.leader.tick_range().unwrap().last {
            let is_binary = self.received.is_multiple_of(2);
            let (entries, scanned) = self.tail(self.received, chunk_bytes, is_binary);
            let body = match is_binary {
                true => TailBody::VelocyPack(&entries),
                false => TailBody::Lines(&entries),
            };
            applier.apply(body).unwrap();
            self.received = scanned;
        }
    }

    #[track_caller]
    fn assert_equal(&self) {
        assert_eq!(state(&self.follower), state(&self.leader));
    }
}

/// Returns all databases with their collections, indexes and documents, but for numbers that each
/// store gives itself.
fn state(session: &Session) -> Value {
    let catalog = session.catalog();
    let mut state = serde_json::Map::new();
    for database in catalog.databases() {
        let session =
            Session::open(Arc::clone(session.instance()), database.name(), Identity::Superuser).unwrap();
        for collection in database.collections() {
            let mut indexes: Vec<String> =
                collection.indexes().iter().map(|index| index.definition().name.clone()).collect();
            indexes.sort();
            let name = collection.name();
            let documents = rows(&session, &format!("FOR d IN `{name}` SORT d._key RETURN d"));
            let properties = &collection.definition().properties;
            let described = json!({
                "uniqueId": collection.definition().globally_unique_id,
                "isEdge": collection.is_edge(),
                "waitForSync": properties.wait_for_sync,
                "indexes": indexes,
                "documents": documents,
                "count": count(&session, name),
            });
            state.insert(format!("{}/{name}", database.name()), described);
        }
        let views: Vec<&str> = database.views().map(|view| view.name.as_str()).collect();
        state.insert(database.name().to_owned(), json!(views));
    }
    Value::Object(state)
}

fn run(session: &Session, text: &str) {
    query(session, text).unwrap();
}

#[test]
fn documents_transactions_and_definitions_are_applied() {
    let mut pair = Pair::new();
    let leader = pair.leader.clone();
    create(&leader, r#"{"name": "docs", "waitForSync": true}"#);
    create(&leader, r#"{"name": "links", "type": 3}"#);
    run(&leader, "FOR i IN 1..100 INSERT {_key: TO_STRING(i), n: i} INTO docs");
    pair.follow(1 << 20);
    pair.assert_equal();
    run(&leader, "FOR d IN docs FILTER d.n < 50 UPDATE d WITH {n: d.n + 1000} IN docs");
    run(&leader, "FOR d IN docs FILTER d.n > 1030 REMOVE d IN docs");
    run(&leader, "FOR d IN docs LIMIT 5 INSERT {_from: d._id, _to: 'docs/1'} INTO links");
    let index = value(r#"{"type": "persistent", "fields": ["n"], "unique": true, "name": "by_n"}"#);
    leader.create_index("docs", velocypack::Slice::new(&index)).unwrap();
    leader.rename_collection("links", "edges").unwrap();
    leader.create_database("other").unwrap();
    let other = Session::open(Arc::clone(leader.instance()), "other", Identity::Superuser).unwrap();
    create(&other, r#"{"name": "theirs"}"#);
    run(&other, "INSERT {_key: 'a'} INTO theirs");
    pair.follow(64);
    pair.assert_equal();
    let by_n = leader.collection("docs", catalog::AccessLevel::ReadOnly).unwrap();
    let by_n_index = by_n.indexes().iter().find(|index| index.definition().name == "by_n").unwrap().clone();
    leader.drop_index(&by_n, &by_n_index).unwrap();
    leader.truncate_collection("edges").unwrap();
    leader.drop_database("other").unwrap();
    leader.drop_collection("edges", false).unwrap();
    pair.follow(1 << 20);
    pair.assert_equal();
}

#[test]
fn a_log_that_comes_again_changes_nothing() {
    let mut pair = Pair::new();
    let (leader, begin) = (pair.leader.clone(), pair.received);
    create(&leader, r#"{"name": "docs"}"#);
    run(&leader, "FOR i IN 1..20 INSERT {_key: TO_STRING(i)} INTO docs");
    run(&leader, "FOR i IN 1..10 REMOVE TO_STRING(i) IN docs");
    pair.follow(1 << 20);
    let before = AppliedPosition::read(pair.follower.instance().store(), SOURCE).unwrap();
    assert!(before.is_some_and(|position| position.restart == position.applied));
    let (whole, _) = pair.tail(begin, 1 << 20, false);
    pair.applier().apply(TailBody::Lines(&whole)).unwrap();
    pair.assert_equal();
    assert_eq!(AppliedPosition::read(pair.follower.instance().store(), SOURCE).unwrap(), before);
}

/// Returns entries as ArangoDB writes them: operations of transactions stand between each other.
fn arangodb(lines: &[(u64, u64, u64, Value)]) -> Vec<u8> {
    let line = |(tick, kind, tid, data): &(u64, u64, u64, Value)| {
        let entry = json!({"tick": tick.to_string(), "type": kind, "tid": tid.to_string(), "db": "_system",
                           "cuid": "hA/1", "data": data});
        format!("{entry}\n")
    };
    lines.iter().map(line).collect::<String>().into_bytes()
}

#[test]
fn transactions_that_overlap_are_applied_when_they_commit() {
    let pair = Pair::new();
    let document =
        |key: &str, n: u64| json!({"_key": key, "_id": format!("docs/{key}"), "_rev": "_a", "n": n});
    let log = [
        (1, 2000, 0, json!({"name": "docs", "type": 2})),
        (2, 2200, 50, Value::Null),
        (3, 2300, 50, document("a", 1)),
        (4, 2200, 60, Value::Null),
        (5, 2300, 60, document("b", 1)),
        (6, 2300, 0, document("a", 0)),
        (7, 2200, 70, Value::Null),
        (8, 2300, 70, document("never", 1)),
        (9, 2201, 60, Value::Null),
        (10, 2202, 70, Value::Null),
        (11, 2302, 50, json!({"_key": "b", "_rev": "_b"})),
        (12, 2201, 50, Value::Null),
        (13, 2302, 0, json!({"_key": "missing", "_rev": "_b"})),
    ];
    let seen = |pair: &Pair| rows(&pair.follower, "FOR d IN docs SORT d._key RETURN [d._key, d.n, d._rev]");
    // A crash after each entry: the log comes again from where the position says.
    for end in 1..=log.len() {
        let mut applier =
            Applier::open(Arc::clone(pair.follower.instance()), SOURCE, CopiedState::default()).unwrap();
        let from = applier.position().restart;
        let again: Vec<_> = log[..end].iter().filter(|(tick, ..)| *tick > from).cloned().collect();
        applier.apply(TailBody::Lines(&arangodb(&again))).unwrap();
        match end {
            6..=8 => assert_eq!(seen(&pair), json!([["a", 0, "_a"]])),
            9..=11 => assert_eq!(seen(&pair), json!([["a", 0, "_a"], ["b", 1, "_a"]])),
            12..=13 => assert_eq!(seen(&pair), json!([["a", 1, "_a"]])),
            _ => assert_eq!(seen(&pair), json!([])),
        }
    }
}

#[test]
fn what_cannot_be_applied_is_refused_and_leaves_the_position() {
    let pair = Pair::new();
    let mut applier = pair.applier();
    for wrong in [
        "{",
        "[]",
        r#"{"tick": "1"}"#,
        r#"{"tick": "x", "type": 2300, "db": "_system"}"#,
        r#"{"tick": "900", "type": 9999, "db": "_system"}"#,
        r#"{"tick": "900", "type": 2300, "db": "_system", "cuid": "none", "data": {"_key": "a"}}"#,
        r#"{"tick": "900", "type": 2300, "db": "_system", "cuid": "_graphs", "data": {}}"#,
        r#"{"tick": "900", "type": 2300, "db": "missing", "cuid": "_graphs", "data": {"_key": "a"}}"#,
        r#"{"tick": "900", "type": 1101, "db": "_system"}"#,
        r#"{"tick": "900", "type": 2101, "db": "_system", "cuid": "_graphs", "data": {"id": "7"}}"#,
        r#"{"tick": "900", "type": 2111, "db": "_system", "cuid": "c", "data": {"id": "7"}}"#,
    ] {
        applier.apply(TailBody::Lines(wrong.as_bytes())).unwrap_err();
    }
    applier.apply(TailBody::VelocyPack(b"\x0b")).unwrap_err();
    assert_eq!(AppliedPosition::read(pair.follower.instance().store(), SOURCE).unwrap(), None);
    let position = applier.position();
    assert_eq!((position.applied, position.restart), (pair.received, pair.received));
}
