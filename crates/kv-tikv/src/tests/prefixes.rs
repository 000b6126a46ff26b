//! Many short ranges, and the messages that they take.

use std::sync::Arc;
use std::time::Duration;

use kv::conformance::wait_until;
use kv::{Block, BlockLimits, Durability, Engine, LoadHint, LoadKind, PrefixScan};

use super::{OTHERS, least_traffic, open, split_at};
use crate::TikvEngine;
use crate::mock_cluster::MockCluster;
use crate::read::prefix_scan::{AHEAD_BYTES, AHEAD_MAX};

const RANGES: usize = 600;
const ROWS: usize = 5;

fn prefix(range: usize) -> Vec<u8> {
    format!("r{range:04}/").into()
}

/// Opens a store with ranges over ten regions.
fn store(value_bytes: usize) -> (Arc<MockCluster>, Arc<TikvEngine>) {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: RANGES * ROWS }).unwrap();
    for range in 0..RANGES {
        for row in 0..ROWS {
            load.add(&[prefix(range), vec![b'0' + row as u8]].concat(), &vec![7; value_bytes]).unwrap();
        }
    }
    load.finish(Durability::Buffered).unwrap();
    wait_until("the locks are removed", || cluster.locks() == 0);
    (1..10).for_each(|region| split_at(&cluster, &format!("r{:04}", region * RANGES / 10)));
    (cluster, engine)
}

fn read(scan: &mut dyn PrefixScan, range: usize) {
    let mut block = Block::new();
    let limits = BlockLimits { rows: 1000, bytes: 1 << 20 };
    assert!(!scan.read(&prefix(range), None, limits, &mut block).unwrap());
    assert_eq!(block.len(), ROWS);
}

fn prefetch(scan: &mut dyn PrefixScan, ranges: std::ops::Range<usize>) {
    let prefixes: Vec<Vec<u8>> = ranges.map(prefix).collect();
    scan.prefetch(&prefixes.iter().map(Vec::as_slice).collect::<Vec<_>>());
}

/// A reader that prefetches its ranges waits for many of them together.
#[test]
fn prefetched_ranges_are_fetched_concurrently() {
    let (cluster, engine) = store(100);
    cluster.delay(Duration::from_millis(1));
    let traffic_of = |window: usize| {
        let snapshot = engine.snapshot().unwrap();
        least_traffic(&cluster, || {
            let mut scan = snapshot.prefix_scan().unwrap();
            for range in 0..RANGES {
                if range % window.max(1) == 0 {
                    prefetch(&mut *scan, range..(range + window).min(RANGES));
                }
                read(&mut *scan, range);
            }
        })
    };
    // The client learns the regions.
    traffic_of(0);
    let (one_by_one, at_once) = (traffic_of(0), traffic_of(AHEAD_MAX));
    assert!(one_by_one.most_at_once <= 1 + OTHERS, "{one_by_one:?}");
    assert!((RANGES..=RANGES + 10).contains(&at_once.messages), "{at_once:?}");
    assert!((AHEAD_MAX / 2..=AHEAD_MAX + OTHERS).contains(&at_once.most_at_once), "{at_once:?}");
}

/// A prefetch of more ranges, or of longer ones, than fit fetches only the first of them.
#[test]
fn prefetched_ranges_take_bounded_memory() {
    let (cluster, engine) = store(8 << 10);
    let snapshot = engine.snapshot().unwrap();
    let mut scan = snapshot.prefix_scan().unwrap();
    // The reader learns the size of pairs.
    read(&mut *scan, 0);
    cluster.traffic();
    prefetch(&mut *scan, 1..RANGES);
    // All that is fetched arrives in this time.
    std::thread::sleep(Duration::from_millis(200));
    let traffic = cluster.traffic();
    assert!(traffic.messages >= 2 && traffic.reply_bytes <= AHEAD_BYTES, "{traffic:?}");
    (1..5).for_each(|range| read(&mut *scan, range));
    assert!(cluster.traffic().messages <= 4 + 2);
    scan.release();
    prefetch(&mut *scan, 5..RANGES);
    (5..RANGES).for_each(|range| read(&mut *scan, range));
}
