//! Stores on disk: starts, copies, the space that they take, and old snapshots.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use encryption::MasterKey;
use kv::conformance::wait_until;
use kv::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, Result, ScanSpec,
    TransactionOptions,
};
use kv_mmap::{MmapEngine, MmapOptions};

fn open(folder: &Path) -> Result<Arc<MmapEngine>> {
    open_as(folder, &None)
}

/// The key of an encrypted store.
type Key = Option<Arc<MasterKey>>;

fn open_as(folder: &Path, key: &Key) -> Result<Arc<MmapEngine>> {
    let encryption = key.clone();
    MmapEngine::open(folder, &MmapOptions { flush_interval_ms: 10, encryption, ..MmapOptions::default() })
}

/// Returns the key of a plain store and of an encrypted one.
fn keys() -> [Key; 2] {
    [None, Some(Arc::new(MasterKey::random().expect("random bytes")))]
}

fn put(engine: &MmapEngine, key: &str, value: &[u8]) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    transaction.put(key.as_bytes(), value)?;
    transaction.commit(Durability::Buffered)
}

fn get(engine: &MmapEngine, key: &str) -> Option<Vec<u8>> {
    let values = engine.snapshot().expect("snapshot").get_many(&[key.as_bytes()]).expect("get_many");
    values.get(0).map(<[u8]>::to_vec)
}

fn count(engine: &MmapEngine, range: KeyRange) -> usize {
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(ScanSpec::forward(range).keys_only()).expect("scan");
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 10_000, bytes: 1 << 20 }).expect("next_block")
    {
        count += block.len();
    }
    count
}

/// Loads rows of 300 bytes whose keys begin with a prefix.
fn load(engine: &MmapEngine, prefix: &str, rows: usize) {
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: rows }).expect("load");
    for i in 0..rows {
        load.add(format!("{prefix}{i:08}").as_bytes(), &[7; 300]).expect("add");
    }
    load.finish(Durability::Buffered).expect("finish");
}

#[test]
fn a_store_keeps_its_data_over_starts_and_with_other_options() {
    let folder = tempfile::tempdir().expect("tempdir");
    let all = [
        MmapOptions { memory_bytes: 0, map_bytes: Some(1 << 30), ..MmapOptions::default() },
        MmapOptions {
            memory_bytes: 1 << 40,
            sync_interval_ms: 0,
            flush_interval_ms: 0,
            ..MmapOptions::default()
        },
        MmapOptions::default(),
    ];
    for (i, options) in all.iter().enumerate() {
        let engine = MmapEngine::open(folder.path(), options).expect("open");
        put(&engine, &i.to_string(), &[0; 10_000]).expect("put");
        assert_eq!(count(&engine, KeyRange::all()), i + 1);
        assert!(engine.statistics().disk_bytes > 0);
    }
    let logs = fs::read_dir(folder.path().join("log")).expect("read_dir");
    assert!(
        logs.flatten().all(|log| log.metadata().expect("metadata").len() == 0),
        "a clean stop leaves no log"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().expect("tempdir");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("write");
    assert!(matches!(open(&file.join("store")), Err(Error::NotWritable { .. })));
}

#[test]
fn a_file_of_another_kind_is_damage() {
    let folder = tempfile::tempdir().expect("tempdir");
    drop(open(folder.path()).expect("open"));
    let path = folder.path().join("pairs.1.mdb");
    let length = fs::metadata(&path).expect("metadata").len() as usize;
    fs::write(&path, vec![0x55; length]).expect("write");
    assert!(matches!(open(folder.path()), Err(Error::Corrupt { .. })), "{:?}", open(folder.path()).err());
    fs::remove_file(folder.path().join("FORMAT")).expect("remove");
    assert!(matches!(open(folder.path()), Err(Error::Corrupt { .. })));
}

#[test]
fn a_file_larger_than_the_map_is_refused() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(folder.path()).expect("open");
    load(&engine, "k", 300_000);
    drop(engine);
    let small = MmapOptions { map_bytes: Some(64 << 20), ..MmapOptions::default() };
    let refused = MmapEngine::open(folder.path(), &small).map(|_| ());
    assert!(
        matches!(&refused, Err(Error::Full { reason }) if reason.contains("max-map-size")),
        "{refused:?}"
    );
}

/// Writes beyond the size of the map fail like those on a full disk, and reads continue.
#[test]
fn a_full_map_is_reported_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("tempdir");
    let small = MmapOptions { map_bytes: Some(64 << 20), memory_bytes: 16 << 20, ..MmapOptions::default() };
    let engine = MmapEngine::open(folder.path(), &small).expect("open");
    let value = vec![1; 100_000];
    let mut written = 0;
    let error = loop {
        match put(&engine, &format!("{written:05}"), &value) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 10_000, "the map must be full at some time");
    };
    assert!(matches!(error, Error::Full { .. }), "{error}");
    assert!(written > 300);
    assert_eq!(count(&engine, KeyRange::all()), written);
    drop(engine);
    let engine = open(folder.path()).expect("open");
    assert_eq!(count(&engine, KeyRange::all()), written);
    put(&engine, "z", &value).expect("a larger map has room");
}

#[test]
fn a_checkpoint_is_a_store() {
    for key in &keys() {
        let folder = tempfile::tempdir().expect("tempdir");
        let engine = open_as(&folder.path().join("store"), key).expect("open");
        put(&engine, "a", b"1").expect("put");
        load(&engine, "b", 30_000);
        let copy = folder.path().join("in/a/new/folder");
        engine.checkpoint(&copy).expect("checkpoint");
        assert!(matches!(engine.checkpoint(&copy), Err(Error::Misuse { .. })));
        put(&engine, "c", b"1").expect("put");
        let copied = open_as(&copy, key).expect("open");
        assert_eq!((count(&copied, KeyRange::all()), get(&copied, "c")), (30_001, None));
        put(&copied, "d", b"1").expect("put");
        assert_eq!((get(&engine, "d"), get(&engine, "c")), (None, Some(b"1".to_vec())));
    }
}

#[test]
fn compaction_gives_space_back_and_old_snapshots_still_read() {
    for key in &keys() {
        let folder = tempfile::tempdir().expect("tempdir");
        let engine = open_as(folder.path(), key).expect("open");
        load(&engine, "k", 100_000);
        let before = engine.statistics().disk_bytes;
        let snapshot = engine.snapshot().expect("snapshot");
        engine.drop_range(&KeyRange::prefix(b"k0")).expect("drop_range");
        assert_eq!(count(&engine, KeyRange::all()), 0);
        engine.compact(&KeyRange::prefix(b"k")).expect("compact");
        let after = engine.statistics().disk_bytes;
        assert!(before > 30_000_000 && after < 1_000_000, "{before} and {after} bytes");
        assert!(snapshot.get_many(&[b"k00000007"]).expect("get_many").is_present(0));
        put(&engine, "x", b"1").expect("put");
        drop((snapshot, engine));
        let engine = open_as(folder.path(), key).expect("open");
        assert_eq!(count(&engine, KeyRange::all()), 1);
        let files = fs::read_dir(folder.path()).expect("read_dir").flatten();
        let mapped = files
            .filter(|file| {
                file.file_name().to_string_lossy().starts_with("pairs.")
                    && !file.file_name().to_string_lossy().ends_with("-lock")
            })
            .count();
        assert_eq!(mapped, 1);
    }
}

/// A snapshot ends where its pages would make the file grow past the limit.
#[test]
fn old_snapshots_expire_instead_of_growing_the_file() {
    for key in &keys() {
        let folder = tempfile::tempdir().expect("tempdir");
        let limit = 8 << 20;
        let options = MmapOptions {
            flush_interval_ms: 1,
            old_snapshot_bytes: limit,
            encryption: key.clone(),
            ..MmapOptions::default()
        };
        let engine = MmapEngine::open(folder.path(), &options).expect("open");
        load(&engine, "k", 100_000);
        let size = engine.statistics().disk_bytes;
        let snapshot = engine.snapshot().expect("snapshot");
        let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
        let limits = BlockLimits { rows: 10, bytes: 1 << 20 };
        assert!(scan.next_block(limits).expect("next_block").is_some());
        for round in 0..200_u32 {
            let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
            for i in 0..100 {
                let key = format!("k{:08}", (i * 997 + round * 31) % 100_000);
                transaction.put(key.as_bytes(), &[8; 300]).expect("put");
            }
            transaction.commit(Durability::Buffered).expect("commit");
            wait_until("all is flushed", || engine.statistics().memtable_bytes == 0);
        }
        assert_eq!(snapshot.get_many(&[b"k00000001"]), Err(Error::SnapshotExpired));
        assert_eq!(scan.next_block(limits), Err(Error::SnapshotExpired));
        let grown = engine.statistics().disk_bytes - size;
        assert!(grown < 4 * limit, "the file has grown by {grown} bytes");
        assert_eq!(count(&engine, KeyRange::all()), 100_000);
    }
}

#[test]
fn large_ranges_are_divided_and_measured() {
    for key in &keys() {
        let folder = tempfile::tempdir().expect("tempdir");
        let engine = open_as(folder.path(), key).expect("open");
        put(&engine, "a", b"1").expect("put");
        load(&engine, "k", 100_000);
        put(&engine, "z", b"1").expect("put");
        let range = KeyRange::prefix(b"k");
        let size = engine.approximate_size_bytes(&range).expect("size");
        assert!((20_000_000..45_000_000).contains(&size), "{size} bytes instead of 31 MB");
        let half = engine.approximate_share(&KeyRange::new("k", "k00050000"), &range).expect("share");
        assert!((0.35..0.65).contains(&half.expect("not empty")), "{half:?}");
        for parts in [2, 5, 16] {
            let points = engine.split_points(&range, parts).expect("split_points");
            assert_eq!(points.len(), parts - 1);
            let starts = std::iter::once(&range.start).chain(&points);
            let ends = points.iter().chain(std::iter::once(&range.end));
            let counts = starts
                .zip(ends)
                .map(|(start, end)| count(&engine, KeyRange::new(start.clone(), end.clone())));
            let largest = counts.max().unwrap_or_default();
            assert!(largest < 2 * 100_000 / parts, "{largest} of 100,000 in one of {parts} parts");
        }
    }
}
