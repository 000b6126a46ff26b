//! The hints that the engine gets before a scan.

use std::sync::{Arc, Mutex};

use kv::{MemoryEngine, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};
use storage::{Store, StoreOptions};
use test_engine::WrappedEngine;

use crate::common::{Fixture, Run};

type Scans = Arc<Mutex<Vec<ScanSpec>>>;

/// A snapshot that records its scans.
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

/// A query for a part of the documents is likely to come again; an export of whole documents is
/// not.
#[test]
fn scans_that_select_are_marked_as_repeated_and_exports_are_not() {
    let scans = Scans::default();
    let recorded = Arc::clone(&scans);
    let engine = WrappedEngine::new(MemoryEngine::new()).replacing_snapshots(move |inner| {
        Arc::new(RecordingSnapshot { inner, scans: Arc::clone(&recorded) })
    });
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
        let repeated: Vec<bool> =
            scans.lock().unwrap().iter().filter(|scan| scan.sequential).map(|scan| scan.repeated).collect();
        assert_eq!(repeated, [is_repeated], "{query}");
    }
}
