//! Loads beside other servers.

use std::time::Duration;

use kv::{BulkLoad, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, Snapshot};

use super::*;

/// The keys of the store at which it is divided are among these.
fn key(number: usize) -> String {
    format!("k{number:04}")
}

fn pairs(snapshot: &dyn Snapshot) -> usize {
    let mut scan = snapshot.scan(kv::ScanSpec::forward(KeyRange::prefix(b"k"))).unwrap();
    let limits = kv::BlockLimits { rows: 1000, bytes: 1 << 20 };
    let mut pairs = 0;
    while let Some(block) = scan.next_block(limits).unwrap() {
        pairs += block.len();
    }
    pairs
}

/// Adds pairs of this size whose keys must be absent.
fn add_absent(load: &mut dyn BulkLoad, count: usize, value_bytes: usize) {
    let value = vec![7; value_bytes];
    (0..count).for_each(|number| load.add_absent(key(number).as_bytes(), &value).unwrap());
}

/// A key that another server has written in the meantime is found, and nothing of the load is left:
/// in one region, in several, and in more parts than one.
#[test]
fn a_load_of_absent_keys_conflicts_with_a_present_one() {
    for (count, value_bytes) in [(10, 10), (1_000, 100), (40, 1 << 20)] {
        let cluster = MockCluster::new();
        split(&cluster);
        let (left, right) = (open(&cluster), open(&cluster));
        let taken = key(count - 1);
        let mut load = left.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
        let half = left.snapshot().unwrap();
        put(&right, &taken, "other").unwrap();
        let value = vec![7; value_bytes];
        let added = (0..count).try_for_each(|number| load.add_absent(key(number).as_bytes(), &value));
        let finished = added.and_then(|()| load.finish(Durability::Buffered));
        assert_eq!(finished, Err(Error::Conflict), "{count} pairs of {value_bytes} bytes");
        assert_eq!((get(&right, &taken).as_deref(), pairs(&*right.snapshot().unwrap())), (Some("other"), 1));
        assert_eq!(pairs(&*half), 0);
        // Keys that were removed are absent.
        let mut transaction = begin(&right);
        transaction.delete(taken.as_bytes()).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
        let mut load = left.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
        add_absent(load.as_mut(), count, value_bytes);
        load.finish(Durability::Buffered).unwrap();
        assert_eq!(pairs(&*right.snapshot().unwrap()), count);
    }
}

/// A transaction that writes a loaded key conflicts, whichever of the two comes first.
#[test]
fn a_load_and_a_transaction_exclude_each_other() {
    let cluster = MockCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    let mut transaction = begin(&right);
    transaction.put(key(3).as_bytes(), b"other").unwrap();
    let mut load = left.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    add_absent(load.as_mut(), 10, 10);
    load.finish(Durability::Buffered).unwrap();
    assert_eq!(transaction.commit(Durability::Buffered), Err(Error::Conflict));
    assert_eq!(pairs(&*right.snapshot().unwrap()), 10);
}

/// Nobody can see that a private load is in progress, so each pair is written once, without a lock,
/// and many messages are in flight.
#[test]
fn a_private_load_costs_one_message_for_each_batch() {
    const PAIRS: usize = 2_000;
    const BYTES: usize = 10_000;
    let cluster = MockCluster::new();
    split(&cluster);
    cluster.delay(Duration::from_millis(2));
    let (left, right) = (open(&cluster), open(&cluster));
    let value = vec![7; BYTES];
    let mut load = left.load(LoadKind::Private, LoadHint::Sorted { pairs: PAIRS }).unwrap();
    cluster.traffic();
    for number in 0..PAIRS {
        load.add(key(number).as_bytes(), &value).unwrap();
        if number == PAIRS / 2 {
            split_at(&cluster, &key(PAIRS * 3 / 4));
        }
    }
    load.finish(Durability::Buffered).unwrap();
    let traffic = cluster.traffic();
    // 40 batches of 512 KiB, the rests of parts and regions, and those that met the split. Two
    // phases would cost at least twice as many.
    assert!(traffic.messages < 80, "{traffic:?}");
    assert!(traffic.most_at_once >= 6, "{traffic:?}");
    assert_eq!((cluster.locks(), pairs(&*right.snapshot().unwrap())), (0, PAIRS));
}

/// A lost message is repeated, and an error ends the load.
#[test]
fn a_private_load_has_all_pairs_or_an_error() {
    const PAIRS: usize = 3_000;
    for one_phase in [true, false] {
        let cluster = MockCluster::new();
        split(&cluster);
        let left = open_with(&cluster, &TikvOptions { lease: LONG_LEASE, one_phase, ..options() });
        cluster.fail_at_random(5);
        let mut load = left.load(LoadKind::Private, LoadHint::Sorted { pairs: PAIRS }).unwrap();
        let value = vec![7; 4_000];
        (0..PAIRS).for_each(|number| load.add(key(number).as_bytes(), &value).unwrap());
        load.finish(Durability::Buffered).unwrap();
        cluster.fail_at_random(0);
        assert_eq!(pairs(&*left.snapshot().unwrap()), PAIRS);
    }
    let cluster = MockCluster::new();
    let route = Route::to(&cluster);
    let timeout = Duration::from_millis(200);
    let left = TikvEngine::over(Arc::clone(&route) as _, &TikvOptions { timeout, ..options() }).unwrap();
    let mut load = left.load(LoadKind::Private, LoadHint::Scattered).unwrap();
    load.add(b"k", b"value").unwrap();
    route.cut();
    assert!(load.finish(Durability::Buffered).is_err());
}
