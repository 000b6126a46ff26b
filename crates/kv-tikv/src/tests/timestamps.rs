//! The timestamps that snapshots and commits cost.

use std::sync::Barrier;
use std::time::Duration;

use kv::{Durability, Engine, Error, TIMESTAMPS_MAX, TransactionOptions};

use super::{get, open, put};
use crate::mock_cluster::{Failure, MockCluster};

/// Returns the timestamps that one run of `work` takes: the least of many runs, because the
/// background takes some as well.
fn cost(cluster: &MockCluster, work: impl Fn(u32)) -> u64 {
    let costs = (0..50).map(|run| {
        cluster.timestamps();
        work(run);
        let (_, given) = cluster.timestamps();
        given
    });
    costs.min().unwrap()
}

/// A snapshot costs one timestamp, however much is read from it, and a write one more for its
/// commit.
#[test]
fn a_snapshot_costs_one_timestamp() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    assert_eq!(cost(&cluster, |_| drop(get(&engine, "k"))), 1);
    assert_eq!(cost(&cluster, |_| put(&engine, "k", "2").unwrap()), 2);
    // The same if the keys of the commit are in two regions. A key that an earlier run has written
    // may still be locked.
    cluster.split(b"persea/dm");
    let in_two_regions = |run: u32| {
        let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
        transaction.put(format!("k{run}").as_bytes(), b"3").unwrap();
        transaction.put(format!("z{run}").as_bytes(), b"3").unwrap();
        transaction.commit(Durability::Buffered).unwrap();
    };
    assert_eq!(cost(&cluster, in_two_regions), 2);
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

/// Nobody gets a timestamp that another one has, however many each takes at once.
#[test]
fn timestamps_that_are_taken_together_follow_one_another() {
    const TAKERS: u32 = 16;
    let cluster = MockCluster::new();
    let engines = [open(&cluster), open(&cluster)];
    cluster.fail("Tso", Failure::Slow(Duration::from_millis(5)), usize::MAX);
    let together = Barrier::new(TAKERS as usize);
    let mut taken: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let take = |i: u32| {
            let (engine, together) = (&engines[i as usize % 2], &together);
            scope.spawn(move || {
                let sharing = engine.sharing().unwrap();
                together.wait();
                let before = sharing.timestamps(1).unwrap();
                let counts = [1, 3 * i + 1, 6_000];
                let taken = counts.map(|count| (sharing.timestamps(count).unwrap(), u64::from(count)));
                let after = sharing.timestamps(1).unwrap();
                assert!(taken.iter().all(|(first, count)| before < *first && first + count <= after));
                taken
            })
        };
        let takers: Vec<_> = (0..TAKERS).map(take).collect();
        takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect()
    });
    taken.sort_unstable();
    assert!(taken.is_sorted_by(|left, right| left.0 + left.1 <= right.0), "{taken:?}");
    let sharing = engines[0].sharing().unwrap();
    for count in [0, TIMESTAMPS_MAX + 1] {
        assert!(matches!(sharing.timestamps(count), Err(Error::Misuse { .. })));
    }
    sharing.timestamps(TIMESTAMPS_MAX).unwrap();
}
