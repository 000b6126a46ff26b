//! If a cached list of edges says that vertices exist, they exist in the reader's snapshot. No
//! removal, truncation or renaming in between changes that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use catalog::{CollectionType, SYSTEM_DATABASE};
use proptest::prelude::*;
use storage::{
    Collection, EdgeDirection, LastLoss, LoadOutcome, OverwriteMode, Snapshot, Store, WriteOptions,
};
use velocypack::Slice;

use crate::common::{self, LOAD_WAIT, create, insert, present, remove, store, write};

/// The collections of vertices.
const NAMES: [&str; 2] = ["v", "w"];

/// A vertex: the position of its collection, and its key.
type Vertex = (usize, u8);

fn id((collection, key): Vertex) -> String {
    format!("{}/{key}", NAMES[collection])
}

fn replacing() -> WriteOptions {
    WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() }
}

/// Returns the other ends of a vertex's edges, and true if the snapshot knows that all of them
/// exist without a lookup. If it finds them all by a lookup, it records that.
fn look(snapshot: &Snapshot, vertex: &str) -> (BTreeSet<String>, bool) {
    let database = snapshot.catalog().database(SYSTEM_DATABASE).unwrap();
    let links = database.collection("e").unwrap();
    let mut reader = snapshot.edge_reader(links, EdgeDirection::Outbound).unwrap();
    let (edges, _) = reader.read(vertex.as_bytes(), None, 1000).unwrap();
    let others: BTreeSet<String> =
        edges.iter().map(|(_, other)| String::from_utf8(other.to_vec()).unwrap()).collect();
    let collection = |other: &String| database.collection(other.split_once('/').unwrap().0);
    let Some(collections) = others.iter().map(collection).collect::<Option<Vec<_>>>() else {
        return (others, false);
    };
    let losses = collections.iter().map(|collection| snapshot.last_loss(collection));
    let is_known = edges.ends_exist(losses.max().unwrap_or_else(LastLoss::default));
    if !is_known && others.iter().all(|other| exists(snapshot, other)) {
        edges
            .ends()
            .into_iter()
            .for_each(|ends| ends.note_existing(collections.iter().map(|collection| collection.commits())));
    }
    (others, is_known)
}

fn exists(snapshot: &Snapshot, id: &str) -> bool {
    let (name, key) = id.split_once('/').unwrap();
    let collection = snapshot.catalog().database(SYSTEM_DATABASE).unwrap().collection(name).unwrap();
    snapshot.get(collection, &[key]).unwrap().get(0).is_some()
}

/// All vertices, and the ends of edges by key.
#[derive(Clone, Debug, Default)]
struct Model {
    vertices: BTreeSet<Vertex>,
    edges: BTreeMap<u8, (Vertex, Vertex)>,
}

#[derive(Clone, Debug)]
enum Step {
    Put(Vertex),
    Remove(Vertex),
    Connect(u8, Vertex, Vertex),
    Disconnect(u8),
    /// Several changes in one transaction.
    Together(Vec<Step>),
    /// Loads a new vertex outside of transactions.
    Load(Vertex),
    /// Remembers the current state.
    Snapshot,
    /// Looks at a vertex's edges in a remembered state, or in the current one.
    Look(usize, Vertex),
    /// Empties a collection.
    Truncate(usize),
    /// Drops a collection and creates an empty one of the same name.
    Replace(usize),
    /// Exchanges the names of the two collections.
    Exchange,
}

fn vertex() -> impl Strategy<Value = Vertex> {
    (0..2usize, 0..3u8)
}

fn change() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => vertex().prop_map(Step::Put),
        1 => vertex().prop_map(Step::Remove),
        3 => (0..6u8, vertex(), vertex()).prop_map(|(key, from, to)| Step::Connect(key, from, to)),
        1 => (0..6u8).prop_map(Step::Disconnect),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => change(),
        2 => prop::collection::vec(change(), 2..6).prop_map(Step::Together),
        1 => vertex().prop_map(Step::Load),
        2 => Just(Step::Snapshot),
        12 => (0..5usize, vertex()).prop_map(|(at, vertex)| Step::Look(at, vertex)),
        1 => (0..2usize).prop_map(Step::Truncate),
        1 => (0..2usize).prop_map(Step::Replace),
        1 => Just(Step::Exchange),
    ]
}

struct World {
    store: Arc<Store>,
    model: Model,
}

impl World {
    fn new() -> Self {
        let store = store();
        NAMES.iter().for_each(|name| drop(create(&store, name, CollectionType::Document)));
        create(&store, "e", CollectionType::Edge);
        World { store, model: Model::default() }
    }

    fn vertices(&self, which: usize) -> Arc<Collection> {
        present(&self.store, NAMES[which])
    }

    fn change(&mut self, steps: &[Step]) {
        let (both, links) = ([self.vertices(0), self.vertices(1)], present(&self.store, "e"));
        let model = &mut self.model;
        let outcome = write(&self.store, |transaction| {
            for step in steps {
                match step {
                    Step::Put((which, key)) => {
                        let body = common::value(&format!(r#"{{"_key": "{key}"}}"#));
                        transaction.insert(&both[*which], Slice::new(&body), &replacing())?;
                        model.vertices.insert((*which, *key));
                    }
                    Step::Connect(key, from, to) => {
                        let (own, other) = (id(*from), id(*to));
                        let body = format!(r#"{{"_key": "{key}", "_from": "{own}", "_to": "{other}"}}"#);
                        transaction.insert(&links, Slice::new(&common::value(&body)), &replacing())?;
                        model.edges.insert(*key, (*from, *to));
                    }
                    Step::Remove((which, key)) if model.vertices.remove(&(*which, *key)) => {
                        transaction.remove(&both[*which], &key.to_string(), Slice::NONE, &replacing())?;
                    }
                    Step::Disconnect(key) if model.edges.remove(key).is_some() => {
                        transaction.remove(&links, &key.to_string(), Slice::NONE, &replacing())?;
                    }
                    _ => {}
                }
            }
            Ok(())
        });
        outcome.unwrap();
    }

    fn load(&mut self, (which, key): Vertex) {
        let load = self.store.load_documents(&self.vertices(which), &WriteOptions::default(), LOAD_WAIT);
        let mut load = load.unwrap().unwrap();
        load.add(Slice::new(&common::value(&format!(r#"{{"_key": "{key}"}}"#)))).unwrap();
        if load.finish().unwrap() == LoadOutcome::Loaded {
            self.model.vertices.insert((which, key));
        }
    }

    fn empty(&mut self, emptied: usize) {
        self.model.vertices.retain(|(which, _)| *which != emptied);
    }

    fn exchange(&mut self) {
        for (from, to) in [("v", "t"), ("w", "v"), ("t", "w")] {
            self.store.rename_collection(&present(&self.store, from), to).unwrap();
        }
        let vertices = std::mem::take(&mut self.model.vertices);
        self.model.vertices = vertices.into_iter().map(|(which, key)| (1 - which, key)).collect();
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Load(vertex) => self.load(vertex),
            Step::Truncate(which) => {
                self.store.truncate(&self.vertices(which)).unwrap();
                self.empty(which);
            }
            Step::Replace(which) => {
                self.store.drop_collection(&self.vertices(which), false).unwrap();
                create(&self.store, NAMES[which], CollectionType::Document);
                self.empty(which);
            }
            Step::Exchange => self.exchange(),
            Step::Together(steps) => self.change(&steps),
            step => self.change(&[step]),
        }
    }
}

/// Looks at a vertex and compares it with the model.
fn check(snapshot: &Snapshot, model: &Model, vertex: Vertex) {
    let (others, is_known) = look(snapshot, &id(vertex));
    let ends = model.edges.values().filter(|(from, _)| *from == vertex).map(|(_, to)| *to);
    assert_eq!(others, ends.clone().map(id).collect());
    assert!(!is_known || ends.clone().all(|end| model.vertices.contains(&end)), "{vertex:?} {others:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Snapshots of several moments take turns reading while everything changes.
    #[test]
    fn what_is_said_to_exist_exists(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::new();
        let mut remembered: Vec<(Snapshot, Model)> = Vec::new();
        for step in steps {
            let now = || (world.store.snapshot().unwrap(), world.model.clone());
            match step {
                Step::Snapshot => remembered.push(now()),
                Step::Look(at, vertex) => {
                    let (snapshot, model) = remembered.get(at).cloned().unwrap_or_else(now);
                    check(&snapshot, &model, vertex);
                }
                step => world.step(step),
            }
        }
    }
}

fn is_known(store: &Store) -> bool {
    look(&store.snapshot().unwrap(), "v/0").1
}

/// Makes a store with edges from `v/0` to `v/1` and `w/1`, which both exist.
fn linked() -> Arc<Store> {
    let mut world = World::new();
    let edge = |key, to| Step::Connect(key, (0, 0), to);
    world.change(&[Step::Put((0, 1)), Step::Put((1, 1)), edge(1, (0, 1)), edge(2, (1, 1))]);
    world.store
}

#[test]
fn it_is_known_from_the_second_reader_on_until_something_is_removed() {
    let store = linked();
    let before = store.snapshot().unwrap();
    assert_eq!((is_known(&store), is_known(&store)), (false, true));
    // Other changes make no difference.
    for name in NAMES {
        let vertices = present(&store, name);
        insert(&store, &vertices, r#"{"_key": "9"}"#).unwrap();
        common::update(&store, &vertices, "1", r#"{"n": 1}"#).unwrap();
    }
    create(&store, "another", CollectionType::Document);
    assert!(is_known(&store) && look(&before, "v/0").1);
    for name in NAMES {
        remove(&store, &present(&store, name), "9").unwrap();
        assert_eq!((is_known(&store), is_known(&store)), (false, true));
        store.rename_collection(&present(&store, name), "other").unwrap();
        assert!(!is_known(&store));
        store.rename_collection(&present(&store, "other"), name).unwrap();
        assert_eq!((is_known(&store), is_known(&store)), (false, true));
    }
    write(&store, |transaction| transaction.truncate(&present(&store, "w"))).unwrap();
    assert_eq!((is_known(&store), is_known(&store)), (false, false));
}

#[test]
fn a_transaction_that_has_written_looks_itself() {
    let store = linked();
    let mut transaction = common::begin(&store);
    assert_eq!((look(&transaction.view(), "v/0").1, look(&transaction.view(), "v/0").1), (false, true));
    let vertices = present(&store, "v");
    transaction.remove(&vertices, "1", Slice::NONE, &WriteOptions::default()).unwrap();
    assert!(!look(&transaction.view(), "v/0").1);
    transaction.rollback();
    assert!(is_known(&store));
}

/// One vertex is removed and inserted repeatedly. One edge leads to it, and another to a vertex
/// that stays.
#[test]
fn readers_concurrent_with_writers_read_correct_data() {
    let store = linked();
    let (is_over, known) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let vertices = present(&store, "v");
            for round in 0..4000 {
                remove(&store, &vertices, "1").unwrap();
                insert(&store, &vertices, r#"{"_key": "1"}"#).unwrap();
                if round % 8 == 0 {
                    // Readers get a chance to look twice between two writes.
                    std::thread::sleep(std::time::Duration::from_micros(200));
                }
            }
            is_over.store(true, Ordering::Relaxed);
        });
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let snapshot = store.snapshot().unwrap();
                    let (others, is_known) = look(&snapshot, "v/0");
                    assert_eq!(others.len(), 2);
                    if is_known {
                        known.fetch_add(1, Ordering::Relaxed);
                        assert!(others.iter().all(|other| exists(&snapshot, other)));
                    }
                }
            });
        }
    });
    assert!(known.load(Ordering::Relaxed) > 0);
}
