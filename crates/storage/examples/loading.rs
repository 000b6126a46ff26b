//! Measures the cost of loading new documents, by transactions and by loads. A load writes tables
//! if the documents are sorted, and goes through the engine's log if they are shuffled.
//!
//! usage: `loading documents|edges [count] [documents of a batch] [threads] [sorted|shuffled]
//! [transaction|load]...`
//!
//! For each way, prints the elapsed time, and the CPU time of the whole process until compaction
//! has ended. Compare results only within one run.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a program that prints and may stop at any error"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use storage::{
    Collection, Durability, LoadOutcome, MemoryBudget, Store, StoreOptions, TransactionOptions, WaitPolicy,
    WriteOptions,
};
use velocypack::{Builder, Slice};

struct Workload {
    edges: bool,
    count: usize,
    batch: usize,
    threads: usize,
    shuffled: bool,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text =
        |position: usize, default: &str| arguments.get(position).map_or(default, String::as_str).to_owned();
    let number = |position: usize, default: usize| {
        arguments.get(position).map_or(default, |text| text.parse().unwrap())
    };
    let workload = Workload {
        edges: text(0, "documents") == "edges",
        count: number(1, 1_000_000),
        batch: number(2, 30_000),
        threads: number(3, 2),
        shuffled: text(4, "sorted") == "shuffled",
    };
    let ways: Vec<&str> = arguments.iter().skip(5).map(String::as_str).collect();
    let ways = if ways.is_empty() { vec!["transaction", "load"] } else { ways };
    println!("{:<14}{:>10}{:>12}{:>14}{:>16}", "", "seconds", "CPU s", "CPU s settled", "documents/s");
    for way in ways {
        workload.run(way);
    }
}

impl Workload {
    fn run(&self, way: &str) {
        let folder = tempfile::tempdir_in(".").unwrap();
        let budget = MemoryBudget::split(1 << 30);
        let memory_bytes = usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap();
        let options = kv_rocksdb::RocksOptions { memory_bytes, ..kv_rocksdb::RocksOptions::default() };
        let engine = kv_rocksdb::RocksEngine::open(folder.path().join("engine"), &options).unwrap();
        let store = Store::open(engine, StoreOptions::default()).unwrap();
        let kind = if self.edges { CollectionType::Edge } else { CollectionType::Document };
        let collection = store.create_collection("_system", CollectionProperties::new("c", kind)).unwrap();
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    loop {
                        let first = next.fetch_add(self.batch, Ordering::Relaxed);
                        if first >= self.count {
                            break;
                        }
                        let numbers = first..self.count.min(first + self.batch);
                        self.load(way, &store, &collection, numbers);
                    }
                });
            }
        });
        let elapsed = start.elapsed().as_secs_f64();
        let loaded = cpu_seconds() - cpu;
        let settled = settle() - cpu;
        let rate = self.count as f64 / elapsed;
        println!("{way:<14}{elapsed:>10.2}{loaded:>12.2}{settled:>14.2}{rate:>16.0}");
        assert_eq!(store.snapshot().unwrap().count(&collection).unwrap(), self.count as u64);
        store.close().unwrap();
    }

    fn load(&self, way: &str, store: &Store, collection: &Arc<Collection>, numbers: std::ops::Range<usize>) {
        let options = WriteOptions::default();
        match way {
            "transaction" => {
                let bodies: Vec<Vec<u8>> = numbers.map(|number| self.body(number)).collect();
                let slices: Vec<Slice<'_>> = bodies.iter().map(|body| Slice::new(body)).collect();
                let mut transaction = store.begin(&TransactionOptions::single_operation(collection)).unwrap();
                let outcomes = transaction.insert_many(collection, &slices, &options).unwrap();
                assert!(outcomes.iter().all(Result::is_ok));
                return transaction.commit(Durability::Buffered).unwrap();
            }
            "load" => {}
            other => panic!("no way is called {other}"),
        }
        let mut load = store.load_documents(collection, &options, WaitPolicy::NoWait).unwrap().unwrap();
        for number in numbers {
            load.add(Slice::new(&self.body(number))).unwrap();
        }
        assert_eq!(load.finish().unwrap(), LoadOutcome::Loaded);
    }

    fn body(&self, number: usize) -> Vec<u8> {
        let shuffle = |number: usize| number.wrapping_mul(2_654_435_761) % self.count;
        let key = format!("k{:010}", if self.shuffled { shuffle(number) } else { number });
        let mut builder = Builder::new();
        builder.open_object().unwrap();
        let mut add = |name: &str, text: &str| {
            builder.key(name).unwrap();
            builder.add_str(text).unwrap();
        };
        add("_key", &key);
        if self.edges {
            add("_from", &format!("v/{:08}", number % (self.count / 18 + 1)));
            add("_to", &format!("v/{:08}", shuffle(number) % (self.count / 18 + 1)));
        } else {
            add("name", &format!("name {}", number.wrapping_mul(7919) % 10_007));
            add("group", &format!("group {}", number % 97));
            add("description", "a text of some length, as documents often have one, about fifty bytes");
        }
        builder.key("number").unwrap();
        builder.add_u64(number as u64).unwrap();
        builder.close().unwrap();
        builder.into_vec()
    }
}

/// Returns the CPU time of this process so far, user and system.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // Fields 14 and 15 of proc(5), in ticks of 10 ms.
    let ticks = |field: usize| fields[field - 3].parse::<f64>().unwrap();
    (ticks(14) + ticks(15)) / 100.0
}

/// Waits until compaction has ended.
fn settle() -> f64 {
    let mut last = cpu_seconds();
    loop {
        std::thread::sleep(Duration::from_millis(700));
        let now = cpu_seconds();
        if now - last < 0.03 {
            return now;
        }
        last = now;
    }
}
