use std::sync::Arc;
use std::time::{Duration, Instant};

use kv::background::BackgroundThread;
use kv::conformance::wait_until;
use kv::{BulkLoad, Durability, LoadKind, LocalStore};

use super::{MergePolicy, SMALL_TABLE_BYTES, SmallTables, TINY_TABLES_LEFT, TINY_TABLES_MAX, neighbours};
use crate::load::tables::TableLoad;
use crate::options::RocksOptions;
use crate::store::Store;

const MIB: u64 = 1 << 20;

fn groups(sizes: &[u64]) -> Vec<Vec<String>> {
    let tables = sizes.iter().enumerate().map(|(n, mebibytes)| (n.to_string(), mebibytes * MIB));
    neighbours(tables, SMALL_TABLE_BYTES)
}

fn names(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|n| n.to_string()).collect()
}

#[test]
fn small_tables_between_large_ones_are_neighbours() {
    assert!(groups(&[]).is_empty() && groups(&[1; 7]).is_empty() && groups(&[8; 100]).is_empty());
    assert_eq!(groups(&[1; 8]), [names(0..8)]);
    let sizes = [&[64][..], &[1; 9], &[8], &[1; 7], &[64], &[1; 8]].concat();
    assert_eq!(groups(&sizes), [names(1..10), names(19..27)]);
}

#[test]
fn a_step_is_bounded() {
    assert_eq!(groups(&[5; 32]), [names(0..12), names(12..24), names(24..32)]);
}

/// Opens a store with `loads` tables of one pair each.
fn loaded(loads: u32) -> (tempfile::TempDir, Arc<Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(folder.path(), &RocksOptions::default()).unwrap());
    (0..loads).for_each(|key| load(&store, key));
    (folder, store)
}

fn load(store: &Arc<Store>, key: u32) {
    let mut load = Box::new(TableLoad::new(Arc::clone(store), LoadKind::Visible).unwrap());
    load.add(&key.to_be_bytes(), b"value").unwrap();
    load.finish(Durability::Buffered).unwrap();
}

fn tables(store: &Store) -> usize {
    store.db.live_files().unwrap().len()
}

/// Merges small tables until `until` is true.
fn merge(store: &Store, policy: MergePolicy, until: impl Fn(&Store) -> bool) {
    let small = Arc::new(SmallTables::new(Arc::clone(&store.db), policy));
    small.count_loaded(tables(store), 0);
    let _merge = BackgroundThread::start("merge", small).unwrap();
    wait_until("the tables are merged", || until(store));
}

#[test]
fn what_was_loaded_is_merged_when_it_is_quiet() {
    let (_folder, store) = loaded(20);
    assert_eq!(tables(&store), 20);
    let before = store.snapshot().unwrap();
    let policy = MergePolicy { quiet: Duration::from_millis(5), tables_max: usize::MAX };
    merge(&store, policy, |store| tables(store) == 1);
    assert_eq!(tables(&store), 1);
    let keys: Vec<[u8; 4]> = (0..21_u32).map(u32::to_be_bytes).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
    for snapshot in [before, store.snapshot().unwrap()] {
        let values = snapshot.get_many(&keys).unwrap();
        assert!((0..20).all(|n| values.get(n) == Some(b"value".as_slice())) && values.get(20).is_none());
    }
}

#[test]
fn while_somebody_loads_very_many_are_merged_only() {
    let (_folder, store) = loaded(20);
    let patient = MergePolicy { quiet: Duration::from_secs(3600), tables_max: 100 };
    let start = Instant::now();
    // They would be merged in this time.
    merge(&store, patient, |_| start.elapsed() > Duration::from_millis(50));
    assert_eq!(tables(&store), 20);
    merge(&store, MergePolicy { tables_max: 20, ..patient }, |store| tables(store) == 1);
    assert_eq!(tables(&store), 1);
}

#[test]
fn an_open_load_is_waited_for() {
    let (_folder, store) = loaded(20);
    let small = Arc::new(SmallTables::new(
        Arc::clone(&store.db),
        MergePolicy { quiet: Duration::ZERO, tables_max: 100 },
    ));
    let open = small.open_load();
    let _merge = BackgroundThread::start("merge", small).unwrap();
    // They would be merged in this time.
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(tables(&store), 20);
    drop(open);
    wait_until("the tables are merged", || tables(&store) == 1);
}

#[test]
fn tiny_tables_are_merged_while_loads_run() {
    let many = TINY_TABLES_MAX as u32;
    let (_folder, store) = loaded(many);
    let patient = MergePolicy { quiet: Duration::from_secs(3600), tables_max: usize::MAX };
    let small = Arc::new(SmallTables::new(Arc::clone(&store.db), patient));
    let _open = small.open_load();
    let _merge = BackgroundThread::start("merge", Arc::clone(&small) as _).unwrap();
    small.count_loaded(TINY_TABLES_MAX - 1, TINY_TABLES_MAX - 1);
    // They would be merged in this time.
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(tables(&store), TINY_TABLES_MAX);
    small.count_loaded(1, 1);
    wait_until("the tables are merged", || tables(&store) == 1 + TINY_TABLES_LEFT);
}

#[test]
fn a_load_counts_its_tiny_tables() {
    let (_folder, store) = loaded(0);
    let mut load = Box::new(TableLoad::new(Arc::clone(&store), LoadKind::Visible).unwrap());
    load.add(b"a", b"value").unwrap();
    load.begin_run().unwrap();
    let mut random = 1_u64;
    for key in 0..20_000_u32 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        load.add(&[b"b", key.to_be_bytes().as_slice()].concat(), &random.to_be_bytes()).unwrap();
    }
    load.finish(Durability::Buffered).unwrap();
    assert_eq!((tables(&store), store.small_tables.lock().tiny), (2, 1));
}

#[test]
fn loads_continue_concurrently() {
    let (_folder, store) = loaded(0);
    let policy = MergePolicy { quiet: Duration::ZERO, tables_max: 0 };
    let small = Arc::new(SmallTables::new(Arc::clone(&store.db), policy));
    let mut background = BackgroundThread::start("merge", Arc::clone(&small) as _).unwrap();
    for key in 0..200 {
        load(&store, key);
        small.count_loaded(1, 1);
    }
    background.stop();
    let left = tables(&store);
    assert!(left < 200, "{left} tables");
    let keys: Vec<[u8; 4]> = (0..200_u32).map(u32::to_be_bytes).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
    let values = store.snapshot().unwrap().get_many(&keys).unwrap();
    assert!((0..200).all(|n| values.get(n).is_some()));
}
