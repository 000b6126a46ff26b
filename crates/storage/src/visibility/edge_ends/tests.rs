//! Records by readers whose snapshots include later commits than they can name, because an older
//! commit is still open.

#![allow(clippy::unwrap_used, reason = "helpers of tests outside of test functions")]

use catalog::collection::CollectionProperties;
use catalog::{CollectionType, SYSTEM_DATABASE};
use kv::Durability;
use velocypack::{Builder, Slice};

use super::*;
use crate::Collection;
use crate::{EdgeDirection, Snapshot, Store, StoreOptions, TransactionOptions, WriteOptions};

fn collection(snapshot: &Snapshot, name: &str) -> Arc<Collection> {
    Arc::clone(snapshot.catalog().database(SYSTEM_DATABASE).unwrap().collection(name).unwrap())
}

fn insert(store: &Store, name: &str, attributes: &[(&str, &str)]) {
    let mut body = Builder::new();
    body.open_object().unwrap();
    for (attribute, value) in attributes {
        body.key(attribute).unwrap();
        body.add_str(value).unwrap();
    }
    body.close().unwrap();
    let body = body.into_vec();
    let mut transaction = store.begin(&TransactionOptions::default()).unwrap();
    let into = collection(&store.snapshot().unwrap(), name);
    transaction.insert(&into, Slice::new(&body), &WriteOptions::default()).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
}

/// Makes a store with an edge to `v/1`, which does not exist, and an empty collection `w`.
fn store() -> Arc<Store> {
    let store = Store::open(kv::MemoryEngine::new(), StoreOptions::default()).unwrap();
    for (name, kind) in
        [("v", CollectionType::Document), ("w", CollectionType::Document), ("e", CollectionType::Edge)]
    {
        store.create_collection(SYSTEM_DATABASE, CollectionProperties::new(name, kind)).unwrap();
    }
    insert(&store, "e", &[("_key", "1"), ("_from", "v/0"), ("_to", "v/1")]);
    store
}

/// Returns true if a snapshot knows that `v/1` exists. If it does not know but finds the vertex, it
/// records that.
fn is_known(snapshot: &Snapshot) -> bool {
    let mut reader = snapshot.edge_reader(&collection(snapshot, "e"), EdgeDirection::Outbound).unwrap();
    let (edges, _) = reader.read(b"v/0", None, 1000).unwrap();
    let vertices = collection(snapshot, "v");
    let is_known = edges.ends_exist(snapshot.last_loss(&vertices));
    if !is_known && snapshot.get(&vertices, &["1"]).unwrap().get(0).is_some() {
        edges.ends().unwrap().note_existing(std::iter::once(vertices.commits()));
    }
    is_known
}

#[test]
fn a_vertex_added_during_an_open_commit_is_invisible_to_older_snapshots() {
    let store = store();
    assert!(!is_known(&store.snapshot().unwrap()));
    let open = store.core.read_cache.begin_definition();
    let older = store.snapshot().unwrap();
    insert(&store, "v", &[("_key", "1")]);
    let younger = store.snapshot().unwrap();
    assert!(!is_known(&younger) && !is_known(&younger) && !is_known(&older));
    drop(open);
    let now = store.snapshot().unwrap();
    assert!(!is_known(&now) && is_known(&now) && !is_known(&older));
}

#[test]
fn a_collection_that_got_its_name_beside_an_open_commit_is_another_for_older_snapshots() {
    let store = store();
    insert(&store, "w", &[("_key", "1")]);
    assert!(!is_known(&store.snapshot().unwrap()));
    let open = store.core.read_cache.begin_definition();
    let older = store.snapshot().unwrap();
    store.rename_collection(&collection(&older, "v"), "old").unwrap();
    store.rename_collection(&collection(&older, "w"), "v").unwrap();
    let younger = store.snapshot().unwrap();
    assert!(!is_known(&younger) && !is_known(&younger) && !is_known(&older));
    drop(open);
    let now = store.snapshot().unwrap();
    assert!(!is_known(&now) && is_known(&now) && !is_known(&older));
}
