//! A store that is killed at any instant opens by itself, with every acknowledged commit and no
//! partial one.
//!
//! [`crate::crash_tests!`] turns this module into tests. The test binary starts itself again as the
//! process that is killed. That process acknowledges commits over a pipe after they have returned.
//! Every acknowledged commit must be there, because even a buffered commit is handed to the
//! operating system before it returns.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, Result, ScanSpec, Snapshot,
    TransactionOptions,
};

/// Opens the store in a folder, or creates a new one. It should have little memory, so that
/// background work continues all the time.
pub type Open = fn(&Path) -> Result<Arc<dyn Engine>>;

/// Defines the tests of an engine that has files. The argument is an [`Open`].
#[macro_export]
macro_rules! crash_tests {
    ($open:expr) => {
        /// The process that is killed. It does nothing when it runs as a test.
        #[test]
        fn process_that_is_killed() {
            $crate::conformance::crash::process_that_is_killed($open);
        }

        #[test]
        fn every_acknowledged_commit_survives_a_kill() {
            let folder = tempfile::tempdir().expect("tempdir");
            $crate::conformance::crash::every_acknowledged_commit_survives_a_kill($open, folder.path());
        }

        #[test]
        fn a_store_in_use_by_another_process_is_refused() {
            let folder = tempfile::tempdir().expect("tempdir");
            $crate::conformance::crash::a_store_in_use_by_another_process_is_refused($open, folder.path());
        }
    };
}

/// The variable with the store's folder of the started process. If it is not set, this is the test
/// itself.
const FOLDER: &str = "KV_CRASH_FOLDER";
/// The number of threads that commit.
const WRITERS: u64 = 2;
/// The number of the thread that loads and drops ranges.
const LOADER: u64 = 9;
/// The number of keys that a transaction writes, far apart.
const KEYS: u64 = 7;
/// The distance in transactions after which the writes of one are removed again.
const KEPT: u64 = 10;
/// The number of times that the store is killed.
const ROUNDS: u32 = 8;

fn key(part: u64, writer: u64, number: u64) -> Vec<u8> {
    format!("{part}/{writer}/{number:012}").into_bytes()
}

fn last_key(writer: u64) -> Vec<u8> {
    format!("last/{writer}").into_bytes()
}

fn last(snapshot: &dyn Snapshot, writer: u64) -> u64 {
    let values = snapshot.get_many(&[&last_key(writer)]).expect("get_many");
    values.get(0).map_or(0, |value| u64::from_be_bytes(value.try_into().expect("8 bytes")))
}

fn acknowledge(writer: u64, number: u64) {
    let mut output = std::io::stdout().lock();
    // The line end flushes the buffer, and the test harness does not capture this output.
    writeln!(output, "\nacknowledged {writer} {number}")
        .and_then(|()| output.flush())
        .expect("the parent listens");
}

fn commit(engine: &dyn Engine, writer: u64, number: u64) {
    let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
    for part in 0..KEYS {
        // The value is large enough to fill memtables quickly, and compresses too badly for small
        // tables.
        let value: Vec<u8> = (0..300).flat_map(|i| (number * 31 + i * part).to_le_bytes()).collect();
        transaction.insert_unique(&key(part, writer, number), &value).expect("insert");
        transaction.delete(&key(part, writer, number.saturating_sub(KEPT))).expect("delete");
    }
    transaction.put(&last_key(writer), &number.to_be_bytes()).expect("put");
    let durability = if number.is_multiple_of(5) { Durability::Synced } else { Durability::Buffered };
    transaction.commit(durability).expect("commit");
}

/// Loads generation `number` into its own range, and then drops the earlier ones.
fn load(engine: &dyn Engine, number: u64) {
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 2_000 }).expect("load");
    for i in 0..2000 {
        load.add(format!("load/{number:012}/{i:05}").as_bytes(), &[0; 100]).expect("add");
    }
    load.finish(Durability::Buffered).expect("finish");
    engine.drop_range(&KeyRange::new("load/", format!("load/{number:012}/"))).expect("drop_range");
}

/// Writes until it is killed. Does nothing when it runs as a test.
pub fn process_that_is_killed(open: Open) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let engine = open(Path::new(&folder)).expect("open");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let engine = &engine;
            scope.spawn(move || {
                let mut number = last(&*engine.snapshot().expect("snapshot"), writer);
                loop {
                    number += 1;
                    commit(&**engine, writer, number);
                    acknowledge(writer, number);
                }
            });
        }
        scope.spawn(|| {
            let mut number = *loads(&*engine.snapshot().expect("snapshot")).keys().last().unwrap_or(&0);
            loop {
                number += 1;
                load(&*engine, number);
                acknowledge(LOADER, number);
            }
        });
    });
}

/// Returns the number of pairs in each generation of loads.
fn loads(snapshot: &dyn Snapshot) -> BTreeMap<u64, usize> {
    let mut loads = BTreeMap::new();
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::prefix(b"load/")).keys_only()).expect("scan");
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).expect("next_block") {
        for (key, _) in block.iter() {
            let number = std::str::from_utf8(&key[5..17]).expect("text").parse().expect("number");
            *loads.entry(number).or_default() += 1;
        }
    }
    loads
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("current_exe"))
        .args(["--exact", "process_that_is_killed", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("spawn")
}

/// Starts the process and kills it `delay` after its first acknowledgement. Returns the last
/// acknowledged number of each thread.
fn run_and_kill(folder: &Path, delay: Duration) -> BTreeMap<u64, u64> {
    let mut child = start(folder);
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    let mut acknowledged = BTreeMap::new();
    let mut read_one = |line: std::io::Result<String>| {
        let line = line.expect("text");
        let mut words = line.split(' ');
        if words.next() == Some("acknowledged") {
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            // A line that was cut off by the kill is not an acknowledgement.
            if let (Some(writer), Some(number)) = (number(), number()) {
                acknowledged.insert(writer, number);
                return true;
            }
        }
        false
    };
    while !read_one(lines.next().expect("the process acknowledges before it ends")) {}
    let killer = std::thread::spawn(move || {
        // The process is killed in the middle of its work, wherever that is.
        std::thread::sleep(delay);
        child.kill().expect("kill");
        child.wait().expect("wait")
    });
    let mut lines: Vec<_> = lines.collect();
    // The last line may be cut off in the middle of a number.
    lines.pop();
    for line in lines {
        read_one(line);
    }
    let status = killer.join().expect("join");
    assert!(!status.success(), "the process must be killed and not end by itself");
    acknowledged
}

fn check_writer(snapshot: &dyn Snapshot, writer: u64, acknowledged: u64) {
    let last = last(snapshot, writer);
    assert!(last >= acknowledged, "commit {acknowledged} of {writer} was acknowledged, the last is {last}");
    // One acknowledgement may have been cut off, and one commit may have none yet.
    assert!(last <= acknowledged + 2, "no thread made commit {last}");
    let kept: Vec<u64> = (last.saturating_sub(KEPT - 1).max(1)..=last).collect();
    for part in 0..KEYS {
        let range = KeyRange::prefix(format!("{part}/{writer}/").as_bytes());
        let mut scan = snapshot.scan(ScanSpec::forward(range).keys_only()).expect("scan");
        let mut found = Vec::new();
        while let Some(block) =
            scan.next_block(BlockLimits { rows: 100, bytes: 1 << 20 }).expect("next_block")
        {
            found.extend(block.iter().map(|(key, _)| key.to_vec()));
        }
        let expected: Vec<Vec<u8>> = kept.iter().map(|number| key(part, writer, *number)).collect();
        assert!(found == expected, "commit {last} of {writer} is incomplete");
    }
}

fn check_loads(snapshot: &dyn Snapshot, acknowledged: u64) {
    let loads = loads(snapshot);
    assert!(loads.values().all(|count| *count == 2000), "a load or a range drop is incomplete: {loads:?}");
    let last = loads.keys().last().copied().unwrap_or_default();
    assert!(last >= acknowledged, "load {acknowledged} was acknowledged, the last is {last}");
    // A kill between a load and its drop leaves one generation more, in each round.
    let first = loads.keys().next().copied().unwrap_or(acknowledged);
    assert!(first >= acknowledged, "load {acknowledged} has dropped those before it: {loads:?}");
}

/// Kills a process that writes several times, and checks the store after each time.
pub fn every_acknowledged_commit_survives_a_kill(open: Open, folder: &Path) {
    let mut total = 0;
    let mut before = BTreeMap::new();
    for round in 0..ROUNDS {
        let delay = Duration::from_millis(5 + RandomState::new().hash_one(round) % 400);
        let acknowledged = run_and_kill(folder, delay);
        let engine = open(folder).expect("the store must open by itself");
        let snapshot = engine.snapshot().expect("snapshot");
        for writer in 0..WRITERS {
            let known = before.get(&writer).copied().unwrap_or_default();
            let acknowledged = acknowledged.get(&writer).copied().unwrap_or(known);
            // The last commits may have no acknowledgement: the current state counts as known.
            check_writer(&*snapshot, writer, acknowledged.max(known));
            before.insert(writer, last(&*snapshot, writer));
        }
        check_loads(&*snapshot, acknowledged.get(&LOADER).copied().unwrap_or_default());
        total += acknowledged.values().sum::<u64>();
        drop(snapshot);
        engine.close().expect("close");
    }
    assert!(total > 0);
}

/// Checks that a store has one process at a time.
pub fn a_store_in_use_by_another_process_is_refused(open: Open, folder: &Path) {
    let mut child = start(folder);
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    while !lines.next().expect("a line").expect("text").starts_with("acknowledged") {}
    let result = open(folder).map(|_| ());
    child.kill().expect("kill");
    child.wait().expect("wait");
    assert_eq!(result, Err(Error::Locked { path: folder.to_owned() }));
    drop(open(folder).expect("open"));
}
