//! Dirty reads, which all replicas answer.

use std::time::{Duration, Instant};

use kv::conformance::wait_until;
use kv::{BlockLimits, Engine, KeyRange, ScanSpec};

use super::{LONG_LEASE, get, get_in, open, open_with, options, put, split};
use crate::mock_cluster::{Failure, MockCluster};
use crate::{TikvEngine, TikvOptions};

/// Opens a store whose dirty reads read the past.
fn open_aged(cluster: &std::sync::Arc<MockCluster>, age: Duration) -> std::sync::Arc<TikvEngine> {
    open_with(cluster, &TikvOptions { lease: LONG_LEASE, dirty_read_age: age, ..options() })
}

fn get_dirty(engine: &TikvEngine, key: &str) -> Option<String> {
    get_in(&*engine.replica_snapshot(0).unwrap(), key).unwrap()
}

/// All stores answer dirty reads of one region, and they see the last commit.
#[test]
fn dirty_reads_are_spread_over_the_replicas() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    cluster.reads();
    for _ in 0..10 {
        assert_eq!(get(&engine, "k").as_deref(), Some("1"));
    }
    assert_eq!(cluster.reads().keys().copied().collect::<Vec<_>>(), [1], "others are read at the leader");
    for round in 0..60 {
        let value = round.to_string();
        put(&engine, "k", &value).unwrap();
        assert_eq!(get_dirty(&engine, "k"), Some(value));
    }
    assert_eq!(cluster.reads().len(), 3);
}

/// Replicas that are added to a region get dirty reads within minutes.
#[test]
fn new_replicas_are_found() {
    let cluster = MockCluster::new();
    cluster.set_replicas(1);
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    let stores = || {
        cluster.reads();
        for _ in 0..20 {
            assert_eq!(get_dirty(&engine, "k").as_deref(), Some("1"));
        }
        cluster.reads().len()
    };
    assert_eq!(stores(), 1);
    cluster.set_replicas(3);
    assert_eq!(stores(), 1, "no store says that there are more");
    cluster.pass(100_000);
    wait_until("the new replicas are found", || stores() == 3);
}

/// Dirty reads of the past show one state, in lookups and scans alike. They need neither PD nor,
/// once it has stopped, the leader of a region.
#[test]
fn dirty_reads_of_the_past_need_no_leader() {
    let cluster = MockCluster::with_elections(1);
    let engine = open_aged(&cluster, Duration::from_secs(5));
    split(&cluster);
    for key in ["a", "c", "k1", "z"] {
        put(&engine, key, "old").unwrap();
    }
    cluster.pass(10_000);
    // The client learns the time and the regions.
    assert_eq!(get(&engine, "a").as_deref(), Some("old"));
    for key in ["a", "c", "k1", "z"] {
        put(&engine, key, "new").unwrap();
    }
    cluster.timestamps();
    assert_eq!(get_dirty(&engine, "a").as_deref(), Some("old"));
    for store in 1..=2 {
        cluster.stop_store(store);
    }
    let begin = Instant::now();
    let snapshot = engine.replica_snapshot(0).unwrap();
    for key in ["a", "c", "k1", "z"] {
        assert_eq!(get_in(&*snapshot, key).unwrap().as_deref(), Some("old"), "{key}");
    }
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).unwrap();
    let mut values = Vec::new();
    while let Some(block) = scan.next_block(BlockLimits { rows: 100, bytes: 1 << 20 }).unwrap() {
        values.extend((0..block.len()).map(|row| block.value(row).to_vec()));
    }
    assert_eq!(values, vec![b"old".to_vec(); 4]);
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}

/// Replicas that lack commits are passed by: the leader answers.
#[test]
fn replicas_that_are_behind_are_passed_by() {
    let cluster = MockCluster::new();
    let engine = open_aged(&cluster, Duration::from_secs(5));
    put(&engine, "k", "1").unwrap();
    cluster.pass(10_000);
    assert_eq!(get(&engine, "k").as_deref(), Some("1"));
    cluster.set_replicas_behind(30_000);
    cluster.reads();
    for _ in 0..20 {
        assert_eq!(get_dirty(&engine, "k").as_deref(), Some("1"));
    }
    assert_eq!(cluster.reads().keys().copied().collect::<Vec<_>>(), [1]);
    let counters = engine.statistics().counters;
    let missed = counters.iter().find(|(name, _)| name == "tikv.replica-reads-missed").unwrap().1;
    assert!((1..=4).contains(&missed), "{missed} messages in vain");
}

/// While a region has no leader, dirty reads go back to the state that its replicas have. Later
/// ones see the present again.
#[test]
fn dirty_reads_of_the_present_go_back_while_there_is_no_leader() {
    let cluster = MockCluster::with_elections(8);
    let engine = open_with(&cluster, &TikvOptions { lease: Duration::from_secs(30), ..options() });
    cluster.set_replicas_behind(500);
    put(&engine, "k", "1").unwrap();
    cluster.pass(1_000);
    assert_eq!(get(&engine, "k").as_deref(), Some("1"));
    cluster.stop_store(1);
    std::thread::scope(|scope| {
        // The first read waits for the leader, and finds out.
        let first = scope.spawn(|| get_dirty(&engine, "k"));
        wait_until("the replicas have told their state", || {
            engine.store().unwrap().shared.client.replicas.ceiling().is_some()
        });
        let slow = (0..10).filter(|_| {
            let begin = Instant::now();
            assert_eq!(get_dirty(&engine, "k").as_deref(), Some("1"));
            begin.elapsed() > Duration::from_secs(1)
        });
        // A store that does not answer is found out again, which takes a second.
        let slow = slow.count();
        assert!(slow <= 3, "{slow} of 10 reads have waited");
        assert_eq!(first.join().unwrap().as_deref(), Some("1"));
    });
    put(&engine, "k", "2").unwrap();
    wait_until("dirty reads are of the present", || get_dirty(&engine, "k").as_deref() == Some("2"));
}

/// A dirty read is never older than its caller demands, nor than what the cluster keeps.
#[test]
fn dirty_reads_are_bounded() {
    let cluster = MockCluster::new();
    let options =
        TikvOptions { dirty_read_age: Duration::from_secs(20), lease: Duration::from_secs(3), ..options() };
    let engine = open_with(&cluster, &options);
    put(&engine, "k", "1").unwrap();
    let present = engine.snapshot().unwrap().version();
    assert_eq!(get_dirty(&engine, "k"), None);
    let snapshot = engine.replica_snapshot(present).unwrap();
    assert_eq!(snapshot.version(), present);
    assert_eq!(get_in(&*snapshot, "k").unwrap().as_deref(), Some("1"));
    drop(snapshot);
    wait_until("PD keeps what dirty reads may read", || {
        cluster.oldest_kept().is_some_and(|kept| kept < present)
    });
    cluster.forget_old_versions();
    wait_until("the engine knows", || engine.replica_snapshot(0).unwrap().version() > present);
    assert_eq!(get_dirty(&engine, "k").as_deref(), Some("1"));
}

/// A follower without a reply costs one message.
#[test]
fn silent_replicas_are_passed_by() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    cluster.fail("KvGet", Failure::Unreachable, 3);
    for _ in 0..10 {
        assert_eq!(get_dirty(&engine, "k").as_deref(), Some("1"));
    }
}
