//! The hints that the engine gets before a scan.

use std::sync::{Arc, Mutex};

use aql_exec::Parallelism;
use kv::{MemoryEngine, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};
use storage::{Store, StoreOptions};
use test_engine::WrappedEngine;

use crate::common::{EAGER, Fixture, Run};

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

/// Returns a collection `c`, and the scans of all snapshots.
fn recording() -> (Fixture, Scans) {
    let scans = Scans::default();
    let recorded = Arc::clone(&scans);
    let engine = WrappedEngine::new(MemoryEngine::new()).replacing_snapshots(move |inner| {
        Arc::new(RecordingSnapshot { inner, scans: Arc::clone(&recorded) })
    });
    let fixture = Fixture { store: Store::open(Arc::new(engine), StoreOptions::default()).unwrap() };
    fixture.collection("c");
    (fixture, scans)
}

/// A query for a part of the documents is likely to come again; an export of whole documents is
/// not.
#[test]
fn scans_that_select_are_marked_as_repeated_and_exports_are_not() {
    let (fixture, scans) = recording();
    fixture.insert("c", r#"[{"_key":"1","n":1},{"_key":"2","n":2},{"_key":"3","n":3}]"#);
    for (query, rows, is_repeated) in [
        ("FOR d IN c RETURN d", 3, false),
        ("FOR d IN c FILTER d.n > 1 RETURN d", 2, true),
        ("FOR d IN c FILTER d.n > 1 COLLECT WITH COUNT INTO k RETURN k", 1, true),
        ("FOR d IN c RETURN d.n", 3, true),
        ("FOR d IN c COLLECT n = d.n RETURN n", 3, true),
    ] {
        scans.lock().unwrap().clear();
        let alone = Run { parallelism: Parallelism::of_threads(1), ..Run::default() };
        let answer = fixture.run(query, &alone).unwrap();
        assert_eq!(answer.results.len(), rows, "{query}");
        let repeated: Vec<bool> =
            scans.lock().unwrap().iter().filter(|scan| scan.sequential).map(|scan| scan.repeated).collect();
        assert_eq!(repeated, [is_repeated], "{query}");
    }
}

#[test]
fn only_long_scans_are_divided() {
    let (fixture, scans) = recording();
    let documents: Vec<_> = (0..2000).map(|n| format!(r#"{{"_key":"{n:04}","n":{n}}}"#)).collect();
    fixture.insert("c", &format!("[{}]", documents.join(",")));
    let parts = |query: &str, run: &Run| {
        scans.lock().unwrap().clear();
        fixture.run(query, run).unwrap();
        let scans = scans.lock().unwrap();
        let sequential = scans.iter().filter(|scan| scan.sequential);
        let parts: Vec<_> = sequential.clone().filter(|scan| scan.part_of.is_some()).collect();
        let whole = sequential.filter(|scan| scan.part_of.is_none()).count();
        assert!(parts.iter().all(|part| part.part_of.as_ref().unwrap().intersects(&part.range)));
        (whole, parts.len())
    };
    let long = Run { batch_rows: 16, parallelism: EAGER, ..Run::default() };
    let group = "FOR d IN c COLLECT x = d.n % 3 WITH COUNT INTO k OPTIONS {method: 'hash'} RETURN [x, k]";
    let top = "FOR d IN c SORT d.n DESC LIMIT 3 RETURN d";
    let count = "FOR d IN c FILTER d.n % 3 == 1 COLLECT WITH COUNT INTO k RETURN k";
    for query in [group, top, count] {
        let (whole, several) = parts(query, &long);
        assert!(whole == 1 && several > 2, "{query}: {whole} and {several}");
        let short = Run { parallelism: Parallelism { blocks_alone: 1000, ..EAGER }, ..long.clone() };
        assert_eq!(parts(query, &short), (1, 0), "{query}");
        let one = Run { parallelism: Parallelism::of_threads(1), ..long.clone() };
        assert_eq!(parts(query, &one), (1, 0), "{query}");
        assert_eq!(parts(query, &Run { profile: true, ..long.clone() }), (1, 0), "{query}");
        assert_eq!(parts(query, &Run { fail_on_warning: true, ..long.clone() }), (1, 0), "{query}");
    }
    // Groups of single rows take as long to merge as to find.
    let single = "FOR d IN c COLLECT n = d.n WITH COUNT INTO k OPTIONS {method: 'hash'} RETURN [n, k]";
    let unforced = Parallelism { is_forced: false, ..EAGER };
    assert_eq!(parts(single, &Run { parallelism: unforced, ..long.clone() }).1, 0);
    assert_eq!(parts("FOR d IN c RETURN d", &long), (1, 0));
}
