//! Faults of the files of the log: failed, short and torn writes, failed creations and syncs.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use encryption::{HEADER_BYTES, MasterKey};
use kv::{
    Durability, Error, LocalStore, LocalTransaction, LogRecovery, Result, TransactionOptions,
    WriteTransaction,
};

use super::files::{Folder, LogFile, LogFiles};
use crate::options::MmapOptions;
use crate::store::Store;

/// A way in which an operation on a file fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing is written.
    Error(io::ErrorKind),
    /// A part is written, and the call says so. The next one fails.
    Short,
    /// A part is written, then every operation fails, including the removal of that part.
    Torn,
}

const FAULTS: [Fault; 4] =
    [Fault::Error(io::ErrorKind::StorageFull), Fault::Error(io::ErrorKind::Other), Fault::Short, Fault::Torn];

/// Files that fail at the operation with a number. Syncs of content are counted separately.
struct Faults {
    fault: Fault,
    at: usize,
    operations: AtomicUsize,
    syncs_fail: AtomicUsize,
}

struct FaultyFolder(Folder, Arc<Faults>);

struct FaultyFile(Arc<dyn LogFile>, Arc<Faults>);

impl Faults {
    /// Returns the fault of the next operation.
    fn next(&self) -> Option<Fault> {
        let number = self.operations.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            Fault::Short if number == self.at => Some(Fault::Short),
            Fault::Short if number == self.at + 1 => Some(Fault::Error(io::ErrorKind::StorageFull)),
            Fault::Torn if number == self.at => Some(Fault::Torn),
            Fault::Torn if number > self.at => Some(Fault::Error(io::ErrorKind::Other)),
            Fault::Error(kind) if number == self.at => Some(Fault::Error(kind)),
            _ => None,
        }
    }
}

fn failure(fault: Fault) -> io::Error {
    match fault {
        Fault::Error(kind) => kind.into(),
        _ => io::ErrorKind::Other.into(),
    }
}

impl LogFiles for FaultyFolder {
    fn create(&self, number: u64) -> io::Result<Arc<dyn LogFile>> {
        match self.1.next() {
            Some(fault) => Err(failure(fault)),
            None => Ok(Arc::new(FaultyFile(self.0.create(number)?, Arc::clone(&self.1)))),
        }
    }

    fn remove(&self, number: u64) -> io::Result<()> {
        match self.1.next() {
            Some(fault) => Err(failure(fault)),
            None => self.0.remove(number),
        }
    }
}

impl LogFile for FaultyFile {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let part = bytes.get(..bytes.len().div_ceil(2)).unwrap_or(bytes);
        match self.1.next() {
            None => self.0.write_at(bytes, offset),
            Some(Fault::Short) => self.0.write_at(part, offset),
            Some(Fault::Torn) => {
                self.0.write_at(part, offset)?;
                Err(io::ErrorKind::Other.into())
            }
            Some(fault) => Err(failure(fault)),
        }
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        match self.1.next() {
            Some(fault) => Err(failure(fault)),
            None => self.0.truncate(length),
        }
    }

    fn sync(&self) -> io::Result<()> {
        let fails =
            self.1.syncs_fail.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if fails.is_ok() { Err(io::ErrorKind::Other.into()) } else { self.0.sync() }
    }

    fn may_be_rewritten(&self) -> bool {
        self.0.may_be_rewritten()
    }
}

fn faults(fault: Fault, at: usize) -> Arc<Faults> {
    Arc::new(Faults { fault, at, operations: AtomicUsize::new(0), syncs_fail: AtomicUsize::new(0) })
}

/// Returns the options of a plain store and of an encrypted one.
fn forms() -> [MmapOptions; 2] {
    let encryption = Some(Arc::new(MasterKey::random().unwrap()));
    [MmapOptions::default(), MmapOptions { encryption, ..MmapOptions::default() }]
}

fn open_with(folder: &Path, options: &MmapOptions, faults: &Arc<Faults>) -> Result<Arc<Store>> {
    crate::format::check_or_create(folder, options.encryption.is_some())?;
    let log = Folder::open(folder.join("log"), options.encryption.clone()).unwrap();
    let files = Arc::new(FaultyFolder(log.clone(), Arc::clone(faults)));
    Store::open_with(folder, options, &log, files).map(Arc::new)
}

fn open(folder: &Path, options: &MmapOptions) -> Arc<Store> {
    Arc::new(Store::open(folder, options).unwrap())
}

/// Commits two keys with a number.
fn put(store: &Arc<Store>, number: u32, durability: Durability) -> Result<()> {
    let transaction = LocalTransaction::begin(Arc::clone(store), TransactionOptions::default())?;
    let mut transaction = Box::new(transaction);
    let value = vec![number as u8; 2_000];
    transaction.put(format!("a{number:03}").as_bytes(), &value)?;
    transaction.put(format!("b{number:03}").as_bytes(), &value)?;
    transaction.commit(durability)
}

/// Returns the numbers that are present. Both keys of each must be present.
fn numbers(store: &Store) -> Vec<u32> {
    let snapshot = store.snapshot().unwrap();
    let is_there = |key: String| snapshot.get_many(&[key.as_bytes()]).unwrap().is_present(0);
    (0..100)
        .filter(|number| {
            let (a, b) = (is_there(format!("a{number:03}")), is_there(format!("b{number:03}")));
            assert_eq!(a, b, "commit {number} is there in part");
            a
        })
        .collect()
}

/// Whatever fails at whatever moment: nothing that was acknowledged is lost, nothing that failed is
/// there, and reads continue.
#[test]
fn every_fault_at_every_operation_loses_nothing() {
    for (options, fault) in forms().iter().flat_map(|options| FAULTS.map(|fault| (options, fault))) {
        for at in 0..24 {
            let folder = tempfile::tempdir().unwrap();
            let faults = faults(fault, at);
            let mut acknowledged = Vec::new();
            if let Ok(store) = open_with(folder.path(), options, &faults) {
                for number in 0..12 {
                    let result = put(&store, number, Durability::Buffered);
                    match result {
                        Ok(()) => acknowledged.push(number),
                        Err(Error::Full { .. } | Error::Io { .. } | Error::NotWritable { .. }) => {}
                        Err(error) => panic!("{fault:?} at {at}: {error}"),
                    }
                    if number % 4 == 3 {
                        let _ = store.flush();
                    }
                    assert_eq!(numbers(&store), acknowledged, "{fault:?} at {at}");
                }
            }
            let store = open(folder.path(), options);
            assert_eq!(numbers(&store), acknowledged, "{fault:?} at {at}, after the next start");
            put(&store, 99, Durability::Synced).unwrap();
        }
    }
}

#[test]
fn a_failed_sync_is_repaired_by_a_flush() {
    forms().iter().for_each(a_failed_sync_is_repaired);
}

fn a_failed_sync_is_repaired(options: &MmapOptions) {
    let folder = tempfile::tempdir().unwrap();
    let faults = faults(Fault::Torn, usize::MAX - 1);
    let store = open_with(folder.path(), options, &faults).unwrap();
    put(&store, 0, Durability::Synced).unwrap();
    faults.syncs_fail.store(1, Ordering::SeqCst);
    let failed = put(&store, 1, Durability::Synced);
    assert!(matches!(failed, Err(Error::Undetermined { .. })), "{failed:?}");
    assert!(store.log_sync.sync_all().is_err(), "a later sync of the same file proves nothing");
    put(&store, 2, Durability::Buffered).unwrap();
    store.flush().unwrap();
    store.log_sync.sync_all().unwrap();
    put(&store, 3, Durability::Synced).unwrap();
    assert_eq!(numbers(&store), [0, 1, 2, 3]);
    drop(store);
    assert_eq!(numbers(&open(folder.path(), options)), [0, 1, 2, 3]);
}

/// The bytes of a log with commits. The first ones are known to be synced.
struct Recorded {
    options: MmapOptions,
    folder: tempfile::TempDir,
    file: std::path::PathBuf,
    bytes: Vec<u8>,
    /// The end of each record.
    ends: Vec<usize>,
}

/// Records a log of each form.
fn record(synced_after: u32) -> [Recorded; 2] {
    forms().map(|options| record_with(synced_after, options))
}

fn record_with(synced_after: u32, options: MmapOptions) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &options);
    let header = if options.encryption.is_some() { HEADER_BYTES } else { 0 };
    let ends = Mutex::new(Vec::new());
    for number in 0..6 {
        let durability = if number == synced_after { Durability::Synced } else { Durability::Buffered };
        put(&store, number, durability).unwrap();
        ends.lock().unwrap().push(header + store.log.writer().size_bytes() as usize);
    }
    drop(store);
    let file = std::fs::read_dir(folder.path().join("log")).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&file).unwrap();
    Recorded { options, folder, file, bytes, ends: ends.into_inner().unwrap() }
}

impl Recorded {
    /// Returns the options that cut a damaged log.
    fn salvage(&self) -> MmapOptions {
        MmapOptions { log_recovery: LogRecovery::Salvage, ..self.options.clone() }
    }

    /// Changes a bit of the file. Returns its new content.
    fn damage(&self, at: usize) -> Vec<u8> {
        let mut damaged = self.bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&self.file, &damaged).unwrap();
        damaged
    }
}

#[test]
fn a_log_that_is_cut_anywhere_is_replayed_up_to_the_cut() {
    for recorded in record(u32::MAX) {
        let is_encrypted = recorded.options.encryption.is_some();
        let header = if is_encrypted { HEADER_BYTES } else { 0 };
        let bytes = recorded.bytes.len();
        for cut in (0..=bytes).step_by(487).chain(recorded.ends.clone()).chain([1, 64, 65]) {
            let copy = tempfile::tempdir().unwrap();
            crate::format::check_or_create(copy.path(), is_encrypted).unwrap();
            std::fs::create_dir(copy.path().join("log")).unwrap();
            std::fs::write(copy.path().join("log/0000000001.log"), &recorded.bytes[..cut]).unwrap();
            let store = open(copy.path(), &recorded.options);
            let whole = recorded.ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(numbers(&store), (0..whole as u32).collect::<Vec<_>>(), "cut at {cut} of {bytes}");
            let last = recorded.ends.iter().rfind(|end| **end <= cut).copied().unwrap_or(header);
            assert_eq!(store.dropped_log.bytes, cut.saturating_sub(last) as u64);
        }
    }
}

#[test]
fn damage_to_synced_records_is_refused_and_to_others_ends_the_log() {
    for (synced_after, is_refused) in [(3, true), (u32::MAX, false)] {
        for recorded in record(synced_after) {
            let damaged = recorded.damage(recorded.ends[1] + 1_000);
            match Store::open(recorded.folder.path(), &recorded.options) {
                Err(Error::DamagedLog { path, .. }) => {
                    assert!(is_refused);
                    assert_eq!(path, recorded.file);
                    assert_eq!(std::fs::read(&recorded.file).unwrap(), damaged, "nothing is changed");
                }
                Err(error) => panic!("{error}"),
                Ok(store) => {
                    assert!(!is_refused);
                    assert_eq!(numbers(&store), [0, 1]);
                    assert_eq!(store.dropped_log.bytes, (recorded.bytes.len() - recorded.ends[1]) as u64);
                }
            }
        }
    }
}

/// The header of an encrypted file is on disk before its first record.
#[test]
fn a_log_without_its_header_is_refused_and_set_aside() {
    let [_, recorded] = record(u32::MAX);
    let damaged = recorded.damage(20);
    for _ in 0..2 {
        let refused = Store::open(recorded.folder.path(), &recorded.options).map(drop);
        assert!(matches!(refused, Err(Error::DamagedLog { .. })), "{refused:?}");
        assert_eq!(std::fs::read(&recorded.file).unwrap(), damaged, "nothing is changed");
    }
    let store = Store::open(recorded.folder.path(), &recorded.salvage()).unwrap();
    assert_eq!((numbers(&store), store.dropped_log.bytes), (vec![], damaged.len() as u64));
    drop(store);
    open(recorded.folder.path(), &recorded.options);
}

/// Salvage keeps all commits before the damage, and the damaged files; the next start needs no
/// option.
#[test]
fn salvage_continues_without_the_damaged_part() {
    for recorded in record(3) {
        let damaged = recorded.damage(recorded.ends[1] + 1_000);
        let store = Arc::new(Store::open(recorded.folder.path(), &recorded.salvage()).unwrap());
        assert_eq!(numbers(&store), [0, 1]);
        assert_eq!(store.dropped_log.bytes, (recorded.bytes.len() - recorded.ends[1]) as u64);
        let kept = store.dropped_log.kept_in.clone().unwrap();
        assert_eq!(std::fs::read(kept.join(recorded.file.file_name().unwrap())).unwrap(), damaged);
        put(&store, 9, Durability::Synced).unwrap();
        drop(store);
        let store = open(recorded.folder.path(), &recorded.options);
        assert_eq!(numbers(&store), [0, 1, 9]);
        assert_eq!(store.dropped_log.bytes, 0);
    }
}

#[test]
fn salvage_changes_nothing_for_a_whole_log() {
    for recorded in record(3) {
        let store = Store::open(recorded.folder.path(), &recorded.salvage()).unwrap();
        assert_eq!(numbers(&store), [0, 1, 2, 3, 4, 5]);
        assert!(!recorded.folder.path().join("damaged-logs").exists());
    }
}

/// A file in which a write failed gets no more records: they would be encrypted with a part of its
/// key stream that has encrypted other bytes.
#[test]
fn no_part_of_a_key_stream_is_used_twice() {
    for (options, files_at_end) in forms().iter().zip([1, 2]) {
        let folder = tempfile::tempdir().unwrap();
        // The operations are the creation of the file, two writes, and a short one.
        let faults = faults(Fault::Short, 3);
        let store = open_with(folder.path(), options, &faults).unwrap();
        let results: Vec<bool> =
            (0..5).map(|number| put(&store, number, Durability::Buffered).is_ok()).collect();
        assert_eq!(results, [true, true, false, true, true]);
        let lengths = std::fs::read_dir(folder.path().join("log")).unwrap();
        let is_used = |file: &std::fs::DirEntry| file.metadata().unwrap().len() > HEADER_BYTES as u64;
        assert_eq!(lengths.flatten().filter(is_used).count(), files_at_end);
        assert_eq!(numbers(&store), [0, 1, 3, 4]);
        drop(store);
        assert_eq!(numbers(&open(folder.path(), options)), [0, 1, 3, 4]);
    }
}
