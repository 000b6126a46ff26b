//! Scans over many regions, and the messages that they take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kv::conformance::wait_until;
use kv::{BlockLimits, Durability, Engine, KeyRange, LoadHint, LoadKind, Scan, ScanSpec};

use super::{OTHERS, get, get_in, least_traffic, open, split_at};
use crate::TikvEngine;
use crate::mock_cluster::MockCluster;
use crate::read::read_ahead::{AHEAD_BYTES, PARTS_MAX};

fn key(number: usize) -> String {
    format!("k{number:06}")
}

fn load(cluster: &MockCluster, engine: &TikvEngine, pairs: usize, value_bytes: usize) {
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs }).unwrap();
    let value = vec![7; value_bytes];
    for number in 0..pairs {
        load.add(key(number).as_bytes(), &value).unwrap();
    }
    load.finish(Durability::Buffered).unwrap();
    // The locks of the load are removed behind its back.
    wait_until("the locks are removed", || cluster.locks() == 0);
}

/// Reads a scan to its end and returns the number of pairs.
fn count(scan: &mut dyn Scan, rows: usize) -> usize {
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows, bytes: 1 << 20 }).unwrap() {
        count += block.len();
    }
    count
}

/// A long scan reads several regions concurrently; one without the hint reads one after another.
#[test]
fn a_long_scan_reads_several_regions_concurrently() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    load(&cluster, &engine, 4000, 100);
    (1..40).for_each(|region| split_at(&cluster, &key(region * 100)));
    cluster.delay(Duration::from_millis(2));
    let traffic_of = |spec: ScanSpec| {
        let snapshot = engine.snapshot().unwrap();
        least_traffic(&cluster, || assert_eq!(count(&mut *snapshot.scan(spec.clone()).unwrap(), 1000), 4000))
    };
    let forward = ScanSpec::forward(KeyRange::all());
    // The client learns the regions.
    traffic_of(forward.clone());
    let one_by_one = traffic_of(forward.clone());
    let at_once = traffic_of(forward.clone().sequential());
    let keys_only = traffic_of(forward.keys_only().sequential());
    assert!(one_by_one.most_at_once < PARTS_MAX);
    for traffic in [at_once, keys_only] {
        assert!((PARTS_MAX..=PARTS_MAX + OTHERS).contains(&traffic.most_at_once), "{traffic:?}");
        assert!(traffic.messages <= one_by_one.messages + 1 + OTHERS);
    }
}

/// A scan whose reader pauses holds a bounded number of bytes.
#[test]
fn a_scan_holds_little_ahead_of_its_reader() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    const VALUE_BYTES: usize = 100_000;
    load(&cluster, &engine, 1200, VALUE_BYTES);
    (1..12).for_each(|region| split_at(&cluster, &key(region * 100)));
    let snapshot = engine.snapshot().unwrap();
    cluster.traffic();
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all()).sequential()).unwrap();
    let (mut arrived, mut read, mut most_held) = (0, 0, 0);
    while let Some(block) = scan.next_block(BlockLimits { rows: 20, bytes: 4 << 20 }).unwrap() {
        // The pause of the reader, in which more arrives.
        std::thread::sleep(Duration::from_millis(5));
        arrived += cluster.traffic().reply_bytes;
        read += block.size_bytes();
        most_held = most_held.max(arrived.saturating_sub(read));
    }
    assert_eq!(read, 1200 * (VALUE_BYTES + 7));
    // The page that is being read comes on top.
    let page = AHEAD_BYTES / PARTS_MAX;
    assert!(most_held <= AHEAD_BYTES + page + (1 << 20), "{most_held} bytes");
    assert!(most_held > 2 * page, "{most_held} bytes: nothing was read ahead");
}

/// The first block of a long scan takes one small page, and does not wait for the second.
#[test]
fn the_first_block_takes_one_small_page() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    load(&cluster, &engine, 4000, 1000);
    let snapshot = engine.snapshot().unwrap();
    cluster.delay(Duration::from_millis(20));
    let traffic = least_traffic(&cluster, || {
        let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all()).sequential()).unwrap();
        let block = scan.next_block(BlockLimits { rows: 10, bytes: 1 << 20 }).unwrap().unwrap();
        assert_eq!(block.len(), 10);
    });
    // The second page is on its way already.
    assert!(traffic.messages <= 2 + OTHERS && traffic.reply_bytes < 2 * 10 * 1200, "{traffic:?}");
}

/// Scans of any kind return the same pairs as a map, whatever happens to regions during them.
#[test]
fn scans_are_right_while_regions_change() {
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let cluster = MockCluster::new();
        let engine = open(&cluster);
        let pairs = random.usize(0..3000);
        load(&cluster, &engine, pairs, random.usize(0..60));
        for _ in 0..random.usize(0..30) {
            split_at(&cluster, &key(random.usize(0..3000)));
        }
        cluster.fail_at_random([0, 20, 6][random.usize(0..3)]);
        let snapshot = engine.snapshot().unwrap();
        for _ in 0..4 {
            check_scan(&mut random, &cluster, &*snapshot, pairs);
        }
    }
}

fn check_scan(
    random: &mut fastrand::Rng,
    cluster: &Arc<MockCluster>,
    snapshot: &dyn kv::Snapshot,
    pairs: usize,
) {
    let mut range = KeyRange::all();
    if random.bool() {
        range.start = key(random.usize(0..3000)).into();
    }
    if random.bool() {
        range.end = key(random.usize(0..3000)).into();
    }
    let spec = ScanSpec {
        range,
        reverse: random.u8(0..4) == 0,
        keys_only: random.u8(0..4) == 0,
        sequential: random.u8(0..4) > 0,
        repeated: random.bool(),
        part_of: random.bool().then(KeyRange::all),
    };
    let present: BTreeMap<Vec<u8>, ()> = (0..pairs).map(|number| (key(number).into(), ())).collect();
    let mut expected: Vec<Vec<u8>> =
        present.into_keys().filter(|key| !spec.range.is_empty() && spec.range.contains(key)).collect();
    if spec.reverse {
        expected.reverse();
    }
    let mut scan = snapshot.scan(spec.clone()).unwrap();
    let mut at = 0;
    loop {
        let limits = BlockLimits { rows: random.usize(1..700), bytes: 1 << 20 };
        let block = scan.next_block(limits).unwrap_or_else(|error| panic!("{spec:?}: {error}"));
        let Some(block) = block else { break };
        for (key, value) in block.iter() {
            assert_eq!(Some(key), expected.get(at).map(Vec::as_slice), "{spec:?}");
            assert!(value.iter().all(|byte| *byte == 7) && (!spec.keys_only || value.is_empty()));
            at += 1;
        }
        match random.u8(0..12) {
            0 => scan.release(),
            1 => {
                at = random.usize(0..at);
                scan.rewind(&expected[at]);
            }
            2 => cluster.move_leaders(),
            3 => split_at(cluster, &key(random.usize(0..3000))),
            4 => cluster.merge_at(random.usize(0..40)),
            _ => {}
        }
    }
    assert_eq!(at, expected.len(), "{spec:?}");
}

/// The keys of a range are removed in large pages, not one by one.
#[test]
fn a_dropped_range_costs_few_messages() {
    const KEYS: usize = 20_000;
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    load(&cluster, &engine, KEYS, 8);
    let before = engine.snapshot().unwrap();
    cluster.traffic();
    engine.drop_range(&KeyRange::prefix(b"k")).unwrap();
    let sent = cluster.traffic().messages;
    assert!(sent <= KEYS / 200, "{sent} messages");
    assert_eq!((get(&engine, &key(0)), get(&engine, &key(KEYS - 1))), (None, None));
    assert!(get_in(&*before, &key(KEYS - 1)).is_ok_and(|value| value.is_some()));
}
