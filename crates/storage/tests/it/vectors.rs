//! Vector indexes against brute force over the documents.

#![allow(clippy::indexing_slicing, reason = "tests")]

use std::sync::Arc;

use catalog::CollectionType;
use errors::{ErrorCode, Result};
use kv::{BlockLimits, Engine, KeyRange, ScanSpec};
use proptest::prelude::*;
use serde_json::{Value, json};
use storage::{
    Collection, Index, IndexValue, NearBounds, ScanHost, ScanStatistics, Snapshot, Store, WriteOptions,
};
use velocypack::Slice;

use crate::common::*;

#[derive(Default)]
struct Host(ScanStatistics);

impl ScanHost for Host {
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn keep(&mut self, _bytes: u64) -> Result<()> {
        Ok(())
    }

    fn statistics(&mut self) -> &mut ScanStatistics {
        &mut self.0
    }
}

/// Vectors around some centers, by a generator with a seed.
struct Clusters {
    centers: Vec<Vec<f64>>,
    state: u64,
}

impl Clusters {
    fn new(clusters: usize, dimension: usize, seed: u64) -> Self {
        let mut made = Clusters { centers: Vec::new(), state: seed };
        made.centers = (0..clusters).map(|_| (0..dimension).map(|_| made.float() * 10.0).collect()).collect();
        made
    }

    /// Returns a number from -0.5 to 0.5.
    fn float(&mut self) -> f64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    }

    fn vector(&mut self) -> Vec<f64> {
        let center = ((self.float() + 0.5) * self.centers.len() as f64) as usize;
        let center = self.centers[center].clone();
        center.into_iter().map(|float| float + self.float()).collect()
    }
}

fn exact(metric: &str, left: &[f64], right: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    match metric {
        "l2" => left.iter().zip(right).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
        "cosine" => dot(left, right) / (dot(left, left) * dot(right, right)).sqrt(),
        _ => dot(left, right),
    }
}

/// Returns the keys and values of the nearest documents in the first `lists` lists.
fn near(
    snapshot: &Snapshot,
    collection: &Collection,
    index: &Arc<Index>,
    vector: &[f64],
    (lists, most): (usize, usize),
) -> Vec<(String, f64)> {
    let wanted = value(&json!(vector).to_string());
    let wanted = IndexValue::new(Slice::new(&wanted), None).unwrap();
    let mut scan = snapshot.near(collection, index, &wanted, None).unwrap();
    let bounds = NearBounds { most, score: f32::INFINITY, wants_covered: false };
    let found = scan.probe(lists, bounds, &mut Host::default()).unwrap();
    found
        .entries
        .keys()
        .map(str::to_owned)
        .zip(found.scores.iter().map(|score| index.near_value(*score)))
        .collect()
}

fn near_now(store: &Store, vector: &[f64], bounds: (usize, usize)) -> Vec<(String, f64)> {
    let collection = present(store, "c");
    let index = Arc::clone(collection.indexes().last().unwrap());
    near(&store.snapshot().unwrap(), &collection, &index, vector, bounds)
}

/// Returns the keys and values of all documents with a vector, the nearest first.
fn brute_force(documents: &[Value], metric: &str, vector: &[f64]) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = documents
        .iter()
        .filter_map(|document| {
            let own: Vec<f64> = document["v"].as_array()?.iter().map(|n| n.as_f64().unwrap()).collect();
            Some((document["_key"].as_str().unwrap().to_owned(), exact(metric, vector, &own)))
        })
        .collect();
    let sign = if metric == "l2" { 1.0 } else { -1.0 };
    found.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
    found
}

fn assert_same(found: &[(String, f64)], expected: &[(String, f64)]) {
    assert_eq!(found.len(), expected.len());
    for ((_, found), (_, expected)) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found} {expected}");
    }
}

fn definition(metric: &str, dimension: usize, more: &str) -> String {
    format!(
        r#"{{"type": "vector", "fields": ["v"], "sparse": true, "params": {{"metric": "{metric}", "dimension": {dimension} {more}}}}}"#
    )
}

fn insert_vectors(store: &Store, collection: &Collection, clusters: &mut Clusters, count: usize) {
    write(store, |transaction| {
        for _ in 0..count {
            let body = value(&json!({"v": clusters.vector()}).to_string());
            transaction.insert(collection, Slice::new(&body), &WriteOptions::default())?;
        }
        Ok(())
    })
    .unwrap();
}

fn recall(store: &Store, metric: &str, clusters: &mut Clusters, lists: usize) -> f64 {
    let documents = all(&store.snapshot().unwrap(), &present(store, "c"));
    let mut hits = 0;
    for _ in 0..50 {
        let vector = clusters.vector();
        let expected = brute_force(&documents, metric, &vector);
        let found = near_now(store, &vector, (lists, 10));
        hits += found.iter().filter(|(key, _)| expected[..10].iter().any(|(other, _)| key == other)).count();
    }
    hits as f64 / 500.0
}

#[test]
fn a_trained_index_finds_the_nearest() {
    for metric in ["cosine", "l2", "innerProduct"] {
        let (store, mut clusters) = (store(), Clusters::new(40, 24, 7));
        let c = create(&store, "c", CollectionType::Document);
        insert_vectors(&store, &c, &mut clusters, 3000);
        let (index, _) = create_index(&store, &c, &definition(metric, 24, r#", "nLists": 50"#)).unwrap();
        assert_eq!(index.training_state().unwrap().lists, Some(50));
        // Vectors that come later belong to the same lists.
        insert_vectors(&store, &c, &mut clusters, 500);
        let found = recall(&store, metric, &mut clusters, 8);
        assert!(found >= 0.95, "{metric}: {found}");
        let vector = clusters.vector();
        let documents = all(&store.snapshot().unwrap(), &present(&store, "c"));
        assert_same(&near_now(&store, &vector, (50, 4000)), &brute_force(&documents, metric, &vector));
    }
}

/// Returns the nearest of `kept` documents that were found by codes, as a query orders them.
fn compared(
    snapshot: &Snapshot,
    collection: &Collection,
    vector: &[f64],
    (lists, wanted): (usize, usize),
) -> Vec<(String, f64)> {
    let index = Arc::clone(collection.indexes().last().unwrap());
    let body = value(&json!(vector).to_string());
    let body = IndexValue::new(Slice::new(&body), None).unwrap();
    let scan = snapshot.near(collection, &index, &body, None).unwrap();
    assert!(scan.estimates());
    let found = near(snapshot, collection, &index, vector, (lists, scan.kept_for(wanted)));
    let exact = |(key, _): (String, f64)| {
        let document = snapshot.get(collection, &[&key]).unwrap();
        let score = scan.score_of(document.iter().next().unwrap()).unwrap().unwrap();
        (score, (key, index.near_value(score)))
    };
    let mut found: Vec<_> = found.into_iter().map(exact).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, found)| found).take(wanted).collect()
}

/// Returns the size of all values of a collection's last index.
fn entry_bytes(engine: &Arc<dyn Engine>, collection: &Collection) -> usize {
    let object = collection.indexes().last().unwrap().definition().object_id;
    let range = KeyRange::prefix(&object.0.to_be_bytes());
    let mut scan = engine.snapshot().unwrap().scan(ScanSpec::forward(range)).unwrap();
    let mut bytes = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).unwrap() {
        bytes += block.iter().map(|(_, value)| value.len()).sum::<usize>();
    }
    bytes
}

#[test]
fn codes_find_the_nearest_in_less_space() {
    for metric in ["cosine", "l2", "innerProduct"] {
        for factory in ["IVF20,SQ8", "IVF20,PQ12"] {
            let (engine, mut clusters) = (engine(), Clusters::new(40, 48, 7));
            let store = open(&engine);
            let c = create(&store, "c", CollectionType::Document);
            insert_vectors(&store, &c, &mut clusters, 1500);
            let coded = definition(metric, 48, &format!(r#", "nLists": 20, "factory": "{factory}""#));
            create_index(&store, &c, &coded).unwrap();
            // Vectors that come later are coded as those of the training.
            insert_vectors(&store, &c, &mut clusters, 200);
            let documents = all(&store.snapshot().unwrap(), &present(&store, "c"));
            let mut hits = 0;
            for _ in 0..20 {
                let vector = clusters.vector();
                let expected = brute_force(&documents, metric, &vector);
                let found = compared(&store.snapshot().unwrap(), &present(&store, "c"), &vector, (8, 10));
                for (key, found) in &found {
                    let (_, expected) = expected.iter().find(|(other, _)| other == key).unwrap();
                    assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found} {expected}");
                }
                hits += found
                    .iter()
                    .filter(|(key, _)| expected[..10].iter().any(|(other, _)| key == other))
                    .count();
            }
            assert!(hits >= 190, "{metric} {factory}: {hits} of 200");
            let vector = clusters.vector();
            let before = near_now(&store, &vector, (20, 2000));
            assert_eq!(before.len(), 1700);
            let bytes = entry_bytes(&engine, &present(&store, "c"));
            assert!(bytes * 3 < 1700 * 48 * 4, "{factory}: {bytes}");
            drop(store);
            let store = open(&engine);
            assert_eq!(near_now(&store, &vector, (20, 2000)), before, "{metric} {factory}");
            remove(&store, &present(&store, "c"), &before[0].0).unwrap();
            assert_eq!(near_now(&store, &vector, (20, 2000)), before[1..]);
        }
    }
}

#[test]
fn an_index_may_be_created_first() {
    let (engine, mut clusters) = (engine(), Clusters::new(10, 8, 3));
    let store = open(&engine);
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) = create_index(&store, &c, &definition("l2", 8, r#", "nLists": 16"#)).unwrap();
    assert!(index.training_state().unwrap().error.is_some() && store.indexes_to_train().is_empty());
    insert_vectors(&store, &c, &mut clusters, 15);
    assert!(store.indexes_to_train().is_empty());
    insert_vectors(&store, &c, &mut clusters, 285);
    let vector = clusters.vector();
    let before = near_now(&store, &vector, (1, 400));
    assert_eq!(before.len(), 300);
    let snapshot = store.snapshot().unwrap();
    let mut writer = begin(&store);
    let body = value(&json!({"v": clusters.vector()}).to_string());
    writer.insert(&c, Slice::new(&body), &WriteOptions::default()).unwrap();
    let [(collection, id)] = store.indexes_to_train().try_into().unwrap();
    assert!(!store.train_index(&collection, id, &|| Ok(())).unwrap(), "the writer is in the way");
    drop(writer);
    let late = begin(&store);
    // The attempt is repeated when there are more documents.
    insert_vectors(&store, &c, &mut clusters, 100);
    assert!(store.train_index(&collection, id, &|| Ok(())).unwrap());
    assert!(store.indexes_to_train().is_empty());
    let mut late = late;
    let conflict = late.insert(&c, Slice::new(&body), &WriteOptions::default()).unwrap_err();
    assert_eq!(conflict.code(), ErrorCode::Conflict);
    assert_eq!(near(&snapshot, &c, &index, &vector, (1, 400)), before);
    let store = {
        drop((store, late, snapshot));
        open(&engine)
    };
    let trained = Arc::clone(present(&store, "c").indexes().last().unwrap());
    assert_eq!((trained.id(), trained.training_state().unwrap().lists), (id, Some(16)));
    assert_eq!(near_now(&store, &vector, (16, 1000)).len(), 400);
    store.truncate(&present(&store, "c")).unwrap();
    assert_eq!(near_now(&store, &vector, (16, 1000)), []);
}

#[test]
fn wrong_vectors_are_refused() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let strict = r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 2}}"#;
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["x"]}"#).unwrap();
    create_index(&store, &c, strict).unwrap();
    for body in [
        r#"{}"#,
        r#"{"v": null}"#,
        r#"{"v": [1]}"#,
        r#"{"v": [1, 2, 3]}"#,
        r#"{"v": [1, "2"]}"#,
        r#"{"v": [1e300, 0]}"#,
    ] {
        assert_eq!(insert(&store, &c, body).unwrap_err().code(), ErrorCode::BadParameter, "{body}");
    }
    insert(&store, &c, r#"{"_key": "a", "v": [1, 2], "x": 1}"#).unwrap();
    assert_eq!(update(&store, &c, "a", r#"{"v": 1}"#).unwrap_err().code(), ErrorCode::BadParameter);
    let mut load = store.load_documents(&c, &WriteOptions::default(), LOAD_WAIT).unwrap().unwrap();
    assert!(load.add(Slice::new(&value(r#"{"x": 2}"#))).is_err());
    load.add(Slice::new(&value(r#"{"_key": "b", "v": [3, 4], "x": 3}"#))).unwrap();
    load.finish().unwrap();
    assert_eq!(near_now(&store, &[1.0, 2.0], (1, 9)).len(), 2);
    let wrong = IndexValue::new(Slice::new(&value("[1]")), None).unwrap();
    let index = Arc::clone(present(&store, "c").indexes().last().unwrap());
    let error = store.snapshot().unwrap().near(&c, &index, &wrong, None).err().unwrap();
    assert_eq!(error.code(), ErrorCode::BadParameter);
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u8, Option<Vec<i8>>),
    Replace(u8, Option<Vec<i8>>),
    Remove(u8),
    Train,
    Search(Vec<i8>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let vector = || prop::collection::vec(-9_i8..9, 3);
    let step = prop_oneof![
        6 => (any::<u8>(), prop::option::weighted(0.9, vector())).prop_map(|(key, v)| Step::Insert(key, v)),
        3 => (any::<u8>(), prop::option::weighted(0.9, vector())).prop_map(|(key, v)| Step::Replace(key, v)),
        2 => any::<u8>().prop_map(Step::Remove),
        1 => Just(Step::Train),
        2 => vector().prop_map(Step::Search),
    ];
    prop::collection::vec(step, 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is written and whenever the index is trained: all lists together have exactly the
    /// vectors of the documents, also as the transaction sees them before its commit.
    #[test]
    fn all_lists_are_all_documents(steps in steps(), metric in prop::sample::select(vec!["l2", "innerProduct"])) {
        let store = store();
        let c = create(&store, "c", CollectionType::Document);
        create_index(&store, &c, &definition(metric, 3, r#", "nLists": 4, "numberOfDocsPerCentroid": 200"#)).unwrap();
        for step in steps {
            let body = |vector: Option<Vec<i8>>| value(&json!({"v": vector}).to_string());
            let c = present(&store, "c");
            match step {
                Step::Insert(key, vector) => {
                    let body = value(&json!({"_key": key.to_string(), "v": vector}).to_string());
                    let _ = write(&store, |transaction| {
                        transaction.insert(&c, Slice::new(&body), &WriteOptions::default())
                    });
                }
                Step::Replace(key, vector) => {
                    let _ = replace(&store, &c, &key.to_string(), std::str::from_utf8(json!({"v": vector}).to_string().as_bytes()).unwrap());
                }
                Step::Remove(key) => {
                    let _ = remove(&store, &c, &key.to_string());
                }
                Step::Train => {
                    for (collection, id) in store.indexes_to_train() {
                        store.train_index(&collection, id, &|| Ok(())).unwrap();
                    }
                }
                Step::Search(vector) => {
                    let vector: Vec<f64> = vector.into_iter().map(f64::from).collect();
                    let mut writer = begin(&store);
                    writer.insert(&c, Slice::new(&body(Some(vec![1, 2, 3]))), &WriteOptions::default()).unwrap();
                    let view = writer.view();
                    let index = c.indexes().last().unwrap();
                    let found = near(&view, &c, index, &vector, (9, 1000));
                    assert_same(&found, &brute_force(&all(&view, &c), metric, &vector));
                    drop(writer);
                    let found = near_now(&store, &vector, (9, 1000));
                    assert_same(&found, &brute_force(&all(&store.snapshot().unwrap(), &c), metric, &vector));
                }
            }
        }
    }
}
