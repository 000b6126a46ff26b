//! Measures readers right after a load, before the engine has merged the tables that it left, and
//! again afterwards.
//!
//! usage: `after_load [documents] [documents of a batch] [vertices]`
//!
//! Prints the processor time of the reading thread: for the count of a collection, for its first
//! 1,000 documents, for documents by their keys, for the edges of a vertex, and for a check that
//! the vertices at the other ends exist. Compare results only within one run.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints and may stop at any error"
)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use kv::BlockLimits;
use storage::{
    Collection, DocumentScanSpec, EdgeDirection, LoadOutcome, MemoryBudget, Store, StoreOptions, WaitPolicy,
    WriteOptions,
};
use velocypack::{Builder, Slice};

/// Edges of each vertex in each direction.
const DEGREE: usize = 18;
const THREADS: usize = 2;
/// Vertices whose edges are read.
const READ_VERTICES: usize = 3000;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|number| number.parse().unwrap()).collect();
    let number = |position: usize, default: usize| numbers.get(position).copied().unwrap_or(default);
    let (documents, batch, vertices) = (number(0, 5_000_000), number(1, 15_000), number(2, 50_000));
    let folder = tempfile::tempdir_in(".").unwrap();
    let budget = MemoryBudget::split(2 << 30);
    let memory_bytes = usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap();
    let options = kv_rocksdb::RocksOptions { memory_bytes, ..kv_rocksdb::RocksOptions::default() };
    let engine_folder = folder.path().join("engine");
    let engine = kv_rocksdb::RocksEngine::open(&engine_folder, &options).unwrap();
    let store = Store::open(engine, StoreOptions::default()).unwrap();
    let [docs, ends, edges] = [("d", false), ("v", false), ("e", true)].map(|(name, is_edge)| {
        let kind = if is_edge { CollectionType::Edge } else { CollectionType::Document };
        store.create_collection("_system", CollectionProperties::new(name, kind)).unwrap()
    });
    load(&store, &docs, documents, batch, &|number| document(number));
    print_header("after the load of documents", &engine_folder);
    read_documents(&store, documents, 0);
    wait_for_merges(&engine_folder);
    print_header("after merging", &engine_folder);
    read_documents(&store, documents, 1);
    load(&store, &ends, vertices, batch, &|number| document(number));
    load(&store, &edges, vertices * DEGREE, batch, &|number| edge(number, vertices));
    print_header("after the load of edges", &engine_folder);
    read_neighbours(&store, vertices);
    wait_for_merges(&engine_folder);
    store.close().unwrap();
}

fn load(
    store: &Store,
    collection: &Arc<Collection>,
    count: usize,
    batch: usize,
    body: &(dyn Fn(usize) -> Vec<u8> + Sync),
) {
    let next = AtomicUsize::new(0);
    let cpu = process_seconds();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(batch, Ordering::Relaxed);
                    if first >= count {
                        break;
                    }
                    let options = WriteOptions::default();
                    let load = store.load_documents(collection, &options, WaitPolicy::NoWait);
                    let mut load = load.unwrap().unwrap();
                    for number in first..count.min(first + batch) {
                        load.add(Slice::new(&body(number))).unwrap();
                    }
                    assert_eq!(load.finish().unwrap(), LoadOutcome::Loaded);
                }
            });
        }
    });
    println!("load of {count}: {:.2} s of processor time", process_seconds() - cpu);
}

fn document(number: usize) -> Vec<u8> {
    object(&[
        ("_key", &key(number)),
        ("name", &format!("name {}", number.wrapping_mul(7919) % 10_007)),
        ("group", &format!("group {}", number % 97)),
    ])
}

fn edge(number: usize, vertices: usize) -> Vec<u8> {
    let to = number.wrapping_mul(2_654_435_761) % vertices;
    object(&[
        ("_key", &key(number)),
        ("_from", &format!("v/{}", key(number % vertices))),
        ("_to", &format!("v/{}", key(to))),
    ])
}

fn key(number: usize) -> String {
    format!("k{number:010}")
}

fn object(members: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    for (name, text) in members {
        builder.key(name).unwrap();
        builder.add_str(text).unwrap();
    }
    builder.close().unwrap();
    builder.into_vec()
}

/// Reads documents. Each `seed` gives others by their keys, since those that were read are cached.
fn read_documents(store: &Store, documents: usize, seed: usize) {
    let collection = |snapshot: &storage::Snapshot| {
        Arc::clone(snapshot.catalog().database("_system").unwrap().collection("d").unwrap())
    };
    let count = || {
        let snapshot = store.snapshot().unwrap();
        snapshot.count(&collection(&snapshot)).unwrap();
    };
    println!("{:>12.0} µs first count", measured(1, count));
    println!("{:>12.0} µs count", measured(500, count));
    let first = || {
        let snapshot = store.snapshot().unwrap();
        let spec = DocumentScanSpec::default();
        let mut scan = snapshot.scan(&collection(&snapshot), &spec).unwrap();
        scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).unwrap().unwrap();
    };
    println!("{:>12.0} µs first 1,000", measured(200, first));
    let mut number = seed;
    let any = || {
        number = number.wrapping_add(2_654_435_761) % documents;
        let snapshot = store.snapshot().unwrap();
        let found = snapshot.get(&collection(&snapshot), &[&key(number)]).unwrap();
        assert_eq!(found.len(), 1);
    };
    println!("{:>12.0} µs a document by key", measured(3000, any));
}

/// Reads the edges of vertices, and checks that the vertices at the other ends exist. All edges are
/// read first, because reading the clock costs as much as reading some edges.
fn read_neighbours(store: &Store, vertices: usize) {
    let starts = (0..READ_VERTICES).map(|number| number.wrapping_mul(40_503) % vertices);
    let starts: Vec<String> = starts.map(|start| format!("v/{}", key(start))).collect();
    let collection = |snapshot: &storage::Snapshot, name| {
        Arc::clone(snapshot.catalog().database("_system").unwrap().collection(name).unwrap())
    };
    for visit in ["first", "second"] {
        let mut ends: Vec<Vec<String>> = Vec::new();
        let edges_us = measured(1, || {
            for start in &starts {
                let snapshot = store.snapshot().unwrap();
                let edges = collection(&snapshot, "e");
                let mut reader = snapshot.edge_reader(&edges, EdgeDirection::Outbound).unwrap();
                let (edges, _) = reader.read(start.as_bytes(), None, 1000).unwrap();
                let key = |other: &[u8]| std::str::from_utf8(other.get(2..).unwrap()).unwrap().to_owned();
                let mut keys: Vec<String> = edges.iter().map(|(_, other)| key(other)).collect();
                keys.sort_unstable();
                ends.push(keys);
            }
        });
        let ends_us = measured(1, || {
            for keys in &ends {
                let snapshot = store.snapshot().unwrap();
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                let vertices = collection(&snapshot, "v");
                assert!(!snapshot.contains(&vertices, &keys).unwrap().contains(&false));
            }
        });
        println!("{:>12.1} µs edges of a vertex, {visit} visit", edges_us / READ_VERTICES as f64);
        println!("{:>12.1} µs {DEGREE} other ends, {visit} visit", ends_us / READ_VERTICES as f64);
    }
}

fn print_header(title: &str, folder: &Path) {
    println!("{title}, {} tables:", tables(folder));
}

fn tables(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).unwrap();
    files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "sst")).count()
}

/// Waits until the number of tables has not changed for longer than the engine waits.
fn wait_for_merges(folder: &Path) {
    let mut last = 0;
    while last != tables(folder) {
        last = tables(folder);
        std::thread::sleep(Duration::from_secs(8));
    }
}

/// Returns the processor time of this thread for one of `runs` calls, in microseconds.
fn measured(runs: u32, mut work: impl FnMut()) -> f64 {
    let begin = thread_ns();
    (0..runs).for_each(|_| work());
    (thread_ns() - begin) / 1000.0 / f64::from(runs)
}

/// Returns the processor time of this thread so far, in nanoseconds.
fn thread_ns() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    statistics.split_whitespace().next().unwrap().parse().unwrap()
}

/// Returns the processor time of this process so far.
fn process_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // Fields 14 and 15 of proc(5), in ticks of 10 ms.
    let ticks = |field: usize| fields[field - 3].parse::<f64>().unwrap();
    (ticks(14) + ticks(15)) / 100.0
}
