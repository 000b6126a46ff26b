//! Measures how long a server needs until it searches a text index that another server of the same
//! store has built: from its image, with and without the segments in its folder, and from all
//! documents.
//!
//! usage: `text_images [documents]`
//!
//! The cluster is in memory, so messages take no time.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints and may stop at any error"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use kv_tikv::MemoryCluster;
use storage::{Collection, Durability, SearchOptions, Store, StoreOptions, TransactionOptions, WriteOptions};
use velocypack::{Builder, Slice};

const LEASE: Duration = Duration::from_secs(3600);
const BATCH: usize = 5_000;
const WORDS: usize = 12;

fn main() {
    let count: usize = std::env::args().nth(1).map_or(200_000, |text| text.parse().unwrap());
    let folder = tempfile::tempdir_in(".").unwrap();
    let cluster = MemoryCluster::new();
    let first = open(&cluster, &folder.path().join("first"));
    let properties = CollectionProperties::new("texts", CollectionType::Document);
    let texts = first.create_collection("_system", properties).unwrap();
    let mut random = 1;
    for number in 0..count / BATCH {
        insert(&first, &texts, number, &mut random);
    }
    let definition = value(r#"{"type":"inverted","fields":[{"name":"text","analyzer":"text_en"}]}"#);
    let began = Instant::now();
    let properties = IndexProperties::parse(Slice::new(&definition)).unwrap();
    first.create_index(&texts, properties).unwrap();
    search(&first);
    println!("built from all documents: {:.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    assert!(first.merge_due(&|| Ok(())).is_empty());
    println!("image written: {:.2} s", began.elapsed().as_secs_f64());
    for name in ["without segments in the folder", "with them"] {
        let began = Instant::now();
        let second = open(&cluster, &folder.path().join("second"));
        search(&second);
        println!("begun from the image, {name}: {:.2} s", began.elapsed().as_secs_f64());
    }
}

fn open(cluster: &MemoryCluster, folder: &Path) -> Arc<Store> {
    let defaults = StoreOptions::default();
    let search = SearchOptions { folder: Some(folder.to_owned()), ..defaults.search.clone() };
    Store::open(cluster.open(LEASE).unwrap(), StoreOptions { search, ..defaults }).unwrap()
}

/// Makes the first step of the index, as the first search does.
fn search(store: &Store) {
    let snapshot = store.snapshot().unwrap();
    let database = snapshot.catalog().database("_system").unwrap();
    let collection = database.collection("texts").unwrap();
    let index = collection.indexes().iter().find(|index| index.search_schema().is_some()).unwrap();
    snapshot.search_state(&[Arc::clone(index)], &|| Ok(())).unwrap();
}

fn insert(store: &Store, texts: &Arc<Collection>, number: usize, random: &mut u64) {
    let mut transaction = store.begin(&TransactionOptions::single_operation(texts)).unwrap();
    for place in 0..BATCH {
        let words: Vec<String> = (0..WORDS).map(|_| word(random)).collect();
        let text = format!(r#"{{"_key":"{}","text":"{}"}}"#, number * BATCH + place, words.join(" "));
        transaction.insert(texts, Slice::new(&value(&text)), &WriteOptions::default()).unwrap();
    }
    transaction.commit(Durability::Buffered).unwrap();
}

fn word(random: &mut u64) -> String {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    format!("w{}", (*random >> 40) % 20_000)
}

fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}
