//! Damage to the logs of real stores.

use std::fs;
use std::path::{Path, PathBuf};

use kv::{Error, LogRecovery, Result};
use rust_rocksdb::{DB, WriteBatch};
use tempfile::TempDir;

use super::files::log_of;
use super::noise;
use crate::options::{RocksOptions, Tuning};
use crate::recovery::wal_check::{list, wal_path};
use crate::recovery::{self, Recovered, SyncMark, WalPosition};

/// The writes of one batch.
const BATCH_WRITES: u64 = 2;
const VALUE_BYTES: usize = 1_000;
/// The bytes of a batch in the log, except for headers of further fragments.
const RECORD_BYTES: u64 = 2_047;
/// A value of `synced` for a sync at the end.
const ALL: u64 = u64::MAX;

/// Returns options under which several log files stay.
fn tuning() -> Tuning {
    let wanted = RocksOptions { memory_bytes: 0, ..RocksOptions::default() };
    let mut tuning = Tuning::new(&wanted);
    tuning.options.set_write_buffer_size(256 << 10);
    tuning.options.set_max_write_buffer_number(40);
    tuning.options.set_min_write_buffer_number_to_merge(30);
    tuning
}

fn open(folder: &Path, wanted: LogRecovery) -> Result<Recovered> {
    let wanted = RocksOptions { wal_recovery: wanted, ..RocksOptions::default() };
    recovery::open(folder, &tuning().options, &wanted)
}

fn put(db: &DB, number: u64) {
    let mut batch = WriteBatch::default();
    for part in 0..BATCH_WRITES {
        batch.put(format!("{part}/{number:08}"), noise(number, VALUE_BYTES));
    }
    db.write(&batch).unwrap();
}

fn sync(db: &DB, mark: &SyncMark) {
    let end = WalPosition::end(db);
    db.flush_wal(true).unwrap();
    mark.write(end);
}

/// Returns the number of batches, which must be the first ones, each complete.
fn batches(db: &DB) -> u64 {
    let mut number = 0;
    while db.get(format!("0/{number:08}")).unwrap().is_some() {
        assert!(db.get(format!("1/{number:08}")).unwrap().is_some(), "{number} is there in part");
        number += 1;
    }
    assert_eq!(db.iterator(rust_rocksdb::IteratorMode::Start).count() as u64, number * BATCH_WRITES);
    number
}

/// A store with a log, as a kill leaves it.
struct Crashed {
    folder: TempDir,
    batches: u64,
}

impl Crashed {
    /// Creates a store with `logs` log files, of whose batches `synced` were synced.
    fn new(logs: usize, synced: u64) -> Crashed {
        let source = tempfile::tempdir().unwrap();
        let Recovered { db, sync_mark, .. } = open(source.path(), LogRecovery::Strict).unwrap();
        let mut number = 0;
        let mut in_last = 0;
        while in_last < 60 {
            put(&db, number);
            number += 1;
            in_last = if list(source.path()).unwrap().len() < logs { 0 } else { in_last + 1 };
            if number == synced {
                sync(&db, &sync_mark);
            }
        }
        if synced == ALL {
            sync(&db, &sync_mark);
        }
        assert_eq!(list(source.path()).unwrap().len(), logs);
        let crashed = Crashed { folder: tempfile::tempdir().unwrap(), batches: number };
        copy(source.path(), crashed.path());
        crashed
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn copied(&self) -> Crashed {
        let crashed = Crashed { folder: tempfile::tempdir().unwrap(), batches: self.batches };
        copy(self.path(), crashed.path());
        crashed
    }

    fn log(&self, index: usize) -> PathBuf {
        list(self.path()).unwrap()[index].1.clone()
    }

    /// Damages a log file.
    fn change(&self, index: usize, change: impl FnOnce(&mut Vec<u8>)) -> &Self {
        let mut bytes = fs::read(self.log(index)).unwrap();
        change(&mut bytes);
        fs::write(self.log(index), bytes).unwrap();
        self
    }

    fn flip(&self, index: usize, at: usize) -> &Self {
        self.change(index, |bytes| bytes[at..at + 16].iter_mut().for_each(|byte| *byte ^= 0x5a))
    }

    /// Opens the store, which must not be refused.
    fn opens(&self) -> (u64, Recovered) {
        let recovered = open(self.path(), LogRecovery::Strict).unwrap();
        (batches(&recovered.db), recovered)
    }

    /// Checks that an open is refused and changes nothing. Then salvages the store without the part
    /// after the damage.
    fn is_refused(&self, file: &Path, reason: &str) -> u64 {
        let before = contents(self.path());
        let error = open(self.path(), LogRecovery::Strict).map(|_| ()).unwrap_err();
        let Error::DamagedLog { path, reason: found } = &error else { panic!("{error}") };
        assert_eq!(path, file);
        assert!(found.contains(reason) && found.contains("--rocksdb.wal-recovery salvage"), "{found}");
        assert_eq!(contents(self.path()), before);
        let Recovered { db, dropped, sync_mark } = open(self.path(), LogRecovery::Salvage).unwrap();
        let (kept, dropped) = (batches(&db), dropped.unwrap());
        assert_eq!(dropped.file, file);
        assert!(kept < self.batches);
        assert_eq!(dropped.sequence.unwrap_or(1), kept * BATCH_WRITES + 1, "{dropped}");
        for log in contents(&dropped.kept_in.unwrap()) {
            let original = before.iter().find(|(path, _)| path.file_name() == log.0.file_name());
            assert_eq!(Some(&log.1), original.map(|(_, bytes)| bytes), "{:?}", log.0);
        }
        put(&db, kept);
        drop((db, sync_mark));
        assert_eq!(self.opens().0, kept + 1, "and continues like any store");
        kept
    }
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in contents(from) {
        fs::write(to.join(path.file_name().unwrap()), bytes).unwrap();
    }
}

/// Returns the store's files, except for RocksDB's diagnostic log.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries
        .filter(|path| path.is_file() && !path.file_name().unwrap().to_string_lossy().starts_with("LOG"));
    let mut contents: Vec<_> = files.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    contents.sort();
    contents
}

#[test]
fn a_killed_store_opens_with_everything() {
    for (logs, synced) in [(1, 0), (1, 30), (1, ALL), (4, 0), (4, 150), (4, ALL)] {
        let crashed = Crashed::new(logs, synced);
        let (found, recovered) = crashed.opens();
        assert_eq!((found, recovered.dropped), (crashed.batches, None));
    }
}

#[test]
fn changed_bytes_before_the_end_are_damage() {
    for synced in [0, ALL] {
        let crashed = Crashed::new(1, synced);
        for at in [3, 10, 20_000, 32_760, 60_000, 100_000] {
            let damaged = crashed.copied();
            let kept = damaged.flip(0, at).is_refused(
                &damaged.log(0),
                if synced == 0 { "valid records follow" } else { "were synced" },
            );
            assert_eq!(kept, at as u64 / RECORD_BYTES);
        }
    }
}

#[test]
fn changed_bytes_in_the_last_record_are_damage_if_it_was_synced() {
    let length = |crashed: &Crashed| fs::metadata(crashed.log(0)).unwrap().len() as usize;
    let crashed = Crashed::new(1, 0);
    let log = crashed.log(0);
    let (found, recovered) = crashed.flip(0, length(&crashed) - 500).opens();
    assert_eq!(found, crashed.batches - 1);
    let dropped = recovered.dropped.unwrap();
    assert_eq!((dropped.file, dropped.records), (log, 0));
    assert!((RECORD_BYTES..RECORD_BYTES + 8).contains(&dropped.bytes));
    let crashed = Crashed::new(1, ALL);
    let kept = crashed.flip(0, length(&crashed) - 500).is_refused(&crashed.log(0), "were synced");
    assert_eq!(kept, crashed.batches - 1);
}

#[test]
fn changed_bytes_in_one_of_several_files_are_damage() {
    let crashed = Crashed::new(4, 0);
    for index in 0..4 {
        let damaged = crashed.copied();
        damaged.flip(index, 50_000).is_refused(&damaged.log(index), "wrong checksum");
    }
    // Damage the last record of a file that others follow.
    let end = fs::metadata(crashed.log(1)).unwrap().len() as usize;
    let damaged = crashed.copied();
    damaged.flip(1, end - 100).is_refused(&damaged.log(1), "records follow in ");
}

#[test]
fn a_file_that_is_cut_off_is_damage_where_that_can_be_known() {
    for cut in [50_000, RECORD_BYTES as usize] {
        let shorten = |bytes: &mut Vec<u8>| bytes.truncate(cut);
        let torn = Crashed::new(1, 0);
        let (found, recovered) = torn.change(0, shorten).opens();
        assert_eq!(found, cut as u64 / RECORD_BYTES);
        assert_eq!(recovered.dropped.is_some(), cut == 50_000, "nobody knows a cut between records");
        let synced = Crashed::new(1, ALL);
        synced.change(0, shorten).is_refused(&synced.log(0), "were synced");
        let several = Crashed::new(3, ALL);
        several.change(1, shorten).is_refused(&several.log(1), "");
    }
}

#[test]
fn a_file_that_is_gone_is_damage_if_it_was_synced() {
    let several = Crashed::new(3, ALL);
    for index in 0..3 {
        let damaged = several.copied();
        let log = damaged.log(index);
        fs::remove_file(&log).unwrap();
        damaged.is_refused(&log, "missing");
    }
    let single = Crashed::new(1, ALL);
    let log = single.log(0);
    fs::remove_file(&log).unwrap();
    assert_eq!(single.is_refused(&log, "missing"), 0);
}

#[test]
fn an_end_that_never_reached_the_disk_is_normal() {
    let crashed = Crashed::new(1, 30);
    let synced = SyncMark::open(crashed.path()).unwrap().read().unwrap().bytes as usize;
    let page = synced.next_multiple_of(4096);
    // Pages are written back in any order.
    let (found, recovered) = crashed.change(0, |bytes| bytes[page..page + 4096].fill(0)).opens();
    assert!(found >= 30 && found < crashed.batches);
    assert!(recovered.dropped.unwrap().records > 10);
    // Zeros in a synced part are damage.
    let crashed = Crashed::new(1, 30);
    crashed.change(0, |bytes| bytes[4096..8192].fill(0)).is_refused(&crashed.log(0), "synced");
    for tail in [vec![0; 100_000], noise(7, 100_000), noise(8, 3), vec![1; 40_000]] {
        let crashed = Crashed::new(1, 30);
        let (found, recovered) = crashed.change(0, |bytes| bytes.extend(&tail)).opens();
        assert_eq!(found, crashed.batches);
        assert_eq!(recovered.dropped.unwrap().bytes, tail.len() as u64);
    }
}

#[test]
fn a_damaged_file_that_is_no_longer_needed_is_harmless() {
    let crashed = Crashed::new(1, 30);
    let old = crashed.log(0);
    let (name, bytes) = (old.clone(), fs::read(&old).unwrap());
    let (found, recovered) = crashed.opens();
    put(&recovered.db, found);
    let source = crashed;
    let crashed = Crashed { folder: tempfile::tempdir().unwrap(), batches: found + 1 };
    copy(source.path(), crashed.path());
    // The file looks as if the crash had prevented RocksDB from removing it.
    fs::write(crashed.path().join(name.file_name().unwrap()), &bytes[..50_000]).unwrap();
    assert_eq!(list(crashed.path()).unwrap().len(), 2);
    assert_eq!(crashed.opens().0, found + 1);
}

#[test]
fn a_store_without_a_mark_opens() {
    let crashed = Crashed::new(1, 30);
    fs::remove_file(crashed.path().join("SYNCED")).unwrap();
    assert_eq!(crashed.opens().0, crashed.batches);
}

#[test]
fn a_crash_in_the_start_after_a_torn_end_is_no_damage() {
    let crashed = Crashed::new(1, 0);
    crashed.change(0, |bytes| bytes.truncate(bytes.len() - 100));
    let (kept, torn) = (crashed.batches - 1, crashed.log(0));
    // Before RocksDB forgets a torn file, it begins a new one with an empty batch, whose sequence
    // number follows.
    let begin_next_file = |crashed: &Crashed, sequence: u64| {
        let batch = [&sequence.to_le_bytes()[..], &0_u32.to_le_bytes()].concat();
        let number = list(crashed.path()).unwrap()[0].0 + 7;
        fs::write(wal_path(crashed.path(), number), log_of(&[batch]).0).unwrap();
    };
    let next = kept * BATCH_WRITES + 1;
    let with_gap = crashed.copied();
    begin_next_file(&with_gap, next + BATCH_WRITES);
    assert_eq!(with_gap.is_refused(&with_gap.log(0), "records follow in"), kept);

    begin_next_file(&crashed, next);
    let (found, Recovered { db, dropped, sync_mark }) = crashed.opens();
    let dropped = dropped.unwrap();
    assert_eq!((found, dropped.file, dropped.records, dropped.kept_in), (kept, torn, 0, None));
    assert_eq!(dropped.bytes, RECORD_BYTES - 100);
    put(&db, kept);
    drop((db, sync_mark));
    assert_eq!(crashed.opens().0, kept + 1);
}
