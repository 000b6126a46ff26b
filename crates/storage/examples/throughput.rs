//! Measures the cost of documents over the bare engine: inserts, lookups and scans of the same
//! bytes, and their ratio.
//!
//! usage: `throughput [memory|rocksdb] [documents] [indexes] [documents that are committed one by
//! one]`
//!
//! Prints one line for each measurement: documents per second of the bare engine, of the storage
//! layer, and their ratio. Compare results only within one run.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a program that prints and may stop at any error"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use catalog::{CollectionType, FieldPath, IndexType};
use kv::{Durability, Engine, KeyRange, ScanSpec};
use storage::{
    BlockLimits, Collection, DocumentScanSpec, MemoryBudget, Store, StoreOptions, TransactionOptions,
    WriteOptions,
};
use velocypack::{Builder, Slice};

/// Documents of one transaction in the batched measurements.
const BATCH: usize = 1000;
const LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

struct Workload {
    engine: Arc<dyn Engine>,
    store: Arc<Store>,
    collection: Arc<Collection>,
    documents: usize,
    /// Documents that are committed one by one.
    single: usize,
    bodies: Vec<Vec<u8>>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let engine_name = arguments.first().map_or("memory", String::as_str);
    let number = |position: usize, default: usize| {
        arguments.get(position).map_or(default, |text| text.parse().unwrap())
    };
    let (documents, indexes, single) = (number(1, 200_000), number(2, 0), number(3, 20_000));
    let folder = tempfile::tempdir().unwrap();
    let engine: Arc<dyn Engine> = match engine_name {
        "memory" => kv::MemoryEngine::new(),
        "rocksdb" => rocksdb(folder.path()),
        other => panic!("no engine is called {other}"),
    };
    let store = Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap();
    let properties = CollectionProperties::new("c", CollectionType::Document);
    let collection = store.create_collection("_system", properties).unwrap();
    for n in 0..indexes {
        let field = FieldPath::attribute(["number", "name", "group"][n % 3]);
        store.create_index(&collection, IndexProperties::new(IndexType::Persistent, vec![field])).unwrap();
    }
    let bodies = (0..documents).map(body).collect();
    println!("{engine_name}, {documents} documents, {indexes} indexes besides the primary one");
    println!("{:<28}{:>14}{:>14}{:>8}", "", "engine/s", "storage/s", "ratio");
    let workload = Workload { engine, store, collection, documents, single, bodies };
    workload.insert_batches();
    workload.insert_single();
    workload.look_up(1);
    workload.look_up(BATCH);
    workload.scan();
    workload.count();
    println!("a body has {} bytes", workload.bodies[0].len());
}

fn rocksdb(folder: &std::path::Path) -> Arc<dyn Engine> {
    let budget = MemoryBudget::split(1 << 30);
    let memory_bytes = usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap();
    let options = kv_rocksdb::RocksOptions { memory_bytes, ..kv_rocksdb::RocksOptions::default() };
    kv_rocksdb::RocksEngine::open(folder.join("engine"), &options).unwrap()
}

fn key(n: usize) -> String {
    format!("k{n:010}")
}

fn body(n: usize) -> Vec<u8> {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    for (name, text) in [
        ("_key", key(n)),
        ("name", format!("name {}", n.wrapping_mul(7919) % 10_007)),
        ("group", format!("group {}", n % 97)),
        ("description", "a text of some length, as documents often have one, about fifty bytes".to_owned()),
    ] {
        builder.key(name).unwrap();
        builder.add_str(&text).unwrap();
    }
    builder.key("number").unwrap();
    builder.add_u64(n as u64).unwrap();
    builder.close().unwrap();
    builder.into_vec()
}

/// Returns the n-th number of a sequence that looks random and visits each number once.
fn shuffled(n: usize, count: usize) -> usize {
    n.wrapping_mul(2_654_435_761) % count
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn report(what: &str, count: usize, engine: Duration, storage: Duration) {
    let rate = |elapsed: Duration| count as f64 / elapsed.as_secs_f64();
    let (engine, storage) = (rate(engine), rate(storage));
    println!("{what:<28}{engine:>14.0}{storage:>14.0}{:>8.2}", storage / engine);
}

impl Workload {
    /// Returns a key in the bare engine's own copy of the documents.
    fn bare_key(&self, n: usize) -> Vec<u8> {
        [&u64::MAX.to_be_bytes()[..], key(n).as_bytes()].concat()
    }

    fn bare_range(&self) -> KeyRange {
        KeyRange::prefix(&u64::MAX.to_be_bytes())
    }

    fn insert_batches(&self) {
        let bare = time(|| {
            for batch in (0..self.documents).collect::<Vec<_>>().chunks(BATCH) {
                let mut transaction = self.engine.begin(kv::TransactionOptions::default()).unwrap();
                for n in batch {
                    transaction.insert_unique(&self.bare_key(*n), &self.bodies[*n]).unwrap();
                }
                transaction.commit(Durability::Buffered).unwrap();
            }
        });
        let options = WriteOptions::default();
        let stored = time(|| {
            for batch in self.bodies.chunks(BATCH) {
                let slices: Vec<Slice<'_>> = batch.iter().map(|body| Slice::new(body)).collect();
                let mut transaction = self.store.begin(&TransactionOptions::default()).unwrap();
                let outcomes = transaction.insert_many(&self.collection, &slices, &options).unwrap();
                assert!(outcomes.iter().all(Result::is_ok));
                transaction.commit(Durability::Buffered).unwrap();
            }
        });
        report("inserts, 1,000 a commit", self.documents, bare, stored);
    }

    fn insert_single(&self) {
        let bare = time(|| {
            for n in 0..self.single {
                let options =
                    kv::TransactionOptions { snapshot: kv::SnapshotAt::FirstRead, ..Default::default() };
                let mut transaction = self.engine.begin(options).unwrap();
                let key = self.bare_key(self.documents + n);
                transaction.insert_unique(&key, &self.bodies[n % self.documents]).unwrap();
                transaction.commit(Durability::Buffered).unwrap();
            }
        });
        let bodies: Vec<Vec<u8>> = (0..self.single).map(|n| body(self.documents + n)).collect();
        let stored = time(|| {
            for body in &bodies {
                let options = TransactionOptions::single_operation(&self.collection);
                let mut transaction = self.store.begin(&options).unwrap();
                transaction.insert(&self.collection, Slice::new(body), &WriteOptions::default()).unwrap();
                transaction.commit(Durability::Buffered).unwrap();
            }
        });
        report("inserts, 1 a commit", self.single, bare, stored);
    }

    fn look_up(&self, batch: usize) {
        let keys: Vec<String> = (0..self.documents).map(|n| key(shuffled(n, self.documents))).collect();
        let bare_keys: Vec<Vec<u8>> =
            (0..self.documents).map(|n| self.bare_key(shuffled(n, self.documents))).collect();
        let engine = self.engine.snapshot().unwrap();
        let bare = time(|| {
            for keys in bare_keys.chunks(batch) {
                let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let found = engine.get_many(&keys).unwrap();
                assert!(found.iter().all(|value| value.is_some()));
            }
        });
        let snapshot = self.store.snapshot().unwrap();
        let stored = time(|| {
            for keys in keys.chunks(batch) {
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                let found = snapshot.get(&self.collection, &keys).unwrap();
                assert!(found.offsets.iter().all(Option::is_some));
            }
        });
        report(&format!("lookups, {batch} a call"), self.documents, bare, stored);
    }

    fn scan(&self) {
        let engine = self.engine.snapshot().unwrap();
        let mut bare_rows = 0;
        let bare = time(|| {
            let mut scan = engine.scan(ScanSpec::forward(self.bare_range()).sequential()).unwrap();
            while let Some(block) = scan.next_block(LIMITS).unwrap() {
                bare_rows += block.len();
            }
        });
        let snapshot = self.store.snapshot().unwrap();
        let mut rows = 0;
        let stored = time(|| {
            let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
            let mut scan = snapshot.scan(&self.collection, &spec).unwrap();
            while let Some(documents) = scan.next_block(LIMITS).unwrap() {
                rows += documents.len();
            }
        });
        assert_eq!((rows, bare_rows), (self.documents + self.single, self.documents + self.single));
        report("scan", rows, bare, stored);
    }

    fn count(&self) {
        const COUNTS: usize = 10_000;
        let snapshot = self.store.snapshot().unwrap();
        let expected = (self.documents + self.single) as u64;
        let elapsed = time(|| {
            for _ in 0..COUNTS {
                assert_eq!(snapshot.count(&self.collection).unwrap(), expected);
            }
        });
        println!("{:<28}{:>28.1} µs", "count of a snapshot", elapsed.as_secs_f64() * 1e6 / COUNTS as f64);
    }
}
