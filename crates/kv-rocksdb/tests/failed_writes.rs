//! A program of its own, because it starts itself again as a child.
//!
//! Writes of files that fail in the middle: the store reports it, reads continue, and a start finds
//! everything that was acknowledged.
//!
//! A limit on the size of files (`RLIMIT_FSIZE`) makes a write first short and then fail (`EFBIG`),
//! without special privileges. It applies to a process, so the test binary starts itself again.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kv::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, Result, ScanSpec,
    TransactionOptions,
};
use kv_rocksdb::{RocksEngine, RocksOptions};
use rustix::process::{Resource, Rlimit, setrlimit};

/// The variables with the store's folder and the seed of the started process.
const FOLDER: &str = "KV_ROCKSDB_FAILED_WRITES_FOLDER";
const SEED: &str = "KV_ROCKSDB_FAILED_WRITES_SEED";

/// Commits before the first write fails.
const COMMITS: u32 = 40;

fn open(folder: &Path) -> Arc<RocksEngine> {
    let options = RocksOptions { memory_bytes: 16 << 20, sync_interval_ms: 10, ..RocksOptions::default() };
    RocksEngine::open(folder, &options).expect("the store must open by itself")
}

/// Limits the size of all files that this process writes.
fn limit(bytes: Option<u64>) {
    setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("setrlimit");
}

fn largest(folder: &Path, extension: &str) -> u64 {
    let files = std::fs::read_dir(folder).expect("read_dir").map(|entry| entry.expect("entry").path());
    let files = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    files.map(|path| path.metadata().map_or(0, |file| file.len())).max().expect("a file")
}

/// Two keys, so that a commit could be there in part. The value hardly compresses.
fn commit(engine: &RocksEngine, number: u32) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    let mut rng = fastrand::Rng::with_seed(u64::from(number));
    let value: Vec<u8> = (0..rng.usize(10..20_000)).map(|_| rng.u8(..)).collect();
    for half in 0..2 {
        transaction.put(&[&[half], &number.to_be_bytes()[..]].concat(), &value)?;
    }
    transaction.commit(if number.is_multiple_of(5) { Durability::Synced } else { Durability::Buffered })
}

fn halves(engine: &RocksEngine, number: u32) -> usize {
    let keys = [0, 1].map(|half| [&[half], &number.to_be_bytes()[..]].concat());
    let values = engine.snapshot().expect("a snapshot").get_many(&[&keys[0], &keys[1]]);
    let values = values.expect("reads must continue");
    [0, 1].into_iter().filter(|at| values.is_present(*at)).count()
}

/// Commits, and tells the parent the result.
fn commit_and_tell(engine: &RocksEngine, number: u32) -> bool {
    let result = commit(engine, number);
    let word = match &result {
        Ok(()) => "acknowledged",
        Err(Error::Undetermined { .. }) => "unknown",
        Err(Error::Full { .. } | Error::NotWritable { .. }) => "refused",
        Err(_) => "wrong",
    };
    let text = result.as_ref().err().map(Error::to_string).unwrap_or_default();
    println!("\n{word} {number} {text}");
    result.is_ok()
}

#[test]
fn process_whose_log_cannot_grow() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let seed = std::env::var(SEED).expect("a seed").parse().expect("a number");
    let mut rng = fastrand::Rng::with_seed(seed);
    let folder = Path::new(&folder);
    let engine = open(folder);
    assert!((0..COMMITS).all(|number| commit_and_tell(&engine, number)));
    limit(Some(largest(folder, "log") + rng.u64(1..40_000)));
    let mut last = COMMITS;
    while commit_and_tell(&engine, last) {
        last += 1;
    }
    for number in last + 1..last + 4 {
        assert!(!commit_and_tell(&engine, number), "writes must fail as long as the log cannot grow");
    }
    for number in 0..last + 4 {
        let expected = if number < last { 2 } else { 0 };
        assert_eq!(halves(&engine, number), expected, "commit {number} of {last}");
    }
    limit(None);
    for number in last + 4..last + 8 {
        commit_and_tell(&engine, number);
    }
    if rng.bool() {
        // Errors: the log cannot be synced, which is true.
        let _ = engine.close();
    }
    // Nothing else is closed, as in a crash.
    std::process::exit(0);
}

/// Loads pairs whose values hardly compress, in their order.
fn load(engine: &RocksEngine, prefix: u8, pairs: usize) -> Result<()> {
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs })?;
    let mut rng = fastrand::Rng::with_seed(u64::from(prefix));
    for number in 0..pairs as u32 {
        let value: Vec<u8> = (0..1_000).map(|_| rng.u8(..)).collect();
        load.add(&[&[prefix], &number.to_be_bytes()[..]].concat(), &value)?;
    }
    load.finish(Durability::Synced)
}

fn loaded(engine: &RocksEngine, prefix: u8) -> usize {
    let spec = ScanSpec::forward(KeyRange::prefix(&[prefix])).keys_only();
    let mut scan = engine.snapshot().expect("a snapshot").scan(spec).expect("a scan");
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).expect("a block") {
        count += block.len();
    }
    count
}

#[test]
fn process_whose_tables_cannot_grow() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let engine = open(Path::new(&folder));
    load(&engine, 100, 5_000).expect("load");
    assert!((0..COMMITS).all(|number| commit_and_tell(&engine, number)));
    limit(Some(1 << 20));
    let error = load(&engine, 101, 5_000).expect_err("a table of 5 MB is too large").to_string();
    assert!(error.contains(".sst") && error.contains("File too large"), "{error}");
    assert!((COMMITS..COMMITS + 5).all(|number| commit_and_tell(&engine, number)), "the log has room");
    engine.compact(&KeyRange::all()).expect_err("the tables cannot be merged");
    for number in COMMITS + 5..COMMITS + 10 {
        commit_and_tell(&engine, number);
    }
    assert_eq!((loaded(&engine, 100), loaded(&engine, 101)), (5_000, 0));
    assert!((0..COMMITS + 5).all(|number| halves(&engine, number) == 2));
    limit(None);
    for number in COMMITS + 10..COMMITS + 15 {
        commit_and_tell(&engine, number);
    }
    // Nothing is closed, as in a crash.
    std::process::exit(0);
}

/// Runs a test of this binary as a process that outlives failed writes. Returns its lines by the
/// numbers of commits.
fn run(test: &str, folder: &Path, seed: u64) -> BTreeMap<u32, (String, String)> {
    let output = Command::new("sh")
        // The signal of the limit would end the process; that it is ignored is inherited.
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().expect("current_exe"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(SEED, seed.to_string())
        .output()
        .expect("output");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "seed {seed}: {text}{}", String::from_utf8_lossy(&output.stderr));
    let lines = text.lines().filter_map(|line| {
        let mut words = line.splitn(3, ' ');
        let (word, number) = (words.next()?, words.next()?.parse().ok()?);
        Some((number, (word.to_owned(), words.next().unwrap_or_default().to_owned())))
    });
    lines.collect()
}

/// Checks a store after a start: acknowledged commits are there, refused ones are not, and no
/// commit is there in part. Each refusal names the file and the error.
fn check_commits(engine: &RocksEngine, results: &BTreeMap<u32, (String, String)>, seed: u64) {
    for (number, (word, text)) in results {
        let there = halves(engine, *number);
        match word.as_str() {
            "acknowledged" => assert_eq!(there, 2, "seed {seed}: commit {number} is lost"),
            "unknown" => assert_ne!(there, 1, "seed {seed}: half of commit {number} is there"),
            "refused" => assert_eq!(there, 0, "seed {seed}: commit {number} was refused: {text}"),
            word => panic!("seed {seed}: {word} {number}: {text}"),
        }
        let is_clear = text.contains("File too large") && (text.contains(".log") || text.contains(".sst"));
        assert!(word == "acknowledged" || is_clear, "seed {seed}: {text}");
        assert!(
            word != "refused" || text.contains("until the server is started again"),
            "seed {seed}: {text}"
        );
    }
}

#[test]
fn a_log_that_cannot_grow_is_reported_and_nothing_is_lost() {
    for seed in 0..8 {
        let folder = tempfile::tempdir().expect("tempdir");
        let results = run("process_whose_log_cannot_grow", folder.path(), seed);
        let engine = open(folder.path());
        check_commits(&engine, &results, seed);
        commit(&engine, 1_000).expect("the log can grow again");
    }
}

#[test]
fn tables_that_cannot_grow_are_reported_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("tempdir");
    let results = run("process_whose_tables_cannot_grow", folder.path(), 0);
    let engine = open(folder.path());
    check_commits(&engine, &results, 0);
    assert_eq!((loaded(&engine, 100), loaded(&engine, 101)), (5_000, 0));
    load(&engine, 101, 5_000).expect("tables can grow again");
    engine.compact(&KeyRange::all()).expect("tables can be merged again");
    assert_eq!((loaded(&engine, 100), loaded(&engine, 101)), (5_000, 5_000));
}
