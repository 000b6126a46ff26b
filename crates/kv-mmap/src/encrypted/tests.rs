//! Failed writes of the tables.

use std::path::Path;
use std::sync::Arc;

use encryption::MasterKey;
use kv::{
    BulkLoad, Durability, Error, KeyRange, LocalStore, LocalTransaction, Result, Snapshot,
    TransactionOptions, WriteTransaction,
};

use super::faults::fail_in;
use crate::load::Load;
use crate::options::MmapOptions;
use crate::store::Store;

fn open(folder: &Path, master: &Arc<MasterKey>) -> Arc<Store> {
    let options = MmapOptions {
        memory_bytes: 0,
        cache_bytes: 0,
        encryption: Some(Arc::clone(master)),
        ..MmapOptions::default()
    };
    Arc::new(Store::open(folder, &options).unwrap())
}

fn put(store: &Arc<Store>, number: u32) -> Result<()> {
    let transaction = LocalTransaction::begin(Arc::clone(store), TransactionOptions::default())?;
    let mut transaction = Box::new(transaction);
    transaction.put(format!("{number:05}").as_bytes(), &[number as u8; 1_000])?;
    transaction.commit(Durability::Buffered)
}

fn is_there(snapshot: &dyn Snapshot, number: u32) -> Result<bool> {
    Ok(snapshot.get_many(&[format!("{number:05}").as_bytes()])?.is_present(0))
}

fn numbers(store: &Store, all: u32) -> Vec<u32> {
    let snapshot = store.snapshot().unwrap();
    (0..all).filter(|number| is_there(&*snapshot, *number).unwrap()).collect()
}

#[test]
fn a_failed_merge_loses_nothing_and_reads_continue() {
    let (folder, master) = (tempfile::tempdir().unwrap(), Arc::new(MasterKey::random().unwrap()));
    let store = open(folder.path(), &master);
    (0..1_000).for_each(|number| put(&store, number).unwrap());
    store.flush().unwrap();
    (1_000..2_000).for_each(|number| put(&store, number).unwrap());
    let old = store.snapshot().unwrap();
    fail_in(folder.path(), true);
    for round in 0..3 {
        let failed = store.flush();
        assert!(matches!(failed, Err(Error::Full { .. })), "{round}: {failed:?}");
        assert_eq!(numbers(&store, 2_100), (0..2_000).collect::<Vec<_>>());
        let mut length = 0;
        store.read_latest(b"00001", &mut |value| length = value.len()).unwrap();
        assert_eq!(length, 1_000);
        let snapshot = store.snapshot().unwrap();
        assert!(store.flush().is_err());
        assert!(is_there(&*snapshot, 1).unwrap(), "a failure that is known expires nothing");
    }
    assert_eq!(is_there(&*old, 1), Err(Error::SnapshotExpired));
    put(&store, 2_000).unwrap();
    let dropped = store.drop_range(&KeyRange::new("00010", "00020"));
    assert!(matches!(dropped, Err(Error::Full { .. })), "{dropped:?}");
    fail_in(folder.path(), false);
    store.flush().unwrap();
    put(&store, 2_001).unwrap();
    // The range was in the log before the failure.
    let expected: Vec<u32> = (0..10).chain(20..2_002).collect();
    let present = numbers(&store, 2_100);
    assert!(present == expected || present == (0..2_002).collect::<Vec<_>>(), "{present:?}");
    drop((store, old));
    assert_eq!(numbers(&open(folder.path(), &master), 2_100), present);
}

#[test]
fn a_load_that_fails_leaves_nothing() {
    let (folder, master) = (tempfile::tempdir().unwrap(), Arc::new(MasterKey::random().unwrap()));
    let store = open(folder.path(), &master);
    put(&store, 0).unwrap();
    for is_failing in [true, false] {
        let mut load = Load::new(Arc::clone(&store)).unwrap();
        for number in 1..20_000_u32 {
            load.add(format!("{number:05}").as_bytes(), &[1; 1_000]).unwrap();
        }
        fail_in(folder.path(), is_failing);
        let finished = Box::new(load).finish(Durability::Synced);
        assert_eq!(finished.is_err(), is_failing, "{finished:?}");
        fail_in(folder.path(), false);
        put(&store, 0).unwrap();
        store.flush().unwrap();
        assert_eq!(numbers(&store, 20_000).len(), if is_failing { 1 } else { 20_000 });
    }
}
