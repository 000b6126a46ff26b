//! The hints that the engine gets before a scan.

#![allow(clippy::unwrap_used, reason = "helpers of tests outside of test functions")]

mod common;

use common::{Fixture, Run};
use kv::{
    BulkLoad, Engine, EngineStatistics, KeyRange, LoadHint, LoadKind, MemoryEngine, PrefixScan, Result, Scan,
    ScanSpec, Snapshot, TransactionOptions, Values, WriteTransaction,
};
use std::path::Path;
use std::sync::{Arc, Mutex};
use storage::{Store, StoreOptions};

type Scans = Arc<Mutex<Vec<ScanSpec>>>;

/// An engine that records the scans of its snapshots.
struct RecordingEngine {
    inner: Arc<MemoryEngine>,
    scans: Scans,
}

struct RecordingSnapshot {
    inner: Arc<dyn Snapshot>,
    scans: Scans,
}

impl Snapshot for RecordingSnapshot {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.inner.get_many(keys)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        self.scans.lock().unwrap().push(spec.clone());
        self.inner.scan(spec)
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        self.inner.prefix_scan()
    }
}

impl Engine for RecordingEngine {
    fn name(&self) -> &'static str {
        "recording"
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(RecordingSnapshot { inner: self.inner.snapshot()?, scans: Arc::clone(&self.scans) }))
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

/// A query for a part of the documents is likely to come again; an export of whole documents is
/// not.
#[test]
fn scans_that_select_are_announced_to_come_again_and_exports_are_not() {
    let scans = Scans::default();
    let engine = RecordingEngine { inner: MemoryEngine::new(), scans: Arc::clone(&scans) };
    let fixture = Fixture { store: Store::open(Arc::new(engine), StoreOptions::default()).unwrap() };
    fixture.collection("c");
    fixture.insert("c", r#"[{"_key":"1","n":1},{"_key":"2","n":2},{"_key":"3","n":3}]"#);
    for (query, rows, is_repeated) in [
        ("FOR d IN c RETURN d", 3, false),
        ("FOR d IN c FILTER d.n > 1 RETURN d", 2, true),
        ("FOR d IN c FILTER d.n > 1 COLLECT WITH COUNT INTO k RETURN k", 1, true),
        ("FOR d IN c RETURN d.n", 3, true),
        ("FOR d IN c COLLECT n = d.n RETURN n", 3, true),
    ] {
        scans.lock().unwrap().clear();
        let answer = fixture.run(query, &Run::default()).unwrap();
        assert_eq!(answer.results.len(), rows, "{query}");
        let announced: Vec<bool> =
            scans.lock().unwrap().iter().filter(|scan| scan.sequential).map(|scan| scan.repeated).collect();
        assert_eq!(announced, [is_repeated], "{query}");
    }
}
