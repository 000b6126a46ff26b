//! An engine that dies at a chosen moment, as a process does under `kill -9`.

#![allow(unreachable_pub, clippy::unwrap_used, clippy::panic, reason = "shared by test programs")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use kv::{
    BulkLoad, Durability, Engine, EngineStatistics, Error, KeyRange, LoadHint, LoadKind, Result, Savepoint,
    Snapshot, TransactionOptions, Values, WriteTransaction,
};

/// The moment at which the engine dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// Before the fatal change takes place.
    Before,
    /// After the change took place, before anyone learns of it.
    After,
    /// Never. Instead, the outcome of one change is unknown: the flag is true if it took place.
    Unclear(bool),
}

struct Countdown {
    left: AtomicI64,
    death: Death,
}

impl Countdown {
    /// Makes a change unless the engine is dead or dies now.
    fn change(&self, change: impl FnOnce() -> Result<()>) -> Result<()> {
        let dead = || Error::Io { action: "working".to_owned(), reason: "the engine is dead".to_owned() };
        match self.left.fetch_sub(1, Ordering::Relaxed) {
            0 if matches!(self.death, Death::Unclear(_)) => {
                if self.death == Death::Unclear(true) {
                    change()?;
                }
                Err(Error::Undetermined { reason: "a test".to_owned() })
            }
            _ if matches!(self.death, Death::Unclear(_)) => change(),
            1.. => change(),
            0 if self.death == Death::After => change().and(Err(dead())),
            _ => Err(dead()),
        }
    }
}

pub struct FailingEngine {
    inner: Arc<dyn Engine>,
    countdown: Arc<Countdown>,
}

impl FailingEngine {
    /// Makes an engine that makes `changes` changes of its contents and then dies.
    pub fn new(inner: Arc<dyn Engine>, changes: i64, death: Death) -> Arc<Self> {
        let countdown = Arc::new(Countdown { left: AtomicI64::new(changes), death });
        Arc::new(FailingEngine { inner, countdown })
    }

    /// Returns true if it has died.
    pub fn is_dead(&self) -> bool {
        self.countdown.left.load(Ordering::Relaxed) < 0
    }
}

impl Engine for FailingEngine {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.inner.snapshot()
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        let inner = self.inner.begin(options)?;
        Ok(Box::new(FailingTransaction { inner, countdown: Arc::clone(&self.countdown) }))
    }

    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.countdown.change(|| self.inner.drop_range(range))
    }

    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>> {
        let inner = self.inner.load(kind, hint)?;
        Ok(Box::new(FailingBulkLoad { inner, countdown: Arc::clone(&self.countdown) }))
    }

    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        self.inner.split_points(range, parts)
    }

    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size_bytes(range)
    }

    fn compact(&self, range: &KeyRange) -> Result<()> {
        self.inner.compact(range)
    }

    fn sync(&self) -> Result<()> {
        self.countdown.change(|| self.inner.sync())
    }

    fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.inner.checkpoint(folder)
    }

    fn statistics(&self) -> EngineStatistics {
        self.inner.statistics()
    }

    fn close(&self) -> Result<()> {
        self.inner.close()
    }
}

struct FailingTransaction {
    inner: Box<dyn WriteTransaction>,
    countdown: Arc<Countdown>,
}

impl WriteTransaction for FailingTransaction {
    fn view(&mut self) -> Arc<dyn Snapshot> {
        self.inner.view()
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.inner.get_many(keys)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.put(key, value)
    }

    fn insert_unique(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.insert_unique(key, value)
    }

    fn put_unguarded(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.put_unguarded(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.inner.delete(key)
    }

    fn delete_unguarded(&mut self, key: &[u8]) -> Result<()> {
        self.inner.delete_unguarded(key)
    }

    fn lock(&mut self, key: &[u8]) -> Result<()> {
        self.inner.lock(key)
    }

    fn savepoint(&mut self) -> Savepoint {
        self.inner.savepoint()
    }

    fn rollback_to(&mut self, savepoint: Savepoint) {
        self.inner.rollback_to(savepoint);
    }

    fn write_count(&self) -> usize {
        self.inner.write_count()
    }

    fn for_each_written(&self, visit: &mut dyn FnMut(&[u8])) {
        self.inner.for_each_written(visit);
    }

    fn size_bytes(&self) -> usize {
        self.inner.size_bytes()
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let FailingTransaction { inner, countdown } = *self;
        countdown.change(|| inner.commit(durability))
    }

    fn rollback(self: Box<Self>) {
        self.inner.rollback();
    }
}

struct FailingBulkLoad {
    inner: Box<dyn BulkLoad>,
    countdown: Arc<Countdown>,
}

impl BulkLoad for FailingBulkLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.add(key, value)
    }

    fn finish(self: Box<Self>, durability: Durability) -> Result<()> {
        let FailingBulkLoad { inner, countdown } = *self;
        countdown.change(|| inner.finish(durability))
    }
}
