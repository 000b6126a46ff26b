//! An engine in memory whose snapshots are wrapped by a test.

use kv::{
    BulkLoad, Engine, EngineStatistics, KeyRange, LoadHint, LoadKind, MemoryEngine, Result, Snapshot,
    TransactionOptions, WriteTransaction,
};
use std::path::Path;
use std::sync::Arc;

type Wrap = dyn Fn(Arc<dyn Snapshot>) -> Arc<dyn Snapshot> + Send + Sync;

/// The engine. Transactions read the state without the wrap.
pub struct WrappedEngine {
    inner: Arc<MemoryEngine>,
    wrap: Box<Wrap>,
}

impl WrappedEngine {
    pub fn new(wrap: impl Fn(Arc<dyn Snapshot>) -> Arc<dyn Snapshot> + Send + Sync + 'static) -> Self {
        WrappedEngine { inner: MemoryEngine::new(), wrap: Box::new(wrap) }
    }
}

impl Engine for WrappedEngine {
    fn name(&self) -> &'static str {
        "wrapped"
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok((self.wrap)(self.inner.snapshot()?))
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        self.inner.begin(options)
    }

    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.inner.drop_range(range)
    }

    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>> {
        self.inner.load(kind, hint)
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
        self.inner.sync()
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
