//! The timestamps that snapshots and commits cost.

use std::sync::Barrier;
use std::time::Duration;

use kv::Engine;

use super::{get, open, put};
use crate::mock_cluster::{Failure, MockCluster};

/// Timestamps that the background may take during a test.
const BACKGROUND: u64 = 12;

/// A snapshot costs one timestamp, however much is read from it, and a write one more for its
/// commit.
#[test]
fn a_snapshot_costs_one_timestamp() {
    const ROUNDS: u64 = 100;
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    cluster.timestamps();
    for _ in 0..ROUNDS {
        get(&engine, "k").unwrap();
    }
    let (_, given) = cluster.timestamps();
    assert!((ROUNDS..=ROUNDS + BACKGROUND).contains(&given), "{given}");
    for _ in 0..ROUNDS {
        put(&engine, "k", "2").unwrap();
    }
    let (_, given) = cluster.timestamps();
    assert!((2 * ROUNDS..=2 * ROUNDS + BACKGROUND).contains(&given), "{given}");
}

/// Snapshots that begin while a message is on its way share the next one.
#[test]
fn snapshots_that_begin_together_share_a_message() {
    const READERS: usize = 48;
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    cluster.fail("Tso", Failure::Slow(Duration::from_millis(20)), usize::MAX);
    cluster.timestamps();
    let together = Barrier::new(READERS);
    std::thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                together.wait();
                engine.snapshot().unwrap();
            });
        }
    });
    let (messages, given) = cluster.timestamps();
    assert!(given >= READERS as u64);
    assert!(messages <= READERS as u64 / 4, "{messages} messages for {given} timestamps");
}
