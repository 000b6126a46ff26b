//! The death of an engine at a chosen change of its contents.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use kv::{BulkLoad, Durability, Error, Interrupt, Result, Savepoint, Snapshot, Values, WriteTransaction};

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

/// The changes that are left until the death; `None` for an engine that lives on.
pub(crate) struct Countdown {
    left: Option<(AtomicI64, Death)>,
}

impl Countdown {
    /// Makes the countdown of an engine that never dies.
    pub(crate) fn endless() -> Self {
        Countdown { left: None }
    }

    pub(crate) fn new(changes: i64, death: Death) -> Self {
        Countdown { left: Some((AtomicI64::new(changes), death)) }
    }

    pub(crate) fn is_endless(&self) -> bool {
        self.left.is_none()
    }

    /// Returns true if the fatal change was asked for.
    pub(crate) fn is_over(&self) -> bool {
        self.left.as_ref().is_some_and(|(left, _)| left.load(Ordering::Relaxed) < 0)
    }

    /// Makes a change unless the engine is dead or dies now.
    pub(crate) fn change(&self, change: impl FnOnce() -> Result<()>) -> Result<()> {
        let Some((left, death)) = &self.left else { return change() };
        let dead = || Error::Io { action: "working".to_owned(), reason: "the engine is dead".to_owned() };
        match (left.fetch_sub(1, Ordering::Relaxed), death) {
            (0, Death::Unclear(took_place)) => {
                if *took_place {
                    change()?;
                }
                Err(Error::Undetermined { reason: "a test".to_owned() })
            }
            (_, Death::Unclear(_)) | (1.., _) => change(),
            (0, Death::After) => change().and(Err(dead())),
            _ => Err(dead()),
        }
    }
}

/// A transaction whose commit counts as a change.
pub(crate) struct DyingTransaction {
    pub(crate) inner: Box<dyn WriteTransaction>,
    pub(crate) countdown: Arc<Countdown>,
}

impl WriteTransaction for DyingTransaction {
    fn set_interrupt(&mut self, interrupt: Option<Interrupt>) {
        self.inner.set_interrupt(interrupt);
    }

    fn view(&mut self) -> Arc<dyn Snapshot> {
        self.inner.view()
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.inner.get_many(keys)
    }

    fn contains_many(&self, keys: &[&[u8]]) -> Result<Vec<bool>> {
        self.inner.contains_many(keys)
    }

    fn waits_for_messages(&self) -> bool {
        self.inner.waits_for_messages()
    }

    fn prefetch(&mut self, keys: &[&[u8]]) -> Result<()> {
        self.inner.prefetch(keys)
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

    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let DyingTransaction { inner, countdown } = *self;
        countdown.change(|| inner.commit(durability))
    }

    fn rollback(self: Box<Self>) {
        self.inner.rollback();
    }
}

/// A load whose end counts as a change.
pub(crate) struct DyingLoad {
    pub(crate) inner: Box<dyn BulkLoad>,
    pub(crate) countdown: Arc<Countdown>,
}

impl BulkLoad for DyingLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.add(key, value)
    }

    fn begin_run(&mut self) -> Result<()> {
        self.inner.begin_run()
    }

    fn finish(self: Box<Self>, durability: Durability) -> Result<()> {
        let DyingLoad { inner, countdown } = *self;
        countdown.change(|| inner.finish(durability))
    }
}
