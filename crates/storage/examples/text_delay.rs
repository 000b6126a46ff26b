//! Measures how late an inverted index shows what concurrent writers write, and how long the
//! writers take.
//!
//! usage: `text_delay [documents] [interval in milliseconds] [writers]`
//!
//! Prints the longest delay that was seen and the documents that were written in a second, for an
//! index whose writers wait for it and for one whose writers do not.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints and may stop at any error"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use storage::{Collection, Durability, Index, Store, StoreOptions, TransactionOptions, WriteOptions};
use velocypack::{Builder, Slice};

/// Documents of one transaction.
const BATCH: usize = 200;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>().unwrap());
    let documents = arguments.next().unwrap_or(40_000);
    let interval = arguments.next().unwrap_or(200);
    let writers = arguments.next().unwrap_or(4);
    for waits in [false, true] {
        let (delay, took) = run(documents, interval, writers, waits);
        let rate = documents as f64 / took.as_secs_f64();
        println!("writers wait: {waits}; longest delay {delay:.2?}; {rate:.0} documents/s written");
    }
}

/// Writes documents. Returns the longest delay, and the time of the writers.
fn run(documents: usize, interval: usize, writers: usize, waits: bool) -> (Duration, Duration) {
    let folder = tempfile::tempdir_in(".").unwrap();
    let engine = kv_rocksdb::RocksEngine::open(folder.path(), &kv_rocksdb::RocksOptions::default());
    let store = Store::open(engine.unwrap(), StoreOptions::default()).unwrap();
    let properties = CollectionProperties::new("texts", CollectionType::Document);
    let texts = store.create_collection("_system", properties).unwrap();
    let definition = format!(
        r#"{{"type":"inverted","fields":[{{"name":"text","analyzer":"text_en"}}],"commitIntervalMsec":{interval}}}"#
    );
    let properties = IndexProperties::parse(Slice::new(&value(&definition))).unwrap();
    let (index, _) = store.create_index(&texts, properties).unwrap();
    let texts = store.catalog().database("_system").unwrap().collection("texts").unwrap().clone();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&store, &index, interval, waits, &is_over));
        let start = Instant::now();
        let all: Vec<_> = (0..writers)
            .map(|writer| {
                let (store, texts) = (&store, &texts);
                scope.spawn(move || write(store, texts, writer, documents / writers))
            })
            .collect();
        all.into_iter().for_each(|writer| writer.join().unwrap());
        let took = start.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (watcher.join().unwrap(), took)
    })
}

/// Makes the steps of the index, and returns the longest delay before one of them ended.
fn watch(store: &Store, index: &Arc<Index>, interval: usize, waits: bool, is_over: &AtomicBool) -> Duration {
    let mut longest = 0;
    loop {
        let ends = is_over.load(Ordering::Relaxed);
        // The thread of a server makes steps at such a pace. Its `index_due` lets writers wait.
        std::thread::sleep(Duration::from_millis(if waits { 50 } else { interval as u64 }));
        let begun = Instant::now();
        let before = index.text_statistics().unwrap().delay_ms;
        match waits {
            true => drop(store.index_due(&|| Ok(()))),
            false => store.index_now(&[Arc::clone(index)], &|| Ok(())).unwrap(),
        }
        longest = longest.max(before + begun.elapsed().as_millis() as u64);
        if ends && index.text_statistics().unwrap().delay_ms == 0 {
            return Duration::from_millis(longest);
        }
    }
}

fn write(store: &Store, texts: &Arc<Collection>, writer: usize, documents: usize) {
    for start in (0..documents).step_by(BATCH) {
        let mut transaction = store.begin(&TransactionOptions::default()).unwrap();
        for number in start..start + BATCH {
            let word = |word: usize| format!("w{}", (number * 7 + word * (writer + 1)) % 5_000);
            let words: Vec<String> = (0..40).map(word).collect();
            let body = value(&format!(r#"{{"text":"{}"}}"#, words.join(" ")));
            transaction.insert(texts, Slice::new(&body), &WriteOptions::default()).unwrap();
        }
        transaction.commit(Durability::Buffered).unwrap();
    }
}

fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}
