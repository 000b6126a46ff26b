//! Interleavings that are too rare between threads: a store that acts in the middle of a call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::{LocalStore, LocalTransaction, Writes};
use crate::conflict::ConflictTable;
use crate::{
    Durability, Engine, Error, MemoryEngine, Result, Snapshot, SnapshotAt, TransactionOptions, WaitPolicy,
    WriteTransaction,
};

type Hook = Box<dyn FnOnce(&Arc<HookedStore>) + Send>;

/// A store over the memory engine with hooks after a snapshot is taken and after writes are
/// applied.
struct HookedStore {
    engine: Arc<MemoryEngine>,
    table: Arc<ConflictTable>,
    this: std::sync::Weak<HookedStore>,
    after_snapshot: Mutex<Option<Hook>>,
    after_apply: Mutex<Option<Hook>>,
    is_undetermined: AtomicBool,
}

fn store(remembered_keys_max: usize) -> Arc<HookedStore> {
    Arc::new_cyclic(|this| HookedStore {
        engine: MemoryEngine::new(),
        table: Arc::new(ConflictTable::new(remembered_keys_max)),
        this: this.clone(),
        after_snapshot: Mutex::default(),
        after_apply: Mutex::default(),
        is_undetermined: AtomicBool::new(false),
    })
}

impl HookedStore {
    fn run(&self, hook: &Mutex<Option<Hook>>) {
        let hook = hook.lock().unwrap().take();
        if let (Some(hook), Some(this)) = (hook, self.this.upgrade()) {
            hook(&this);
        }
    }
}

impl LocalStore for HookedStore {
    fn conflict_table(&self) -> &Arc<ConflictTable> {
        &self.table
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let snapshot = self.engine.snapshot();
        self.run(&self.after_snapshot);
        snapshot
    }

    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        let values = self.engine.snapshot()?.get_many(&[key])?;
        if let Some(value) = values.get(0) {
            read(value);
        }
        Ok(())
    }

    fn apply(&self, writes: &Writes<'_>, _: WaitPolicy) -> Result<()> {
        let mut transaction = self.engine.begin(TransactionOptions::default())?;
        for entry in writes.overlay.iter() {
            match entry.value() {
                Some(value) => transaction.put_unguarded(entry.key(), value)?,
                None => transaction.delete_unguarded(entry.key())?,
            }
        }
        transaction.commit(Durability::Buffered)?;
        self.run(&self.after_apply);
        if self.is_undetermined.load(Ordering::Relaxed) {
            return Err(Error::Undetermined { reason: "a test".into() });
        }
        Ok(())
    }

    fn harden(&self, _: u64, _: Durability) -> Result<()> {
        Ok(())
    }
}

fn begin(store: &Arc<HookedStore>) -> Box<LocalTransaction<HookedStore>> {
    Box::new(LocalTransaction::begin(Arc::clone(store), TransactionOptions::default()).unwrap())
}

fn put(store: &Arc<HookedStore>, key: &[u8], value: &[u8]) {
    let mut transaction = begin(store);
    transaction.put(key, value).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
}

/// A commit between a transaction's snapshot and its first write is not in the snapshot, so a write
/// over it conflicts.
///
/// If the clock were read after the snapshot, it would not.
#[test]
fn a_commit_right_after_the_snapshot_conflicts() {
    let store = store(100);
    *store.after_snapshot.lock().unwrap() = Some(Box::new(|store| put(store, b"k", b"other")));
    let mut transaction = begin(&store);
    assert_eq!(transaction.get_many(&[b"k"]).unwrap().get(0), None);
    assert_eq!(transaction.put(b"k", b"own"), Err(Error::Conflict));
}

/// No transaction can write a key between the moment a commit's writes are visible and the moment
/// its keys are released.
///
/// This holds for transactions that see the writes and for those that do not.
#[test]
fn keys_are_held_until_the_clock_has_advanced() {
    let store = store(100);
    let mut before = begin(&store);
    *store.after_apply.lock().unwrap() = Some(Box::new(move |store| {
        assert_eq!(before.put(b"k", b"2"), Err(Error::Conflict));
        let mut during = begin(store);
        assert_eq!(during.get_many(&[b"k"]).unwrap().get(0), Some(&b"1"[..]));
        assert_eq!(during.put(b"k", b"2"), Err(Error::Conflict));
    }));
    put(&store, b"k", b"1");
    assert!(store.after_apply.lock().unwrap().is_none(), "the hook ran");
    put(&store, b"k", b"3");
}

/// After a commit with an unknown outcome, older transactions must not overwrite its possible
/// writes.
#[test]
fn an_undetermined_commit_counts_as_one() {
    let store = store(100);
    let mut old = begin(&store);
    store.is_undetermined.store(true, Ordering::Relaxed);
    let mut transaction = begin(&store);
    transaction.put(b"k", b"1").unwrap();
    assert!(matches!(transaction.commit(Durability::Buffered), Err(Error::Undetermined { .. })));
    store.is_undetermined.store(false, Ordering::Relaxed);
    assert_eq!(old.put(b"k", b"2"), Err(Error::Conflict));
    drop(old);
    put(&store, b"k", b"2");
}

/// When the table has forgotten the writers of keys, it compares values: only keys written since
/// the snapshot conflict.
#[test]
fn forgotten_commits_are_found_by_their_values() {
    let store = store(10);
    for key in [&b"same"[..], b"changed", b"deleted"] {
        put(&store, key, b"old");
    }
    let mut old = begin(&store);
    put(&store, b"changed", b"new");
    put(&store, b"inserted", b"new");
    let mut deleting = begin(&store);
    deleting.delete(b"deleted").unwrap();
    deleting.commit(Durability::Buffered).unwrap();
    for i in 0..100_u32 {
        put(&store, &i.to_be_bytes(), b"");
    }
    assert!(store.table.key_count() < 20);
    assert_eq!(old.put(b"changed", b"own"), Err(Error::Conflict));
    assert_eq!(old.delete(b"deleted"), Err(Error::Conflict));
    assert_eq!(old.insert_unique(b"inserted", b"own"), Err(Error::Conflict));
    assert_eq!(old.insert_unique(b"same", b"own"), Err(Error::Exists));
    old.put(b"same", b"own").unwrap();
    old.put(b"same", b"own again").unwrap();
    old.put(b"absent", b"own").unwrap();
    old.commit(Durability::Buffered).unwrap();
}

/// A transaction that never reads takes no snapshot.
#[test]
fn inserts_need_no_snapshot() {
    let store = store(100);
    *store.after_snapshot.lock().unwrap() = Some(Box::new(|_| panic!("an insert must not take a snapshot")));
    let options = TransactionOptions { snapshot: SnapshotAt::FirstRead, ..Default::default() };
    let mut transaction = Box::new(LocalTransaction::begin(Arc::clone(&store), options).unwrap());
    transaction.insert_unique(b"k", b"1").unwrap();
    transaction.put(b"l", b"1").unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    store.after_snapshot.lock().unwrap().take();
    let mut transaction = begin(&store);
    assert_eq!(transaction.insert_unique(b"k", b"2"), Err(Error::Exists));
}
