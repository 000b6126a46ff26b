//! Measures how long a vector index is built over existing vectors, and the recall and CPU
//! time of searches against a search of all lists.
//!
//! usage: `vector_searches [documents] [dimension] [clusters]`
//!
//! Vectors lie around centers, or are uniform with 0 clusters. CPU times are those of the process,
//! so they are also right on a busy machine.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program that prints and may stop at any error"
)]

use std::sync::Arc;
use std::time::Instant;

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use errors::Result;
use storage::{
    Collection, Index, IndexValue, NearBounds, ScanHost, ScanStatistics, Store, StoreOptions, WaitPolicy,
    WriteOptions,
};
use velocypack::{Builder, Slice};

const QUERIES: u64 = 100;
const NEAREST: usize = 10;
const BATCH: u64 = 10_000;

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let (documents, dimension, clusters) = (number(0, 100_000), number(1, 128) as usize, number(2, 1_000));
    let mut random = Random(clusters ^ documents);
    let centers = (0..clusters).map(|_| (0..dimension).map(|_| random.normal()).collect()).collect();
    let set = Set { dimension, centers };
    let folder = tempfile::tempdir_in(".").unwrap();
    let options = kv_rocksdb::RocksOptions::default();
    let engine = kv_rocksdb::RocksEngine::open(folder.path().join("engine"), &options).unwrap();
    let store = Store::open(engine, StoreOptions::default()).unwrap();
    let properties = CollectionProperties::new("vectors", CollectionType::Document);
    let collection = store.create_collection("_system", properties).unwrap();
    load(&store, &collection, &set, documents);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let definition =
        format!(r#"{{"type":"vector","fields":["v"],"params":{{"metric":"l2","dimension":{dimension}}}}}"#);
    let mut builder = Builder::new();
    velocypack::json::parse(definition.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
    let properties = IndexProperties::parse(builder.as_slice()).unwrap();
    let (index, _) = store.create_index(&collection, properties).unwrap();
    let lists = usize::try_from(index.training_state().unwrap().lists.unwrap()).unwrap();
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!(
        "{documents} x {dimension}, {clusters} clusters: {lists} lists, built in {seconds:.1} s, {cpu:.1} s of CPU"
    );
    let exact = searches(&store, &collection, &index, &set, documents, lists);
    println!("all lists: {:.3} ms of CPU a search", exact.milliseconds);
    for probes in [1, 2, 4, 8, 16, 32, 64, 128, 256].into_iter().filter(|probes| *probes < lists) {
        let found = searches(&store, &collection, &index, &set, documents, probes);
        let pairs = found.keys.iter().zip(&exact.keys);
        let hits: usize =
            pairs.map(|(own, exact)| exact.iter().filter(|key| own.contains(key)).count()).sum();
        let recall = hits as f64 / (QUERIES as usize * NEAREST) as f64;
        let ratio = found.milliseconds / exact.milliseconds;
        println!("{probes:>4} lists: recall {recall:.3}, {:.3} ms, {ratio:.3} of all", found.milliseconds);
    }
    store.close().unwrap();
}

fn load(store: &Store, collection: &Collection, set: &Set, documents: u64) {
    for first in (0..documents).step_by(BATCH as usize) {
        let load = store.load_documents(collection, &WriteOptions::default(), WaitPolicy::NoWait).unwrap();
        let mut load = load.unwrap();
        for number in first..documents.min(first + BATCH) {
            let mut builder = Builder::new();
            builder.open_object().unwrap();
            builder.key("v").unwrap();
            add_vector(&mut builder, &set.vector(number));
            builder.close().unwrap();
            load.add(builder.as_slice()).unwrap();
        }
        load.finish().unwrap();
    }
}

fn add_vector(builder: &mut Builder, vector: &[f32]) {
    builder.open_array().unwrap();
    vector.iter().for_each(|float| builder.add_f64(f64::from(*float)).unwrap());
    builder.close().unwrap();
}

/// The keys that each search has found, and the mean CPU time of a search.
struct Found {
    keys: Vec<Vec<String>>,
    milliseconds: f64,
}

fn searches(
    store: &Store,
    collection: &Collection,
    index: &Arc<Index>,
    set: &Set,
    documents: u64,
    lists: usize,
) -> Found {
    let snapshot = store.snapshot().unwrap();
    let vectors: Vec<Vec<u8>> = (0..QUERIES)
        .map(|number| {
            let mut builder = Builder::new();
            // Vectors of the same distribution that are not in the collection.
            add_vector(&mut builder, &set.vector(documents + number));
            builder.into_vec()
        })
        .collect();
    let mut host = Host::default();
    let cpu = thread_cpu_seconds();
    let keys = vectors.iter().map(|vector| {
        let wanted = IndexValue::new(Slice::new(vector), None).unwrap();
        let mut scan = snapshot.near(collection, index, &wanted, None).unwrap();
        let bounds = NearBounds { most: NEAREST, score: f32::INFINITY, wants_covered: false };
        let found = scan.probe(lists, bounds, &mut host).unwrap();
        found.entries.keys().map(str::to_owned).collect()
    });
    let keys = keys.collect();
    Found { keys, milliseconds: (thread_cpu_seconds() - cpu) * 1e3 / QUERIES as f64 }
}

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

/// A set of vectors.
struct Set {
    dimension: usize,
    /// The centers; none for uniform vectors.
    centers: Vec<Vec<f32>>,
}

impl Set {
    /// Returns a vector; the same number gives the same one.
    fn vector(&self, number: u64) -> Vec<f32> {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        match self.centers.len() as u64 {
            0 => (0..self.dimension).map(|_| random.float()).collect(),
            clusters => {
                let center = &self.centers[(random.next() % clusters) as usize];
                center.iter().map(|float| float + 0.5 * random.normal()).collect()
            }
        }
    }
}

/// A generator of numbers with a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to 1.
    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Returns a number of about a normal distribution: the sum of uniform ones.
    fn normal(&mut self) -> f32 {
        (0..4).map(|_| self.float() - 0.5).sum::<f32>() * 1.73
    }
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields.iter().skip(11).take(2).map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

fn thread_cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
