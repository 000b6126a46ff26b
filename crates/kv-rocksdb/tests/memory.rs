//! A program of its own, because it measures the memory of the process.
//!
//! The memory of a store stays near its budget, whatever is written and read.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "tests")]

use kv::{BlockLimits, Durability, Engine, KeyRange, ScanSpec, TransactionOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};

const BUDGET_BYTES: usize = 32 << 20;
/// The bytes that RocksDB takes beyond its budget for running compactions, and that the allocator
/// keeps.
const BESIDE_BYTES: usize = 48 << 20;
const ROWS: u64 = 200_000;

fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("VmRSS");
    let kibibytes: usize = line.split_whitespace().nth(1).expect("number").parse().expect("number");
    kibibytes << 10
}

#[test]
fn memory_stays_near_the_budget() {
    let folder = tempfile::tempdir().expect("tempdir");
    let options = RocksOptions { memory_bytes: BUDGET_BYTES, ..RocksOptions::default() };
    let before = resident_bytes();
    let engine = RocksEngine::open(folder.path(), &options).expect("open");
    let opened = resident_bytes();
    assert!(opened - before < 16 << 20, "an empty store takes {} bytes", opened - before);

    let mut most = 0;
    let mut state = 1_u64;
    for first in (0..ROWS).step_by(1000) {
        let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
        for _ in 0..1000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value: Vec<u8> =
                (1..120_u64).flat_map(|i| (state.wrapping_mul(i) >> 3).to_le_bytes()).collect();
            transaction.put(&state.to_be_bytes(), &value).expect("put");
        }
        transaction.commit(Durability::Buffered).expect("commit");
        if first % 10_000 == 0 {
            most = most.max(resident_bytes());
        }
    }
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    let mut rows = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).expect("next_block") {
        rows += block.len() as u64;
        if rows % 10_000 == 0 {
            most = most.max(resident_bytes());
        }
    }
    assert_eq!(rows, ROWS);
    let figures = engine.statistics();
    assert!(figures.cache_used_bytes <= (BUDGET_BYTES + (4 << 20)) as u64, "{figures:?}");
    assert!(
        figures.disk_bytes > 4 * BUDGET_BYTES as u64,
        "the test must write more than fits into memory: {figures:?}"
    );
    assert!(most - before < BUDGET_BYTES + BESIDE_BYTES, "{} MiB for a budget of 32", (most - before) >> 20);
}
