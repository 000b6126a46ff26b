//! Edge collections that are created to be loaded, whose edge index is built after their documents.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use catalog::collection::CollectionProperties;
use catalog::{CollectionType, IndexType, SYSTEM_DATABASE};
use errors::{Error, Result};
use storage::{
    BlockLimits, Collection, EdgeDirection, LoadOutcome, Snapshot, Store, StoreOptions, TransactionOptions,
    WriteOptions,
};
use test_engine::{Death, WrappedEngine};
use velocypack::Slice;

use crate::common::*;

const READ: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

fn create_to_load(store: &Store) -> Arc<Collection> {
    let properties = CollectionProperties::new("c", CollectionType::Edge);
    store.create_collection_to_load(SYSTEM_DATABASE, properties).unwrap()
}

fn build(store: &Store) -> Result<()> {
    store.build_edge_index(&present(store, "c"), &|| Ok(()))
}

fn edge(n: usize) -> String {
    format!(r#"{{"_key": "{n:06}", "_from": "v/{}", "_to": "v/{}", "n": {n}}}"#, n * 7919 % 500, n % 31)
}

fn load(store: &Store, numbers: Range<usize>) -> LoadOutcome {
    let options = WriteOptions { is_restore: true, ..WriteOptions::default() };
    let mut load = store.load_documents(&present(store, "c"), &options, LOAD_WAIT).unwrap().unwrap();
    numbers.for_each(|n| load.add(Slice::new(&value(&edge(n)))).unwrap());
    load.finish().unwrap()
}

type Ends = BTreeMap<String, BTreeSet<(String, String)>>;

/// Returns the edges at each vertex from the index: key and other end.
fn by_index(snapshot: &Snapshot, direction: EdgeDirection) -> Result<Ends> {
    let c = snapshot.catalog().database(SYSTEM_DATABASE).unwrap().collection("c").unwrap();
    let vertices: Vec<String> = (0..500).map(|n| format!("v/{n}")).collect();
    let names: Vec<&str> = vertices.iter().map(String::as_str).collect();
    let mut scan = snapshot.edges(c, direction, &names)?;
    let mut ends = Ends::new();
    while let Some(found) = scan.next_block(READ)? {
        let at = ends.entry(vertices[found.vertex()].clone()).or_default();
        for entry in found.iter() {
            let entry = entry?;
            assert!(
                at.insert((entry.key.to_owned(), entry.other_vertex.to_owned())),
                "the index has an entry twice"
            );
        }
    }
    Ok(ends)
}

/// Returns the same edges from the documents.
fn by_documents(snapshot: &Snapshot, direction: EdgeDirection) -> Ends {
    let c = snapshot.catalog().database(SYSTEM_DATABASE).unwrap().collection("c").unwrap();
    let mut ends = Ends::new();
    for document in all(snapshot, c) {
        let text = |name: &str| document[name].as_str().unwrap().to_owned();
        let (own, other) = match direction {
            EdgeDirection::Outbound => ("_from", "_to"),
            EdgeDirection::Inbound => ("_to", "_from"),
        };
        ends.entry(text(own)).or_default().insert((text("_key"), text(other)));
    }
    ends
}

fn check_index(store: &Store, documents: u64) {
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.count(&present(store, "c")).unwrap(), documents);
    for direction in [EdgeDirection::Outbound, EdgeDirection::Inbound] {
        assert_eq!(by_index(&snapshot, direction).unwrap(), by_documents(&snapshot, direction));
    }
}

#[test]
fn the_index_has_what_was_loaded_and_written_before_and_after() {
    let store = store();
    let c = create_to_load(&store);
    assert!(c.lacks_edge_index());
    assert_eq!(load(&store, 0..100), LoadOutcome::Loaded);
    insert(&store, &c, &edge(200)).unwrap();
    update(&store, &c, "000007", r#"{"_to": "v/77"}"#).unwrap();
    remove(&store, &c, "000008").unwrap();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"]}"#).unwrap();
    let before = store.snapshot().unwrap();
    build(&store).unwrap();
    check_index(&store, 100);
    let types: Vec<_> = present(&store, "c").indexes().iter().map(|index| index.index_type()).collect();
    assert_eq!(types, [IndexType::Primary, IndexType::Edge, IndexType::Persistent]);
    let error = by_index(&before, EdgeDirection::Outbound).unwrap_err();
    assert!(error.number() == 1200 && error.is_retryable(), "{error}");
    assert_eq!(load(&store, 300..400), LoadOutcome::Loaded);
    insert(&store, &c, &edge(500)).unwrap();
    remove(&store, &c, "000009").unwrap();
    check_index(&store, 200);
    build(&store).unwrap();
    check_index(&store, 200);
}

/// The collection is large enough for several threads, and for runs in files.
#[test]
fn many_edges_are_sorted_by_threads_outside_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let other = engine_in(&folder.path().join("engine"));
    for engine in [engine(), other] {
        let options = StoreOptions { sort_budget_bytes: 200_000, ..options() };
        let store = Store::open(Arc::clone(&engine), options).unwrap();
        create_to_load(&store);
        for start in (0..30_000).step_by(5_000) {
            assert_eq!(load(&store, start..start + 5_000), LoadOutcome::Loaded);
        }
        build(&store).unwrap();
        check_index(&store, 30_000);
        let estimate = present(&store, "c").edge_index().unwrap().selectivity_estimate().unwrap();
        let exact = f64::from(500 + 31) / 60_000.0;
        assert!((estimate / exact - 1.0).abs() < 0.2, "{estimate} instead of {exact}");
        drop(store);
        check_index(&open(&engine), 30_000);
    }
}

#[test]
fn the_requester_can_end_it() {
    let store = store();
    create_to_load(&store);
    load(&store, 0..25_000);
    let asked = AtomicUsize::new(0);
    let rising = std::iter::successors(Some(0), |allowed| Some(allowed + allowed / 4 + 1));
    for allowed in rising {
        asked.store(0, Ordering::Relaxed);
        let check = || match asked.fetch_add(1, Ordering::Relaxed) < allowed {
            true => Ok(()),
            false => Err(Error::killed()),
        };
        match store.build_edge_index(&present(&store, "c"), &check) {
            Ok(()) => {
                assert!(allowed > 10, "the build made at most {allowed} checks");
                break;
            }
            Err(error) => assert_eq!(error.number(), 1500),
        }
        assert!(present(&store, "c").lacks_edge_index());
    }
    check_index(&store, 25_000);
}

#[test]
fn a_wait_for_a_writer_can_be_ended() {
    let store = store();
    let c = create_to_load(&store);
    load(&store, 0..10);
    let exclusive = TransactionOptions { exclusive: vec![c], ..TransactionOptions::default() };
    let writer = store.begin(&exclusive).unwrap();
    let start = Instant::now();
    let check = || match start.elapsed() < Duration::from_millis(100) {
        true => Ok(()),
        false => Err(Error::killed()),
    };
    let error = store.build_edge_index(&present(&store, "c"), &check).unwrap_err();
    assert_eq!(error.number(), 1500);
    drop(writer);
    build(&store).unwrap();
    check_index(&store, 10);
}

#[test]
fn loads_continue_while_it_is_built() {
    let store = store();
    create_to_load(&store);
    std::thread::scope(|scope| {
        let loads = scope.spawn(|| {
            for start in (0..2_000).step_by(50) {
                while store
                    .load_documents(&present(&store, "c"), &WriteOptions::default(), LOAD_WAIT)
                    .unwrap()
                    .is_none()
                {}
                assert_eq!(load(&store, start..start + 50), LoadOutcome::Loaded);
            }
        });
        // The index is built concurrently with a load of either kind.
        std::thread::sleep(Duration::from_millis(2));
        build(&store).unwrap();
        loads.join().unwrap();
    });
    check_index(&store, 2_000);
}

#[test]
fn a_crash_leaves_the_whole_index_or_none() {
    let mut finished = 0;
    for (changes, death) in (0..8).flat_map(|n| [(n, Death::Before), (n, Death::After)]) {
        let engine = engine();
        let store = open(&engine);
        create_to_load(&store);
        load(&store, 0..100);
        drop(store);
        let dying = Arc::new(WrappedEngine::new(Arc::clone(&engine)).dying_after(changes, death));
        let built = Store::open(Arc::clone(&dying) as Arc<dyn kv::Engine>, options());
        let built = built.and_then(|store| build(&store));
        assert_eq!(built.is_err(), dying.is_dead());
        let store = open(&engine);
        if built.is_ok() {
            finished += 1;
            assert!(!present(&store, "c").lacks_edge_index());
        }
        build(&store).unwrap();
        check_index(&store, 100);
    }
    assert!((1..16).contains(&finished), "{finished} of 16 builds finished");
}
