//! Helpers of the integration tests.
#![allow(dead_code, reason = "several test programs share it, and each uses a part")]

pub(crate) mod model;

use std::sync::Arc;
use std::time::Duration;

use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use catalog::{CollectionType, SYSTEM_DATABASE};
use errors::Result;
use serde_json::Value;
use storage::{
    BlockLimits, Collection, DocumentScanSpec, Durability, Index, IndexBounds, ScanHost, ScanOptions,
    ScanStatistics, Snapshot, Store, StoreOptions, Transaction, TransactionOptions, WaitPolicy, WriteOptions,
    WriteOutcome,
};
use velocypack::{Builder, Limits, Slice};

/// The time that a load waits for transactions on its collection.
pub(crate) const LOAD_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_millis(500));

/// Blocks of a few rows, so that scans have several blocks.
pub(crate) const LIMITS: BlockLimits = BlockLimits { rows: 3, bytes: 1 << 20 };

pub(crate) fn engine() -> Arc<dyn kv::Engine> {
    test_engine::engine()
}

/// Opens an engine with files.
pub(crate) fn engine_in(folder: &std::path::Path) -> Arc<dyn kv::Engine> {
    let rocksdb =
        || kv_rocksdb::RocksEngine::open(folder, &kv_rocksdb::RocksOptions::default()).unwrap() as _;
    test_engine::mapped_in(folder).unwrap_or_else(rocksdb)
}

pub(crate) fn options() -> StoreOptions {
    StoreOptions {
        collection_wait: WaitPolicy::UpTo(Duration::from_millis(200)),
        sort_budget_bytes: 2000,
        sync_definitions: false,
        ..StoreOptions::default()
    }
}

pub(crate) fn open(engine: &Arc<dyn kv::Engine>) -> Arc<Store> {
    Store::open(Arc::clone(engine), options()).unwrap()
}

pub(crate) fn store() -> Arc<Store> {
    open(&engine())
}

/// Returns a VelocyPack value from JSON text.
pub(crate) fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(json.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

pub(crate) fn to_json(slice: Slice<'_>, collection: &str) -> Value {
    serde_json::from_str(&velocypack::json::to_json_string(slice, Some(collection))).unwrap()
}

pub(crate) fn create(store: &Store, name: &str, collection_type: CollectionType) -> Arc<Collection> {
    store.create_collection(SYSTEM_DATABASE, CollectionProperties::new(name, collection_type)).unwrap()
}

pub(crate) fn create_with(store: &Store, properties: &str) -> Result<Arc<Collection>> {
    let properties = CollectionProperties::parse(Slice::new(&value(properties)), false)?;
    store.create_collection(SYSTEM_DATABASE, properties)
}

/// Returns the current version of a collection.
pub(crate) fn present(store: &Store, name: &str) -> Arc<Collection> {
    Arc::clone(store.catalog().database(SYSTEM_DATABASE).unwrap().collection(name).unwrap())
}

pub(crate) fn create_index(
    store: &Store,
    collection: &Collection,
    index: &str,
) -> Result<(Arc<Index>, bool)> {
    store.create_index(collection, IndexProperties::parse(Slice::new(&value(index)))?)
}

pub(crate) fn begin(store: &Store) -> Transaction {
    store.begin(&TransactionOptions::default()).unwrap()
}

/// Runs one operation in a transaction of its own.
pub(crate) fn write<T>(store: &Store, operation: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
    let mut transaction = begin(store);
    let answer = operation(&mut transaction)?;
    transaction.commit(Durability::Buffered)?;
    Ok(answer)
}

pub(crate) fn insert(store: &Store, collection: &Collection, body: &str) -> Result<WriteOutcome> {
    insert_with(store, collection, body, &WriteOptions::default())
}

pub(crate) fn insert_with(
    store: &Store,
    collection: &Collection,
    body: &str,
    options: &WriteOptions,
) -> Result<WriteOutcome> {
    write(store, |transaction| transaction.insert(collection, Slice::new(&value(body)), options))
}

pub(crate) fn update(store: &Store, collection: &Collection, key: &str, patch: &str) -> Result<WriteOutcome> {
    update_with(store, collection, key, patch, &WriteOptions::default())
}

pub(crate) fn update_with(
    store: &Store,
    collection: &Collection,
    key: &str,
    patch: &str,
    options: &WriteOptions,
) -> Result<WriteOutcome> {
    write(store, |transaction| transaction.update(collection, key, Slice::new(&value(patch)), options))
}

pub(crate) fn replace(store: &Store, collection: &Collection, key: &str, body: &str) -> Result<WriteOutcome> {
    let options = WriteOptions::default();
    write(store, |transaction| transaction.replace(collection, key, Slice::new(&value(body)), &options))
}

pub(crate) fn remove(store: &Store, collection: &Collection, key: &str) -> Result<WriteOutcome> {
    let options = WriteOptions::default();
    write(store, |transaction| transaction.remove(collection, key, Slice::NONE, &options))
}

/// Returns a document as JSON; `None` if it does not exist.
pub(crate) fn get(snapshot: &Snapshot, collection: &Collection, key: &str) -> Option<Value> {
    let documents = snapshot.get(collection, &[key]).unwrap();
    documents.get(0).map(|document| to_json(document, collection.name()))
}

pub(crate) fn get_now(store: &Store, collection: &Collection, key: &str) -> Option<Value> {
    get(&store.snapshot().unwrap(), collection, key)
}

/// Returns all documents as JSON in the order of a scan.
pub(crate) fn all(snapshot: &Snapshot, collection: &Collection) -> Vec<Value> {
    let mut scan = snapshot.scan(collection, &DocumentScanSpec::default()).unwrap();
    let mut all = Vec::new();
    while let Some(documents) = scan.next_block(LIMITS).unwrap() {
        all.extend(documents.iter().map(|document| to_json(document, collection.name())));
        scan.release();
    }
    all
}

/// Returns the keys of all documents in the order of a scan.
pub(crate) fn keys(snapshot: &Snapshot, collection: &Collection) -> Vec<String> {
    all(snapshot, collection).iter().map(|document| document["_key"].as_str().unwrap().to_owned()).collect()
}

/// Returns the key and the covered values of an index's entries within bounds.
pub(crate) fn entries(
    snapshot: &Snapshot,
    collection: &Collection,
    index: &Index,
    bounds: &IndexBounds,
    reverse: bool,
) -> Vec<(String, Value)> {
    let mut scan = snapshot.index_scan(collection, index, bounds, reverse).unwrap();
    let mut all = Vec::new();
    while let Some(entries) = scan.next_block(LIMITS).unwrap() {
        for i in 0..entries.len() {
            let covered = to_json(entries.covered(i).unwrap(), collection.name());
            all.push((entries.key(i).to_owned(), covered));
        }
        scan.release();
    }
    all
}

/// Options of a scan in any order that wants nothing but entries.
pub(crate) const SCAN: ScanOptions = ScanOptions {
    ascending: true,
    ordered: false,
    limit_each: None,
    wants_documents: false,
    wants_covered: true,
    lookahead: 1,
};

/// A caller of scans that never ends them.
#[derive(Default)]
pub(crate) struct Host(ScanStatistics);

impl ScanHost for Host {
    fn check(&self) -> errors::Result<()> {
        Ok(())
    }

    fn keep(&mut self, _: u64) -> errors::Result<()> {
        Ok(())
    }

    fn statistics(&mut self) -> &mut ScanStatistics {
        &mut self.0
    }
}

/// Returns the keys that an index finds for all its entries, in order.
pub(crate) fn indexed_keys(store: &Store, collection: &Collection, index: &Index) -> Vec<String> {
    let snapshot = store.snapshot().unwrap();
    let all = entries(&snapshot, collection, index, &IndexBounds::all(), false);
    all.into_iter().map(|(key, _)| key).collect()
}

/// Returns the edges at a vertex in order of their keys: the edge's key and the other vertex.
pub(crate) fn edges(
    snapshot: &Snapshot,
    collection: &Collection,
    direction: storage::EdgeDirection,
    vertex: &str,
) -> Vec<(String, String)> {
    let mut scan = snapshot.edges(collection, direction, &[vertex]).unwrap();
    let mut all = Vec::new();
    while let Some(entries) = scan.next_block(LIMITS).unwrap() {
        for entry in entries.iter() {
            let entry = entry.unwrap();
            all.push((entry.key.to_owned(), entry.other_vertex.to_owned()));
        }
        scan.release();
    }
    all
}
