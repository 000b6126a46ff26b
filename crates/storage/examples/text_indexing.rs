//! Measures how fast documents of 48 words enter an inverted index: those that exist when it is
//! created, and those that are written afterwards.
//!
//! usage: `text_indexing [documents] [analyzer]`
//!
//! Words follow Zipf's law over 50,000 words. Prints documents a second, CPU time of the whole
//! process for a document, and the size of the index in the size of the texts.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints and may stop at any error"
)]

use std::sync::Arc;
use std::time::Instant;

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use storage::{Collection, MemoryBudget, SearchOptions, Store, StoreOptions, WaitPolicy, WriteOptions};
use velocypack::{Builder, Slice};

const WORDS: usize = 48;
const VOCABULARY: f64 = 50_000.0;
const BATCH: usize = 10_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(200_000, |text| text.parse().unwrap());
    let analyzer = arguments.next().unwrap_or_else(|| "text_en".to_owned());
    let folder = tempfile::tempdir_in(".").unwrap();
    let store = open(folder.path());
    let properties = CollectionProperties::new("texts", CollectionType::Document);
    let texts = store.create_collection("_system", properties).unwrap();
    let mut random = 1;
    let bytes = load(&store, &texts, count, &mut random);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let definition = format!(r#"{{"type":"inverted","fields":[{{"name":"text","analyzer":"{analyzer}"}}]}}"#);
    let properties = IndexProperties::parse(Slice::new(&value(&definition))).unwrap();
    let (index, _) = store.create_index(&texts, properties).unwrap();
    report("existing documents", count, started, cpu);
    let size = index.text_statistics().unwrap();
    println!(
        "index: {} bytes in {} segments, {:.2} of the text",
        size.bytes,
        size.segments,
        size.bytes as f64 / bytes as f64
    );
    load(&store, &texts, count / 4, &mut random);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    store.index_now(&[index], &|| Ok(())).unwrap();
    report("new documents", count / 4, started, cpu);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    store.save_text_indexes().unwrap();
    report("saved", count / 4, started, cpu);
    store.close().unwrap();
}

fn open(folder: &std::path::Path) -> Arc<Store> {
    let budget = MemoryBudget::split(4 << 30);
    let options = kv_rocksdb::RocksOptions::default();
    let engine = kv_rocksdb::RocksEngine::open(folder.join("engine"), &options).unwrap();
    let search = SearchOptions {
        folder: Some(folder.join("search")),
        memory_bytes: usize::try_from(budget.search_bytes).unwrap(),
        ..SearchOptions::default()
    };
    Store::open(engine, StoreOptions { search, ..StoreOptions::default() }).unwrap()
}

/// Loads documents; returns the bytes of their texts.
fn load(store: &Store, texts: &Collection, count: usize, random: &mut u64) -> usize {
    let mut bytes = 0;
    for _ in 0..count / BATCH {
        let load = store.load_documents(texts, &WriteOptions::default(), WaitPolicy::NoWait).unwrap();
        let mut load = load.unwrap();
        for _ in 0..BATCH {
            let text: Vec<String> = (0..WORDS).map(|_| word(random)).collect();
            let text = text.join(" ");
            bytes += text.len();
            load.add(Slice::new(&document(&text))).unwrap();
        }
        load.finish().unwrap();
    }
    bytes
}

/// Returns a word; the most frequent ones are the shortest.
fn word(random: &mut u64) -> String {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let share = (*random >> 11) as f64 / (1_u64 << 53) as f64;
    let mut rank = VOCABULARY.powf(share) as u64;
    let mut text = String::new();
    while text.is_empty() || rank > 0 {
        text.push_str(["ka", "lo", "mi", "nu", "re", "sa", "ti", "vo", "ze", "pa"][rank as usize % 10]);
        rank /= 10;
    }
    text
}

fn document(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    builder.key("text").unwrap();
    builder.add_str(text).unwrap();
    builder.close().unwrap();
    builder.into_vec()
}

fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

fn report(what: &str, documents: usize, started: Instant, cpu: f64) {
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let (rate, micros) = (documents as f64 / seconds, cpu * 1e6 / documents as f64);
    println!("{what:<20}{seconds:>8.2} s{rate:>10.0} documents/s{micros:>8.1} us of CPU a document");
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields.iter().skip(11).take(2).map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}
