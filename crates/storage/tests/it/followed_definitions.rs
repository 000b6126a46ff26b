//! Definitions that one server changes and the others follow.

use std::collections::BTreeSet;

use catalog::{CollectionType, Record, UserDefinition};
use kv_tikv::MemoryCluster;
use storage::Store;

use crate::common::{create, create_index, present};
use crate::servers::{find, open};
use crate::servers_model::Random;

/// A server that follows reads what has changed, however many definitions there are.
#[test]
fn a_new_collection_costs_the_same_beside_many_others() {
    const OTHERS: usize = 1_500;
    const THREADS: usize = 16;
    let cluster = MemoryCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    let received = || {
        let nodes = right.engine().statistics().nodes;
        nodes.iter().map(|node| node.received_bytes).sum::<u64>()
    };
    let cost = |name: &str| {
        let before = received();
        create(&left, name, CollectionType::Document);
        received() - before
    };
    let alone = (0..8).map(|number| cost(&format!("a{number}"))).max().unwrap();
    let many: Vec<String> = (0..OTHERS).map(|number| format!("m{number}")).collect();
    std::thread::scope(|scope| {
        for part in many.chunks(OTHERS / THREADS) {
            let left = &left;
            let create_part =
                move || part.iter().for_each(|name| drop(create(left, name, CollectionType::Document)));
            scope.spawn(create_part);
        }
    });
    let beside = (0..8).map(|number| cost(&format!("b{number}"))).min().unwrap();
    assert!(beside <= alone * 2, "{beside} bytes beside {OTHERS} collections, {alone} without them");
    assert!(many.iter().all(|name| find(&right, name).is_some()));
}

/// Random changes of two servers: a third one has the same definitions as one that has just read
/// all of them.
#[test]
fn followed_definitions_are_those_in_the_store() {
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    let cluster = MemoryCluster::new();
    let (left, right, follower) = (open(&cluster), open(&cluster), open(&cluster));
    let mut random = Random(7);
    for round in 1..=200 {
        let store = if random.below(2) == 0 { &left } else { &right };
        let name = NAMES[random.below(4) as usize];
        change(store, name, NAMES[random.below(4) as usize], random.below(8));
        if round % 20 == 0 {
            assert_eq!(definitions(&follower), definitions(&open(&cluster)), "after {round} changes");
        }
    }
}

/// Makes one change of those that are possible.
fn change(store: &Store, name: &str, other: &str, kind: u64) {
    match (kind, find(store, name)) {
        (0..4, None) => drop(create(store, name, CollectionType::Document)),
        (0, Some(collection)) => store.drop_collection(&collection, false).unwrap(),
        // Two collections exchange their names.
        (1, Some(collection)) if name != other && find(store, other).is_some() => {
            store.rename_collection(&collection, "between").unwrap();
            store.rename_collection(&present(store, other), name).unwrap();
            store.rename_collection(&present(store, "between"), other).unwrap();
        }
        (2, Some(collection)) => {
            let fields = format!(r#"{{"type":"persistent","fields":["{other}"]}}"#);
            create_index(store, &collection, &fields).unwrap();
        }
        (3, Some(collection)) => store.truncate(&collection).unwrap(),
        (4, _) if store.catalog().database(name).is_none() => drop(store.create_database(name).unwrap()),
        (4, _) => store.drop_database(name).unwrap(),
        (5, _) => store.put_user(UserDefinition::new(name, other.to_owned())).unwrap(),
        (6, _) => drop(store.remove_user(name)),
        _ => {}
    }
}

/// Returns the records of all definitions that a server knows.
fn definitions(store: &Store) -> BTreeSet<(String, Vec<u8>)> {
    let catalog = store.catalog();
    let mut found = BTreeSet::new();
    for database in catalog.databases() {
        found.insert((database.name().to_owned(), database.definition().to_record().unwrap()));
        found.extend(database.collections().map(|collection| {
            let name = format!("{}/{}", database.name(), collection.name());
            (name, collection.definition().to_record().unwrap())
        }));
    }
    found.extend(catalog.users().map(|user| (format!("user {}", user.name), user.to_record().unwrap())));
    found
}
