//! A wrapper around an engine: its snapshots can be replaced, its changes can fail, and its folder
//! can be removed with it.

use std::path::Path;
use std::sync::Arc;

use kv::{
    BulkLoad, Engine, EngineStatistics, KeyRange, LoadHint, LoadKind, Result, Sharing, Snapshot,
    TransactionOptions, WriteTransaction,
};

use crate::dying::{Countdown, Death, DyingLoad, DyingTransaction};

/// Returns the snapshot that a reader gets in place of another one.
type ReplaceSnapshot = dyn Fn(Arc<dyn Snapshot>) -> Arc<dyn Snapshot> + Send + Sync;

/// An engine that passes everything on to another one, except for what its test has asked for.
pub struct WrappedEngine {
    inner: Arc<dyn Engine>,
    replace_snapshot: Box<ReplaceSnapshot>,
    countdown: Arc<Countdown>,
    _folder: Option<tempfile::TempDir>,
}

impl WrappedEngine {
    /// Wraps an engine. Nothing is changed yet.
    pub fn new(inner: Arc<dyn Engine>) -> Self {
        let countdown = Arc::new(Countdown::endless());
        WrappedEngine { inner, replace_snapshot: Box::new(|snapshot| snapshot), countdown, _folder: None }
    }

    /// Replaces each snapshot. Transactions read the state as it is.
    pub fn replacing_snapshots(
        self,
        replace: impl Fn(Arc<dyn Snapshot>) -> Arc<dyn Snapshot> + Send + Sync + 'static,
    ) -> Self {
        WrappedEngine { replace_snapshot: Box::new(replace), ..self }
    }

    /// Makes this many changes of the contents, and then dies as a process does under `kill -9`.
    pub fn dying_after(self, changes: i64, death: Death) -> Self {
        WrappedEngine { countdown: Arc::new(Countdown::new(changes, death)), ..self }
    }

    /// Removes a folder with the engine.
    pub(crate) fn removing(self, folder: tempfile::TempDir) -> Self {
        WrappedEngine { _folder: Some(folder), ..self }
    }

    /// Returns true if it has died.
    pub fn is_dead(&self) -> bool {
        self.countdown.is_over()
    }
}

impl Engine for WrappedEngine {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn sharing(&self) -> Option<Arc<dyn Sharing>> {
        self.inner.sharing()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok((self.replace_snapshot)(self.inner.snapshot()?))
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        let inner = self.inner.begin(options)?;
        if self.countdown.is_endless() {
            return Ok(inner);
        }
        Ok(Box::new(DyingTransaction { inner, countdown: Arc::clone(&self.countdown) }))
    }

    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.countdown.change(|| self.inner.drop_range(range))
    }

    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>> {
        let inner = self.inner.load(kind, hint)?;
        if self.countdown.is_endless() {
            return Ok(inner);
        }
        Ok(Box::new(DyingLoad { inner, countdown: Arc::clone(&self.countdown) }))
    }

    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        self.inner.split_points(range, parts)
    }

    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size_bytes(range)
    }

    fn approximate_share(&self, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
        self.inner.approximate_share(part, whole)
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
