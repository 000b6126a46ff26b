//! The engine on which the tests of upper layers run.
//!
//! With `PERSEA_STORAGE_ENGINE=mmfiles`, which also chooses the engine of a server, they run on the
//! memory-mapped engine. Otherwise they run on the memory engine, or on RocksDB if they need files.

#![allow(clippy::expect_used, reason = "tests, though of other crates")]

use std::path::Path;
use std::sync::Arc;

use kv::{
    BulkLoad, Engine, EngineStatistics, KeyRange, LoadHint, LoadKind, MemoryEngine, Result, Snapshot,
    TransactionOptions, WriteTransaction,
};
use kv_mmap::{MmapEngine, MmapOptions};

/// The environment variable with the name of the engine.
const VARIABLE: &str = "PERSEA_STORAGE_ENGINE";

/// Creates an empty store for a test that needs no files.
pub fn engine() -> Arc<dyn Engine> {
    if !is_mapped() {
        return MemoryEngine::new();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    Arc::new(Temporary { engine: open_mapped(&folder.path().join("engine")), _folder: folder })
}

/// Opens a memory-mapped store in a folder, or creates one. Returns `None` if the tests run on
/// other engines.
pub fn mapped_in(folder: &Path) -> Option<Arc<dyn Engine>> {
    is_mapped().then(|| open_mapped(folder))
}

fn open_mapped(folder: &Path) -> Arc<dyn Engine> {
    MmapEngine::open(folder, &MmapOptions::default()).expect("open")
}

fn is_mapped() -> bool {
    std::env::var(VARIABLE).is_ok_and(|name| name == "mmfiles")
}

/// An engine whose folder is removed with it.
struct Temporary {
    engine: Arc<dyn Engine>,
    _folder: tempfile::TempDir,
}

impl Engine for Temporary {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.engine.snapshot()
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        self.engine.begin(options)
    }

    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.engine.drop_range(range)
    }

    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>> {
        self.engine.load(kind, hint)
    }

    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        self.engine.split_points(range, parts)
    }

    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.engine.approximate_size_bytes(range)
    }

    fn approximate_share(&self, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
        self.engine.approximate_share(part, whole)
    }

    fn compact(&self, range: &KeyRange) -> Result<()> {
        self.engine.compact(range)
    }

    fn sync(&self) -> Result<()> {
        self.engine.sync()
    }

    fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.engine.checkpoint(folder)
    }

    fn statistics(&self) -> EngineStatistics {
        self.engine.statistics()
    }

    fn close(&self) -> Result<()> {
        self.engine.close()
    }
}
