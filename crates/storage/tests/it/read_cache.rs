//! A cached read returns what the snapshot would read itself, whatever was written in between.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use catalog::CollectionType;
use proptest::prelude::*;
use storage::{
    BlockLimits, Collection, EdgeDirection, IndexBounds, IndexRange, IndexValue, LoadOutcome, OverwriteMode,
    Snapshot, Store, StoreOptions, WriteOptions,
};
use velocypack::Slice;

use crate::common::{self, LOAD_WAIT, create, insert, insert_with, open, options, remove, store, write};

/// All documents of vertices by number, with their contents, and all edges by key, with both ends.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    documents: BTreeMap<u8, u32>,
    copies: BTreeMap<u8, u32>,
    edges: BTreeMap<u8, (u8, u8)>,
}

#[derive(Clone, Debug)]
enum Step {
    Put(u8, u32),
    Remove(u8),
    Connect(u8, u8, u8),
    Disconnect(u8),
    /// Several changes in one transaction.
    Together(Vec<Step>),
    /// Remembers the current state.
    Snapshot,
    /// Looks documents up in a remembered state, or in the current one.
    Get(usize, Vec<u8>),
    /// Looks many documents up in such a state, each several times.
    GetMany(usize, Vec<u8>),
    /// Reads edges in such a state.
    Edges(usize, u8, bool),
    /// Looks documents up by their numbers in such a state, with entries of at most this many rows.
    Find(usize, Vec<u32>, usize),
    Truncate,
    /// Loads new documents and edges in one step, outside of transactions.
    Load(u8),
}

fn change() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..6u8, 0..4u32).prop_map(|(key, value)| Step::Put(key, value)),
        (0..6u8).prop_map(Step::Remove),
        (0..9u8, 0..6u8, 0..6u8).prop_map(|(key, from, to)| Step::Connect(key, from, to)),
        (0..9u8).prop_map(Step::Disconnect),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => change(),
        1 => prop::collection::vec(change(), 2..5).prop_map(Step::Together),
        2 => Just(Step::Snapshot),
        6 => (0..5usize, prop::collection::vec(0..7u8, 1..5)).prop_map(|(at, keys)| Step::Get(at, keys)),
        2 => (0..5usize, prop::collection::vec(0..7u8, 1..5)).prop_map(|(at, keys)| Step::GetMany(at, keys)),
        6 => (0..5usize, 0..6u8, any::<bool>()).prop_map(|(at, vertex, out)| Step::Edges(at, vertex, out)),
        6 => (0..5usize, prop::collection::vec(0..5u32, 1..4), 1..4usize)
            .prop_map(|(at, numbers, rows)| Step::Find(at, numbers, rows)),
        1 => Just(Step::Truncate),
        2 => (0..6u8).prop_map(Step::Load),
    ]
}

/// A store with a collection of vertices, one of their copies, and one of edges.
struct World {
    store: Arc<Store>,
    vertices: Arc<Collection>,
    /// The vertices that transactions have written. They have a unique index, which loads refuse.
    copies: Arc<Collection>,
    edges: Arc<Collection>,
    model: Model,
}

impl World {
    fn change(&mut self, steps: &[Step]) {
        let World { store, vertices, copies, edges, model } = self;
        let replacing = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
        let outcome = write(store, |transaction| {
            for step in steps {
                match step {
                    Step::Put(key, n) => {
                        transaction.insert(vertices, Slice::new(&vertex(*key, *n)), &replacing)?;
                        transaction.insert(copies, Slice::new(&vertex(*key, *n)), &replacing)?;
                        model.documents.insert(*key, *n);
                        model.copies.insert(*key, *n);
                    }
                    Step::Connect(key, from, to) => {
                        let body = format!(r#"{{"_key": "{key}", "_from": "v/{from}", "_to": "v/{to}"}}"#);
                        transaction.insert(edges, Slice::new(&common::value(&body)), &replacing)?;
                        model.edges.insert(*key, (*from, *to));
                    }
                    Step::Remove(key) if model.documents.remove(key).is_some() => {
                        transaction.remove(vertices, &key.to_string(), Slice::NONE, &replacing)?;
                        if model.copies.remove(key).is_some() {
                            transaction.remove(copies, &key.to_string(), Slice::NONE, &replacing)?;
                        }
                    }
                    Step::Disconnect(key) if model.edges.remove(key).is_some() => {
                        transaction.remove(edges, &key.to_string(), Slice::NONE, &replacing)?;
                    }
                    _ => {}
                }
            }
            Ok(())
        });
        outcome.unwrap();
    }

    /// Loads a vertex and an edge from it, unless their keys exist.
    fn load(&mut self, key: u8) {
        let World { store, vertices, edges, model, .. } = self;
        let load = |collection: &Collection, body: String| {
            let load = store.load_documents(collection, &WriteOptions::default(), LOAD_WAIT);
            let mut load = load.unwrap().unwrap();
            load.add(Slice::new(&common::value(&body))).unwrap();
            load.finish().unwrap() == LoadOutcome::Loaded
        };
        let n = u32::from(key);
        if load(vertices, vertex_json(key, n)) {
            model.documents.insert(key, n);
        }
        if load(edges, format!(r#"{{"_key": "{key}", "_from": "v/{key}", "_to": "v/{key}"}}"#)) {
            model.edges.insert(key, (key, key));
        }
    }

    fn truncate(&mut self) {
        self.store.truncate(&self.edges).unwrap();
        self.store.truncate(&self.vertices).unwrap();
        self.store.truncate(&self.copies).unwrap();
        self.model = Model::default();
    }
}

/// Returns a vertex with a number that other vertices may share, and a value of its own.
fn vertex_json(key: u8, n: u32) -> String {
    format!(r#"{{"_key": "{key}", "n": {n}, "own": [{key}, {n}]}}"#)
}

fn vertex(key: u8, n: u32) -> Vec<u8> {
    common::value(&vertex_json(key, n))
}

/// Creates a persistent index that the cache serves.
fn create_cached_index(store: &Store, collection: &Collection, properties: &str) {
    let index = format!(r#"{{"type": "persistent", "cacheEnabled": true, {properties}}}"#);
    common::create_index(store, collection, &index).unwrap();
}

/// Looks vertices up by their numbers in both indexes.
fn check_indexes(snapshot: &Snapshot, model: &Model, numbers: &[u32], rows: usize) {
    let (vertices, copies) = (collection(snapshot, "v"), collection(snapshot, "copies"));
    let index = |collection: &Arc<Collection>| Arc::clone(&collection.indexes()[1]);
    let limits = BlockLimits { rows, bytes: 1 << 20 };
    for n in numbers {
        let value = IndexValue::new(Slice::new(&common::value(&n.to_string())), None).unwrap();
        let range = IndexRange { equal: vec![vec![value]], ..IndexRange::default() };
        let (mut found, mut host) = (Vec::new(), common::Host::default());
        let mut scan = snapshot.open_index(vertices, &index(vertices), vec![range], &common::SCAN).unwrap();
        while let Some(entries) = scan.next_block(limits, &mut host).unwrap() {
            assert!(entries.len() <= rows);
            assert!(
                (0..entries.len())
                    .all(|i| entries.covered(i).unwrap().at(0).unwrap().as_u64() == Some((*n).into()))
            );
            found.extend(entries.keys().map(str::to_owned));
        }
        let having = model.documents.iter().filter(|(_, number)| *number == n);
        let expected: Vec<String> = having.map(|(key, _)| key.to_string()).collect();
        assert_eq!(found, expected);
    }
    let lookups = numbers.iter().flat_map(|n| (0..6u8).map(move |key| (key, *n)));
    let bounds: Vec<IndexBounds> = lookups
        .clone()
        .map(|(key, n)| {
            let mut bounds = IndexBounds::all();
            bounds.push_equal(Slice::new(&common::value(&format!("[{key}, {n}]"))), None);
            bounds
        })
        .collect();
    let found = snapshot.unique_entries(copies, &index(copies), &bounds).unwrap();
    let expected = lookups.filter(|(key, n)| model.copies.get(key) == Some(n));
    let expected: Vec<String> = expected.map(|(key, _)| key.to_string()).collect();
    assert_eq!(found.entries.keys().collect::<Vec<_>>(), expected);
}

/// Returns a collection as of a snapshot.
fn collection<'a>(snapshot: &'a Snapshot, name: &str) -> &'a Arc<Collection> {
    snapshot.catalog().database("_system").unwrap().collection(name).unwrap()
}

/// Returns the edges of a vertex as a reader finds them.
fn read(snapshot: &Snapshot, collection: &Collection, vertex: &str, is_out: bool) -> Vec<(String, String)> {
    let direction = if is_out { EdgeDirection::Outbound } else { EdgeDirection::Inbound };
    let mut reader = snapshot.edge_reader(self::collection(snapshot, collection.name()), direction).unwrap();
    let (edges, has_more) = reader.read(vertex.as_bytes(), None, 1000).unwrap();
    assert!(!has_more);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    edges.iter().map(|(key, other)| (text(key), text(other))).collect()
}

fn check_edges(snapshot: &Snapshot, edges: &Collection, model: &Model, vertex: u8, is_out: bool) {
    let expected: Vec<(String, String)> = model
        .edges
        .iter()
        .map(|(key, (from, to))| if is_out { (key, from, to) } else { (key, to, from) })
        .filter(|(_, own, _)| **own == vertex)
        .map(|(key, _, other)| (key.to_string(), format!("v/{other}")))
        .collect();
    assert_eq!(read(snapshot, edges, &format!("v/{vertex}"), is_out), expected);
}

fn check_documents(snapshot: &Snapshot, model: &Model, keys: &[u8]) {
    let vertices = collection(snapshot, "v");
    let texts: Vec<String> = keys.iter().map(u8::to_string).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let exist: Vec<bool> = keys.iter().map(|key| model.documents.contains_key(key)).collect();
    // Either of the two calls may be the one that caches what it reads.
    if keys.len().is_multiple_of(2) {
        assert_eq!(snapshot.contains(vertices, &texts).unwrap(), exist);
    }
    let found = snapshot.get(vertices, &texts).unwrap();
    assert_eq!(snapshot.contains(vertices, &texts).unwrap(), exist);
    let found: Vec<Option<u64>> = (0..keys.len())
        .map(|i| found.get(i).and_then(|document| document.get("n")).and_then(Slice::as_u64))
        .collect();
    let expected: Vec<Option<u64>> =
        keys.iter().map(|key| model.documents.get(key).copied().map(u64::from)).collect();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Snapshots of several moments take turns reading while documents and edges change.
    #[test]
    fn snapshots_read_what_was_there(steps in prop::collection::vec(step(), 1..60)) {
        let store = store();
        let (vertices, edges) =
            (create(&store, "v", CollectionType::Document), create(&store, "e", CollectionType::Edge));
        create_cached_index(&store, &vertices, r#""fields": ["n"]"#);
        let copies = create(&store, "copies", CollectionType::Document);
        create_cached_index(&store, &copies, r#""fields": ["own"], "unique": true"#);
        let mut world = World { store, vertices, copies, edges, model: Model::default() };
        let mut remembered: Vec<(Snapshot, Model)> = Vec::new();
        for step in steps {
            let now = || (world.store.snapshot().unwrap(), world.model.clone());
            match step {
                Step::Snapshot => remembered.push(now()),
                Step::Get(at, keys) => {
                    let (snapshot, model) = remembered.get(at).cloned().unwrap_or_else(now);
                    check_documents(&snapshot, &model, &keys);
                }
                Step::GetMany(at, keys) => {
                    let (snapshot, model) = remembered.get(at).cloned().unwrap_or_else(now);
                    let keys: Vec<u8> = keys.iter().copied().cycle().take(600).collect();
                    check_documents(&snapshot, &model, &keys);
                }
                Step::Edges(at, vertex, is_out) => {
                    let (snapshot, model) = remembered.get(at).cloned().unwrap_or_else(now);
                    check_edges(&snapshot, &world.edges, &model, vertex, is_out);
                }
                Step::Find(at, numbers, rows) => {
                    let (snapshot, model) = remembered.get(at).cloned().unwrap_or_else(now);
                    check_indexes(&snapshot, &model, &numbers, rows);
                }
                Step::Truncate => world.truncate(),
                Step::Load(key) => world.load(key),
                Step::Together(steps) => world.change(&steps),
                step => world.change(&[step]),
            }
        }
        for (snapshot, model) in &remembered {
            (0..6).for_each(|vertex| check_edges(snapshot, &world.edges, model, vertex, true));
            check_documents(snapshot, model, &[0, 1, 2, 3, 4, 5, 6]);
            check_indexes(snapshot, model, &[0, 1, 2, 3, 4], 9);
        }
    }
}

/// Each transaction changes the number of a vertex's edges and the document that holds this number,
/// so no snapshot may see them differ. A second read in a snapshot must return the same as the
/// first.
#[test]
fn readers_concurrent_with_writers_see_whole_commits() {
    let store = store();
    let (vertices, links) =
        (create(&store, "v", CollectionType::Document), create(&store, "e", CollectionType::Edge));
    for vertex in 0..4 {
        insert(&store, &vertices, &format!(r#"{{"_key": "{vertex}", "n": 0}}"#)).unwrap();
    }
    let is_over = AtomicBool::new(false);
    let check = |snapshot: &Snapshot, vertex: usize| {
        let key = vertex.to_string();
        let count = read(snapshot, &links, &format!("v/{key}"), true).len() as u64;
        let said = snapshot.get(&vertices, &[&key]).unwrap();
        assert_eq!(said.get(0).and_then(|document| document.get("n")).and_then(Slice::as_u64), Some(count));
        count
    };
    std::thread::scope(|scope| {
        for writer in 0..2usize {
            let (store, vertices, links, is_over) = (&store, &vertices, &links, &is_over);
            scope.spawn(move || {
                for round in 0..1500usize {
                    let vertex = writer * 2 + round % 2;
                    let n = (round / 2) % 10 + 1;
                    write_round(store, vertices, links, vertex, n);
                }
                is_over.store(true, Ordering::Relaxed);
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let snapshot = store.snapshot().unwrap();
                    let first: Vec<u64> = (0..4).map(|vertex| check(&snapshot, vertex)).collect();
                    let again: Vec<u64> = (0..4).map(|vertex| check(&snapshot, vertex)).collect();
                    assert_eq!(first, again);
                }
            });
        }
    });
    let statistics = store.read_cache_statistics();
    assert!(statistics.hits > 0 && statistics.misses > 0, "{statistics:?}");
    assert!(statistics.used_bytes <= statistics.limit_bytes);
}

/// Gives a vertex `n` edges, and a document that holds this number.
fn write_round(store: &Store, vertices: &Collection, links: &Collection, vertex: usize, n: usize) {
    let replacing = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
    let outcome = write(store, |transaction| {
        for edge in 0..11 {
            let key = format!("{vertex}-{edge}");
            let body = format!(r#"{{"_key": "{key}", "_from": "v/{vertex}", "_to": "v/x"}}"#);
            if edge < n {
                transaction.insert(links, Slice::new(&common::value(&body)), &replacing)?;
            } else {
                let _ = transaction.remove(links, &key, Slice::NONE, &replacing);
            }
        }
        let body = common::value(&format!(r#"{{"_key": "{vertex}", "n": {n}}}"#));
        transaction.insert(vertices, Slice::new(&body), &replacing)
    });
    outcome.unwrap();
}

#[test]
fn a_transaction_reads_its_own_writes_past_what_was_kept() {
    let store = store();
    let (vertices, links) =
        (create(&store, "v", CollectionType::Document), create(&store, "e", CollectionType::Edge));
    insert(&store, &vertices, r#"{"_key": "1", "n": 1}"#).unwrap();
    insert(&store, &links, r#"{"_key": "1", "_from": "v/1", "_to": "v/2"}"#).unwrap();
    let mut transaction = common::begin(&store);
    let n = |snapshot: &Snapshot| common::get(snapshot, &vertices, "1").unwrap()["n"].clone();
    for _ in 0..2 {
        let before = transaction.view();
        assert_eq!(n(&before), 1);
        assert_eq!(read(&before, &links, "v/1", true).len(), 1);
    }
    let patch = common::value(r#"{"n": 2}"#);
    transaction.update(&vertices, "1", Slice::new(&patch), &WriteOptions::default()).unwrap();
    transaction.remove(&links, "1", Slice::NONE, &WriteOptions::default()).unwrap();
    let own = transaction.view();
    assert_eq!(n(&own), 2);
    assert_eq!(read(&own, &links, "v/1", true), []);
    assert_eq!(n(&store.snapshot().unwrap()), 1);
    transaction.rollback();
    assert_eq!(n(&store.snapshot().unwrap()), 1);
    assert_eq!(read(&store.snapshot().unwrap(), &links, "v/1", true).len(), 1);
}

#[test]
fn the_cache_can_be_off_and_stays_within_its_limit() {
    let engine = common::engine();
    drop(open(&engine));
    for limit in [0, 2 << 20] {
        let options = StoreOptions { read_cache_bytes: limit, ..options() };
        let store = Store::open(Arc::clone(&engine), options).unwrap();
        let c = create(&store, &format!("c{limit}"), CollectionType::Document);
        let text = "x".repeat(1000);
        for key in 0..4000 {
            let options = WriteOptions::default();
            insert_with(&store, &c, &format!(r#"{{"_key": "{key}", "t": "{text}"}}"#), &options).unwrap();
            assert!(common::get_now(&store, &c, &key.to_string()).is_some());
        }
        let statistics = store.read_cache_statistics();
        assert!(statistics.used_bytes <= limit, "{statistics:?}");
        assert_eq!(statistics.used_bytes > limit / 2, limit > 0, "{statistics:?}");
        remove(&store, &c, "3999").unwrap();
        assert!(common::get_now(&store, &c, "3999").is_none());
    }
}

/// A single read of many documents leaves the cache to others.
#[test]
fn documents_that_are_read_among_many_are_kept_from_the_second_time_on() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let keys: Vec<String> = (0..1000).map(|key| key.to_string()).collect();
    for key in &keys {
        insert(&store, &c, &format!(r#"{{"_key": "{key}"}}"#)).unwrap();
    }
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let hits_of_reading = |keys: &[&str]| {
        let before = store.read_cache_statistics().hits;
        let documents = store.snapshot().unwrap().get(&c, keys).unwrap();
        assert!((0..keys.len()).all(|i| documents.get(i).is_some()));
        store.read_cache_statistics().hits - before
    };
    assert_eq!(hits_of_reading(&keys), 0);
    // A few are false positives: they count as read before.
    assert!(hits_of_reading(&keys) < 50);
    assert_eq!(hits_of_reading(&keys), 1000);
    // A read of few documents caches all of them immediately.
    let (few, _) = keys.split_at(100);
    remove(&store, &c, "0").unwrap();
    insert(&store, &c, r#"{"_key": "0"}"#).unwrap();
    assert_eq!(hits_of_reading(few), 99);
    assert_eq!(hits_of_reading(few), 100);
}
