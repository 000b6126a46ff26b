//! Divisions, sizes and drops of ranges that are larger than those of the conformance suite.

use std::sync::Arc;

use kv::{BlockLimits, Durability, Engine, KeyRange, LoadHint, LoadKind, ScanSpec};
use kv_rocksdb::{RocksEngine, RocksOptions};

const ROWS: usize = 40_000;

fn open(folder: &tempfile::TempDir) -> Arc<RocksEngine> {
    let options = RocksOptions { memory_bytes: 64 << 20, ..RocksOptions::default() };
    RocksEngine::open(folder.path(), &options).expect("open")
}

/// Loads or commits rows of 300 bytes that do not compress.
fn fill(engine: &RocksEngine, keys: &[Vec<u8>], is_load: bool) {
    let mut state = 1_u64;
    let mut value = || -> Vec<u8> {
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(300)
        .collect()
    };
    if is_load {
        let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: keys.len() }).expect("load");
        for key in keys {
            load.add(key, &value()).expect("add");
        }
        load.finish(Durability::Buffered).expect("finish");
    } else {
        let mut transaction = engine.begin(kv::TransactionOptions::default()).expect("begin");
        for key in keys {
            transaction.put(key, &value()).expect("put");
        }
        transaction.commit(kv::Durability::Buffered).expect("commit");
    }
}

fn count(engine: &RocksEngine, range: KeyRange) -> usize {
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(ScanSpec::forward(range).keys_only()).expect("scan");
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 10_000, bytes: 1 << 20 }).expect("next_block")
    {
        count += block.len();
    }
    count
}

/// Returns families of typical keys: numbers in text, numbers in bytes, and most of them in a small
/// corner of a large range.
fn key_families() -> Vec<Vec<Vec<u8>>> {
    let text = |i: usize| format!("a collection/{i}").into_bytes();
    let bytes = |i: usize| [b"a collection/".as_slice(), &(i as u64).to_be_bytes()].concat();
    let corner = |i: usize| match i {
        0 => b"a collection/a".to_vec(),
        i if i + 1 == ROWS => b"a collection/z".to_vec(),
        i => format!("a collection/mmmmmmmmmmm{i:06}").into_bytes(),
    };
    let families: [&dyn Fn(usize) -> Vec<u8>; 3] = [&text, &bytes, &corner];
    let mut families: Vec<Vec<Vec<u8>>> = families.map(|key| (0..ROWS).map(key).collect()).to_vec();
    families.iter_mut().for_each(|keys| keys.sort());
    families
}

#[test]
fn large_ranges_are_divided_into_similar_pieces() {
    for keys in key_families() {
        for is_load in [true, false] {
            let folder = tempfile::tempdir().expect("tempdir");
            let engine = open(&folder);
            // Neighbours that must not affect the points.
            fill(&engine, &[b"Z".to_vec()], true);
            fill(&engine, &keys, is_load);
            fill(&engine, &[b"b".to_vec()], true);
            let range = KeyRange::prefix(b"a collection/");
            for parts in [2, 5, 8] {
                let points = engine.split_points(&range, parts).expect("split_points");
                assert_eq!(points.len(), parts - 1);
                assert!(points.is_sorted_by(|left, right| left < right));
                let starts = std::iter::once(&range.start).chain(&points);
                let ends = points.iter().chain(std::iter::once(&range.end));
                let counts: Vec<usize> = starts
                    .zip(ends)
                    .map(|(start, end)| count(&engine, KeyRange::new(start.clone(), end.clone())))
                    .collect();
                assert_eq!(counts.iter().sum::<usize>(), ROWS);
                let largest = counts.iter().max().copied().unwrap_or_default();
                assert!(largest < 2 * ROWS / parts, "loaded: {is_load}, {counts:?}");
            }
            let size = engine.approximate_size_bytes(&range).expect("size");
            assert!(
                (8_000_000..20_000_000).contains(&size),
                "{size} bytes instead of about 12 MB, loaded: {is_load}"
            );
        }
    }
}

#[test]
fn dropping_a_range_frees_its_tables_immediately_unless_a_snapshot_needs_them() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(&folder);
    let keys = &key_families()[0];
    let range = KeyRange::prefix(b"a collection/");
    fill(&engine, keys, true);
    let disk_bytes = || engine.statistics().disk_bytes;
    assert!(disk_bytes() > 8_000_000);
    engine.drop_range(&range).expect("drop_range");
    assert!(disk_bytes() < 1_000_000, "{} bytes are left", disk_bytes());
    assert_eq!(count(&engine, KeyRange::all()), 0);

    fill(&engine, keys, true);
    let snapshot = engine.snapshot().expect("snapshot");
    engine.drop_range(&range).expect("drop_range");
    assert!(disk_bytes() > 8_000_000);
    assert_eq!(count(&engine, KeyRange::all()), 0);
    let mut scan = snapshot.scan(ScanSpec::forward(range.clone()).keys_only()).expect("scan");
    let block = scan.next_block(BlockLimits { rows: ROWS, bytes: 1 << 30 }).expect("next_block");
    assert_eq!(block.map(|block| block.len()), Some(ROWS));
    drop((scan, snapshot));
    engine.compact(&range).expect("compact");
    assert!(disk_bytes() < 1_000_000, "{} bytes are left", disk_bytes());
}

/// A dropped range ends before its end: the key that equals the end stays, even as the last key of
/// a table.
#[test]
fn dropping_a_range_leaves_its_end() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(&folder);
    fill(&engine, &[b"b".to_vec(), b"c".to_vec()], true);
    engine.drop_range(&KeyRange::new("b", "c")).expect("drop_range");
    assert_eq!(count(&engine, KeyRange::all()), 1);
    engine.drop_range(&KeyRange::new("a", "c")).expect("drop_range of nothing");
    assert_eq!(count(&engine, KeyRange::all()), 1);
}
