//! Compares the engine behind the trait with RocksDB itself, in one process: prints rates and their
//! ratios.
//!
//! `cargo run --release -p kv-rocksdb --example limits -- [rows] [memory] [folder] [part]...`
//!
//! The memory is in MiB. The parts are scans, gets, starts, writes and synced; without a name, all
//! run. `zstd` is not a part of the run: it sets the engine's compression.
//!
//! Each result is the CPU time of the calling thread. Both sides of a pair run three times in turn,
//! and the best of each counts. RocksDB itself has plain options: 16 KiB blocks, LZ4, a filter, and
//! a block cache of the same size.

#![allow(clippy::print_stdout, clippy::expect_used, clippy::panic, reason = "a program for people")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kv::{
    BlockLimits, Durability, Engine, KeyRange, LoadHint, LoadKind, ScanSpec, Snapshot, SnapshotAt,
    TransactionOptions, WriteTransaction,
};
use kv_rocksdb::{Compression, RocksEngine, RocksOptions};
use rust_rocksdb::{
    BlockBasedOptions, Cache, DB, DBCompressionType, IngestExternalFileOptions, Options, ReadOptions,
    SstFileWriter, WriteBatch,
};

const VALUE_BYTES: usize = 150;
const ROUNDS: usize = 3;
const BLOCK: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

/// Both stores with the same rows.
struct Stores {
    rows: u64,
    bare: DB,
    engine: Arc<RocksEngine>,
}

/// Returns the key of row `id`: a collection's number and a key, as in the storage layer.
fn key(table: u32, id: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..4].copy_from_slice(&table.to_be_bytes());
    key[4..].copy_from_slice(format!("{id:012}").as_bytes());
    key
}

/// Writes a value that compresses about as well as documents do.
fn value(id: u64, value: &mut Vec<u8>) {
    value.clear();
    let mut state = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    while value.len() < VALUE_BYTES {
        value.extend_from_slice(b"attribute");
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        value.extend_from_slice(&state.to_be_bytes()[..6]);
    }
    value.truncate(VALUE_BYTES);
}

/// Returns numbers below `limit` in no order.
fn scattered(seed: u64, limit: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 24) % limit
    })
}

fn open_bare(folder: &Path, memory_bytes: usize) -> (DB, Options) {
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_max_background_jobs(2);
    options.set_compression_type(DBCompressionType::Lz4);
    let mut tables = BlockBasedOptions::default();
    tables.set_block_cache(&Cache::new_lru_cache(memory_bytes));
    tables.set_block_size(16 << 10);
    tables.set_bloom_filter(10.0, false);
    options.set_block_based_table_factory(&tables);
    (DB::open(&options, folder).expect("open"), options)
}

/// Prints one line: both rates, and the ratio of RocksDB's time to the trait's.
fn report(what: &str, count: u64, bare: Duration, trait_: Duration) {
    let nanoseconds = |time: Duration| time.as_nanos() as f64 / count as f64;
    let (bare, trait_) = (nanoseconds(bare), nanoseconds(trait_));
    println!("{what:44} {bare:>10.0} ns {trait_:>10.0} ns   {:>5.2} of the limit", bare / trait_);
}

/// Runs both in turn and reports the best time of each.
fn compare(
    what: &str,
    count: u64,
    mut bare: impl FnMut(usize) -> Duration,
    mut trait_: impl FnMut(usize) -> Duration,
) {
    let mut best = (Duration::MAX, Duration::MAX);
    for round in 0..ROUNDS {
        best.0 = best.0.min(bare(round));
        best.1 = best.1.min(trait_(round));
    }
    report(what, count, best.0, best.1);
}

/// Returns the CPU time that `work` takes in this thread. Other processes disturb it less than
/// elapsed time.
fn timed(work: impl FnOnce()) -> Duration {
    let started = cpu_time();
    work();
    cpu_time() - started
}

fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("schedstat, of Linux");
    let nanoseconds = text.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanoseconds.expect("a number"))
}

fn load(stores: &Stores, options: &Options, folder: &Path) {
    let rows = stores.rows;
    let bare = timed(|| {
        let mut writer = SstFileWriter::create(options);
        let file = folder.join("bare.sst");
        writer.open(&file).expect("open");
        let mut bytes = Vec::new();
        for id in 0..rows {
            value(id, &mut bytes);
            writer.put(key(1, id), &bytes).expect("put");
        }
        writer.finish().expect("finish");
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        stores.bare.ingest_external_file_opts(&options, vec![file]).expect("ingest");
    });
    let trait_ = timed(|| {
        let mut load =
            stores.engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: rows as usize }).expect("load");
        let mut bytes = Vec::new();
        for id in 0..rows {
            value(id, &mut bytes);
            load.add(&key(1, id), &bytes).expect("add");
        }
        load.finish(Durability::Buffered).expect("finish");
    });
    report("bulk load, a row", rows, bare, trait_);
}

fn scan_bare(stores: &Stores, rows: u64, copy: bool) -> Duration {
    timed(|| {
        let snapshot = stores.bare.snapshot();
        let mut options = ReadOptions::default();
        options.set_iterate_range(key(1, 0).to_vec()..key(1, rows).to_vec());
        options.set_readahead_size(1 << 20);
        let mut iterator = snapshot.raw_iterator_opt(options);
        iterator.seek(key(1, 0));
        let (mut count, mut bytes) = (0, 0);
        let mut copied = Vec::new();
        while let Some((key, value)) = iterator.item() {
            count += 1;
            bytes += key.len() + value.len();
            if copy {
                if copied.len() > 200_000 {
                    copied.clear();
                }
                copied.extend_from_slice(key);
                copied.extend_from_slice(value);
            }
            iterator.next();
        }
        iterator.status().expect("scan");
        assert!(count == rows && bytes > 0);
    })
}

fn scan_trait(snapshot: &dyn Snapshot, spec: ScanSpec, limits: BlockLimits, rows: u64) -> Duration {
    timed(|| {
        let mut scan = snapshot.scan(spec).expect("scan");
        let (mut count, mut bytes) = (0, 0);
        while let Some(block) = scan.next_block(limits).expect("next_block") {
            count += block.len() as u64;
            bytes += block.size_bytes();
        }
        assert!(count == rows && bytes > 0);
    })
}

fn scans(stores: &Stores) {
    let rows = stores.rows;
    let range = || KeyRange::new(key(1, 0), key(1, rows));
    let snapshot = stores.engine.snapshot().expect("snapshot");
    let run = |spec: ScanSpec, limits| scan_trait(&*snapshot, spec, limits, rows);
    compare(
        "scan, a row",
        rows,
        |_| scan_bare(stores, rows, false),
        |_| run(ScanSpec::forward(range()), BLOCK),
    );
    let sequential = || ScanSpec::forward(range()).sequential();
    compare("sequential scan, a row", rows, |_| scan_bare(stores, rows, false), |_| run(sequential(), BLOCK));
    compare(
        "the same, limit copies too",
        rows,
        |_| scan_bare(stores, rows, true),
        |_| run(sequential(), BLOCK),
    );
    let keys = || ScanSpec::forward(range()).keys_only();
    compare("scan of keys, a row", rows, |_| scan_bare(stores, rows, false), |_| run(keys(), BLOCK));
    let small = BlockLimits { rows: 10, bytes: 1 << 20 };
    let forward = || ScanSpec::forward(range());
    compare("scan by 10 rows, a row", rows, |_| scan_bare(stores, rows, false), |_| run(forward(), small));
    let mut transaction = stores.engine.begin(TransactionOptions::default()).expect("begin");
    for id in (0..rows).step_by(1000) {
        transaction.put(&key(1, id), b"changed").expect("put");
    }
    let view = transaction.view();
    compare(
        "scan merged with 0.1 % writes, a row",
        rows,
        |_| scan_bare(stores, rows, false),
        |_| scan_trait(&*view, forward(), BLOCK, rows),
    );
}

fn starts(stores: &Stores) {
    let rows = stores.rows;
    let count = 40_000;
    let bare = |_: usize| {
        timed(|| {
            for id in scattered(7, rows).take(count) {
                let snapshot = stores.bare.snapshot();
                let mut options = ReadOptions::default();
                options.set_iterate_upper_bound(key(1, rows));
                let mut iterator = snapshot.raw_iterator_opt(options);
                iterator.seek(key(1, id));
                assert!(iterator.valid());
            }
        })
    };
    let trait_ = |_: usize| {
        timed(|| {
            for id in scattered(7, rows).take(count) {
                let snapshot = stores.engine.snapshot().expect("snapshot");
                let spec = ScanSpec::forward(KeyRange::new(key(1, id), key(1, rows)));
                let mut scan = snapshot.scan(spec).expect("scan");
                assert!(scan.next_block(BlockLimits { rows: 1, bytes: 1 }).expect("next_block").is_some());
            }
        })
    };
    compare("snapshot, seek, one row", count as u64, bare, trait_);
}

fn gets(stores: &Stores) {
    let rows = stores.rows;
    let count = 200_000_u64;
    let snapshot = stores.engine.snapshot().expect("snapshot");
    let bare = |_: usize| {
        timed(|| {
            for id in scattered(7, rows).take(count as usize) {
                assert!(stores.bare.get_pinned(key(1, id)).expect("get").is_some());
            }
        })
    };
    compare("get, a key", count, bare, |_| {
        timed(|| {
            for id in scattered(7, rows).take(count as usize) {
                assert!(snapshot.get_many(&[&key(1, id)]).expect("get").is_present(0));
            }
        })
    });
    for size in [10, 100, 1000] {
        compare(&format!("get_many of {size}, a key"), count, bare, |_| {
            timed(|| {
                let ids: Vec<u64> = scattered(7, rows).take(count as usize).collect();
                for ids in ids.chunks(size) {
                    let keys: Vec<[u8; 16]> = ids.iter().map(|id| key(1, *id)).collect();
                    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
                    let values = snapshot.get_many(&keys).expect("get_many");
                    assert!((0..size).all(|i| values.is_present(i)));
                }
            })
        });
    }
    let absent = |_: usize| {
        timed(|| {
            for id in scattered(7, rows).take(count as usize) {
                assert!(stores.bare.get_pinned([&key(1, id)[..], b"x"].concat()).expect("get").is_none());
            }
        })
    };
    compare("get of an absent key", count, absent, |_| {
        timed(|| {
            for id in scattered(7, rows).take(count as usize) {
                assert!(!snapshot.get_many(&[&[&key(1, id)[..], b"x"].concat()]).expect("get").is_present(0));
            }
        })
    });
}

/// Commits `count` rows in transactions of `size` rows each.
fn write_trait(
    engine: &RocksEngine,
    table: u32,
    count: u64,
    size: u64,
    options: TransactionOptions,
    write: fn(&mut dyn WriteTransaction, &[u8], &[u8]) -> kv::Result<()>,
) -> Duration {
    let mut bytes = Vec::new();
    timed(|| {
        for first in (0..count).step_by(size as usize) {
            let mut transaction = engine.begin(options).expect("begin");
            for id in first..first + size {
                value(id, &mut bytes);
                write(&mut *transaction, &key(table, id), &bytes).expect("write");
            }
            transaction.commit(Durability::Buffered).expect("commit");
        }
    })
}

/// Does the same without the trait. With `is_unique`, each key is looked up before it is written.
fn write_bare(db: &DB, table: u32, count: u64, size: u64, is_unique: bool) -> Duration {
    let mut bytes = Vec::new();
    timed(|| {
        for first in (0..count).step_by(size as usize) {
            let mut batch = WriteBatch::default();
            for id in first..first + size {
                value(id, &mut bytes);
                let key = key(table, id);
                assert!(!is_unique || db.get_pinned(key).expect("get").is_none());
                batch.put(key, &bytes);
            }
            db.write(&batch).expect("write");
        }
    })
}

fn writes(stores: &Stores) {
    let begin = TransactionOptions::default();
    let first_read = TransactionOptions { snapshot: SnapshotAt::FirstRead, ..begin };
    let mut table = 10;
    for (size, count) in [(1, 100_000), (10, 200_000), (1000, 400_000), (200_000, 400_000)] {
        let mut run =
            |what: &str, options, write: fn(&mut dyn WriteTransaction, &[u8], &[u8]) -> kv::Result<()>| {
                let first = table;
                table += ROUNDS as u32;
                compare(
                    &format!("{what}, {size} a commit, a row"),
                    count,
                    |round| {
                        write_bare(
                            &stores.bare,
                            first + round as u32,
                            count,
                            size,
                            what.starts_with("insert"),
                        )
                    },
                    |round| write_trait(&stores.engine, first + round as u32, count, size, options, write),
                );
            };
        run("insert_unique", begin, |transaction, key, value| transaction.insert_unique(key, value));
        run("insert_unique without snapshot", first_read, |transaction, key, value| {
            transaction.insert_unique(key, value)
        });
        run("put_unguarded", begin, |transaction, key, value| transaction.put_unguarded(key, value));
    }
}

fn synced(stores: &Stores) {
    for threads in [1, 8] {
        let each = 50_u64;
        let started = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || {
                    for id in 0..each {
                        let mut transaction =
                            stores.engine.begin(TransactionOptions::default()).expect("begin");
                        transaction.put(&key(1000 + thread, id), b"value").expect("put");
                        transaction.commit(Durability::Synced).expect("commit");
                    }
                });
            }
        });
        let count = each * u64::from(threads);
        println!(
            "synced commit, {threads} threads: {:.0} µs a commit",
            started.elapsed().as_micros() as f64 / count as f64
        );
    }
}

/// Returns the process's resident memory in MiB and its CPU time so far in seconds.
fn process() -> (u64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    let rss_mib =
        line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default() >> 10;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: u64 = stat.split(' ').skip(13).take(2).filter_map(|text| text.parse::<u64>().ok()).sum();
    (rss_mib, ticks as f64 / 100.0)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments.next().map_or(2_000_000, |text| text.parse().expect("rows"));
    let memory_bytes = arguments.next().map_or(1 << 10, |text| text.parse::<usize>().expect("MiB")) << 20;
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from).join("kv-rocksdb-limits");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("create_dir");
    println!("RSS at the start {} MiB", process().0);
    let (compressions, wanted): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument == "zstd");
    let compression = if compressions.is_empty() { Compression::Lz4 } else { Compression::Zstd };
    let options = RocksOptions { memory_bytes, compression, ..RocksOptions::default() };
    let started = Instant::now();
    let engine = RocksEngine::open(folder.join("engine"), &options).expect("open");
    println!("opened in {:?}, RSS {} MiB", started.elapsed(), process().0);
    let before = process().1;
    std::thread::sleep(Duration::from_secs(1));
    println!("CPU in an idle second {:.2} s", process().1 - before);

    let (bare, bare_options) = open_bare(&folder.join("bare"), memory_bytes);
    let stores = Stores { rows, bare, engine };
    println!("{:44} {:>13} {:>13}", "", "RocksDB", "through kv");
    load(&stores, &bare_options, &folder);
    let run = |name: &str, part: fn(&Stores)| {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            part(&stores);
        }
    };
    run("scans", scans);
    run("gets", gets);
    run("starts", starts);
    run("writes", writes);
    run("synced", synced);
    let figures = stores.engine.statistics();
    println!(
        "cache {} of {} MiB, memtables {} MiB, tables {} MiB, RSS {} MiB (both stores)",
        figures.cache_used_bytes >> 20,
        figures.cache_limit_bytes >> 20,
        figures.memtable_bytes >> 20,
        figures.disk_bytes >> 20,
        process().0
    );
    let started = Instant::now();
    stores.engine.close().expect("close");
    println!("closed in {:?}", started.elapsed());
    let started = Instant::now();
    let engine = RocksEngine::open(folder.join("engine"), &options).expect("open");
    println!("opened again in {:?}", started.elapsed());
    drop((engine, stores));
    let _ = std::fs::remove_dir_all(&folder);
}
