//! Graphs, Analyzers and views, while several servers change them.

use std::thread;
use std::time::Duration;

use catalog::{EdgeDefinition, ViewProperties};
use database::Session;
use errors::ErrorCode;
use kv_tikv::MemoryCluster;
use storage::Durability;
use velocypack::Slice;

use super::servers::open;
use crate::common::{create, value};

/// Two servers whose messages take so long that their changes overlap.
fn slow_pair() -> (Session, Session) {
    let cluster = MemoryCluster::new();
    let pair = (open(&cluster), open(&cluster));
    cluster.delay(Duration::from_millis(1));
    pair
}

/// Runs work on both servers concurrently.
fn concurrently<T: Send>(
    (left, right): &(Session, Session),
    work: impl Fn(&Session, &str) -> T + Sync,
) -> [T; 2] {
    thread::scope(|scope| {
        let left = scope.spawn(|| work(left, "left"));
        let right = work(right, "right");
        [left.join().unwrap(), right]
    })
}

fn graph(name: &str, edges: &str, from: &str) -> Vec<u8> {
    let definition = format!(r#"{{"collection": "{edges}", "from": ["{from}"], "to": ["v"]}}"#);
    value(&format!(r#"{{"name": "{name}", "edgeDefinitions": [{definition}]}}"#))
}

fn create_graph(session: &Session, name: &str, edges: &str, from: &str) -> errors::Result<()> {
    session.create_graph(Slice::new(&graph(name, edges, from)), Durability::Buffered).map(drop)
}

#[test]
fn each_server_keeps_what_the_other_one_adds_to_a_graph() {
    let pair = slow_pair();
    create_graph(&pair.0, "g", "first", "v").unwrap();
    concurrently(&pair, |session, side| {
        for number in 0..4 {
            let edges = format!("{side}{number}");
            let definition =
                EdgeDefinition { collection: edges, from: vec!["v".to_owned()], to: vec!["v".to_owned()] };
            session.add_edge_definition("g", &definition, Durability::Buffered).unwrap();
        }
    });
    for session in [&pair.0, &pair.1] {
        let graph = session.graph("g").unwrap().definition;
        assert_eq!(graph.edge_collections().count(), 9, "{graph:?}");
    }
}

#[test]
fn each_server_keeps_what_the_other_one_adds_to_a_view() {
    let pair = slow_pair();
    let view = value(r#"{"name": "v", "type": "search-alias", "indexes": []}"#);
    pair.0.create_view(Slice::new(&view)).unwrap();
    for side in ["left", "right"] {
        for number in 0..4 {
            create(&pair.0, &format!(r#"{{"name": "{side}{number}"}}"#));
            let index = value(r#"{"type": "inverted", "name": "i", "fields": ["text"]}"#);
            pair.0.create_index(&format!("{side}{number}"), Slice::new(&index)).unwrap();
        }
    }
    concurrently(&pair, |session, side| {
        for number in 0..4 {
            let index = format!(r#"{{"collection": "{side}{number}", "index": "i"}}"#);
            let changes = value(&format!(r#"{{"indexes": [{index}]}}"#));
            session.change_view("v", Slice::new(&changes), true).unwrap();
        }
    });
    for session in [&pair.0, &pair.1] {
        let view = session.view("v").unwrap();
        let ViewProperties::SearchAlias(indexes) = &view.properties else { panic!("{view:?}") };
        assert_eq!(indexes.len(), 8, "{view:?}");
    }
}

#[test]
fn an_edge_collection_has_one_definition_on_all_servers() {
    let pair = slow_pair();
    for round in 0..4 {
        let edges = format!("e{round}");
        let outcomes = concurrently(&pair, |session, side| {
            create_graph(session, &format!("{side}{round}"), &edges, side)
        });
        let mut failures = outcomes.into_iter().filter_map(Result::err);
        let failure = failures.next().expect("one of them is refused");
        assert_eq!(failure.code(), ErrorCode::GraphCollectionUseInMultiGraphs, "{failure}");
        assert!(failures.next().is_none());
    }
}

#[test]
fn analyzers_are_created_while_definitions_change() {
    let pair = slow_pair();
    let analyzer = |name: &str| value(&format!(r#"{{"name": "{name}", "type": "identity"}}"#));
    concurrently(&pair, |session, side| {
        for number in 0..8 {
            let name = format!("{side}{number}");
            if side == "left" {
                assert!(session.create_analyzer(Slice::new(&analyzer(&name))).unwrap().1);
                session.remove_analyzer(&name, false).unwrap();
            } else {
                create(session, &format!(r#"{{"name": "{name}"}}"#));
            }
        }
    });
    for round in 0..4 {
        let analyzer = analyzer(&format!("same{round}"));
        let created =
            concurrently(&pair, |session, _| session.create_analyzer(Slice::new(&analyzer)).unwrap().1);
        assert_ne!(created[0], created[1], "one of them finds that of the other one");
    }
}
