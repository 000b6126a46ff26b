//! Messages that fail, leaders that move, servers that die in the middle of a commit.

use std::time::Duration;

use kv::conformance::wait_until;
use kv::{BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, ScanSpec};

use super::{begin, commit_in_doubt, get, get_in, open, open_with, options, put, split};
use crate::mock_cluster::{Failure, MockCluster};
use crate::{TikvEngine, TikvOptions};

/// Splits and moves of leaders go unnoticed.
#[test]
fn regions_move_unnoticed() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    for i in 0..200 {
        put(&engine, &format!("k{i:03}"), &i.to_string()).unwrap();
        match i % 20 {
            7 => cluster.split(format!("persea/dk{i:03}").as_bytes()),
            13 => cluster.move_leaders(),
            _ => {}
        }
    }
    cluster.move_leaders();
    cluster.split(b"persea/dk111x");
    let snapshot = engine.snapshot().unwrap();
    for reverse in [false, true] {
        let spec = ScanSpec { reverse, ..ScanSpec::forward(KeyRange::all()) };
        let mut scan = snapshot.scan(spec).unwrap();
        let mut count = 0;
        while let Some(block) = scan.next_block(BlockLimits { rows: 7, bytes: 1 << 20 }).unwrap() {
            count += block.len();
            if count == 77 {
                cluster.move_leaders();
            }
        }
        assert_eq!(count, 200);
    }
}

/// A lost reply to a commit in one phase is detected: the transaction has committed once.
#[test]
fn lost_replies_are_found_out() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    cluster.fail("KvPrewrite", Failure::LostReply, 1);
    put(&engine, "k", "1").unwrap();
    split(&cluster);
    for (method, count) in [("KvPrewrite", 2), ("KvCommit", 1), ("KvCommit", 3)] {
        cluster.fail(method, Failure::LostReply, count);
        let mut transaction = begin(&engine);
        transaction.put(b"a", b"2").unwrap();
        transaction.put(b"k", b"2").unwrap();
        transaction.commit(Durability::Buffered).unwrap();
        assert_eq!(get(&engine, "k").as_deref(), Some("2"));
    }
}

/// Without any reply to the decisive message, the outcome is undetermined, and not a conflict.
#[test]
fn silence_at_the_decisive_moment_is_undetermined() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    split(&cluster);
    put(&engine, "k", "1").unwrap();
    commit_in_doubt(&cluster, &engine);
}

/// A cluster that is not reachable is an error of its own, and nothing was written.
#[test]
fn unreachable_stores_are_unavailable() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    put(&engine, "k", "1").unwrap();
    cluster.fail("KvPrewrite", Failure::Unreachable, usize::MAX);
    assert!(matches!(put(&engine, "k", "2"), Err(Error::Unavailable { .. })));
    assert_eq!(get(&engine, "k").as_deref(), Some("1"));
}

/// A key that the cluster refuses is refused before it is written; one that is as long as possible
/// is written and read.
#[test]
fn keys_that_are_too_long_are_refused_for_good() {
    let cluster = MockCluster::new();
    let engine = open(&cluster);
    // "persea/d" precedes every key, and each eight bytes have one more in the cluster.
    let limit_bytes = 8192 / 9 * 8 - 1 - "persea/d".len();
    let longest = "k".repeat(limit_bytes);
    put(&engine, &longest, "1").unwrap();
    assert_eq!(get(&engine, &longest).as_deref(), Some("1"));
    let too_long = Error::KeyTooLong { bytes: limit_bytes + 1, limit_bytes };
    assert!(!too_long.is_retryable());
    let key = "k".repeat(limit_bytes + 1);
    let mut transaction = begin(&engine);
    for refused in [
        transaction.put(key.as_bytes(), b"1"),
        transaction.insert_unique(key.as_bytes(), b"1"),
        transaction.put_unguarded(key.as_bytes(), b"1"),
        transaction.lock(key.as_bytes()),
    ] {
        assert_eq!(refused, Err(too_long.clone()));
    }
    transaction.put(b"k", b"1").unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    let mut load = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    assert_eq!(load.add(key.as_bytes(), b"1"), Err(too_long));
}

/// Writes to a store whose disk is almost full fail at once, and succeed again when there is room.
/// In the meantime the server keeps its lease, reads, and removes, which makes room.
#[test]
fn a_full_store_refuses_writes_and_nothing_else() {
    let cluster = MockCluster::new();
    split(&cluster);
    let engine = open_with(&cluster, &TikvOptions { lease: Duration::from_secs(3), ..options() });
    for key in ["a", "k", "l", "z"] {
        put(&engine, key, "1").unwrap();
    }
    cluster.set_almost_full(true);
    assert!(matches!(put(&engine, "k", "2"), Err(Error::Full { .. })));
    assert_eq!(get(&engine, "k").as_deref(), Some("1"));
    // One region, and several.
    for keys in [&["k"][..], &["a", "z"]] {
        let mut transaction = begin(&engine);
        keys.iter().for_each(|key| transaction.delete(key.as_bytes()).unwrap());
        transaction.commit(Durability::Buffered).unwrap();
    }
    engine.drop_range(&KeyRange::prefix(b"l")).unwrap();
    engine.sharing().unwrap().acknowledge(1, &[]).unwrap();
    assert!(["a", "k", "l", "z"].iter().all(|key| get(&engine, key).is_none()));
    cluster.set_almost_full(false);
    put(&engine, "k", "2").unwrap();
}

/// The locks of a server that died before its commit go after their life; those of one that died
/// after it become its commit.
#[test]
fn locks_of_the_dead_are_resolved() {
    let cluster = MockCluster::new();
    split(&cluster);
    let (dying, other) = (open(&cluster), open(&cluster));
    let write = |value: &str| {
        let mut transaction = begin(&dying);
        transaction.put(b"a", value.as_bytes()).unwrap();
        transaction.put(b"k", value.as_bytes()).unwrap();
        transaction.commit(Durability::Buffered)
    };
    write("1").unwrap();
    // Nothing reaches the stores after the first phase.
    cluster.fail("KvCommit", Failure::Unreachable, 1000);
    cluster.fail("KvBatchRollback", Failure::Unreachable, usize::MAX);
    cluster.fail("KvTxnHeartBeat", Failure::Unreachable, usize::MAX);
    assert!(matches!(write("2"), Err(Error::Unavailable { .. } | Error::Conflict)));
    cluster.pass(60_000);
    assert_eq!(get(&other, "k").as_deref(), Some("1"));
    put(&other, "k", "3").unwrap();
    assert_eq!(get(&other, "k").as_deref(), Some("3"));
}

/// A committer that is slower than the life of its locks fails cleanly if others have resolved
/// them.
#[test]
fn a_commit_after_the_life_of_its_locks_conflicts() {
    let cluster = MockCluster::new();
    split(&cluster);
    let (slow, other) = (open(&cluster), open(&cluster));
    put(&slow, "k", "1").unwrap();
    cluster.fail("KvTxnHeartBeat", Failure::Unreachable, usize::MAX);
    cluster.fail("KvCommit", Failure::Slow(std::time::Duration::from_millis(800)), 1);
    std::thread::scope(|scope| {
        let committing = scope.spawn(|| {
            let mut transaction = begin(&slow);
            transaction.put(b"a", b"2").unwrap();
            transaction.put(b"k", b"2").unwrap();
            transaction.commit(Durability::Buffered)
        });
        // The commit is on its way then, which is slow.
        std::thread::sleep(std::time::Duration::from_millis(300));
        cluster.pass(60_000);
        assert_eq!(get(&other, "k").as_deref(), Some("1"));
        assert_eq!(get(&other, "a"), None);
        assert_eq!(committing.join().unwrap(), Err(Error::Conflict));
    });
    assert_eq!((get(&other, "a"), get(&other, "k").as_deref()), (None, Some("1")));
}

/// A snapshot older than what the cluster keeps says so. Each version of PD is asked by messages
/// that it does not call deprecated, and an old one only once by newer ones.
#[test]
fn old_snapshots_expire() {
    for is_old in [false, true] {
        let cluster = MockCluster::new();
        cluster.set_old_pd(is_old);
        let engine = open_with(&cluster, &TikvOptions { lease: Duration::from_secs(3), ..options() });
        check_old_snapshots(&cluster, &engine);
        engine.close().unwrap();
        assert!(cluster.oldest_kept().is_some(), "another server may go on with its cursors");
        cluster.pass(61_000);
        assert_eq!(cluster.oldest_kept(), None);
        assert_eq!(cluster.odd_messages_to_pd(), (usize::from(is_old), 0), "{is_old}");
    }
}

/// A PD that is replaced by a newer one is asked by its messages.
#[test]
fn an_upgraded_pd_is_noticed() {
    let cluster = MockCluster::new();
    cluster.set_old_pd(true);
    let engine = open_with(&cluster, &TikvOptions { lease: Duration::from_secs(3), ..options() });
    wait_until("PD is asked", || cluster.oldest_kept().is_some());
    cluster.stop_leader_of_pd();
    cluster.set_old_pd(false);
    put(&engine, "k", "1").unwrap();
    let deprecated = || cluster.odd_messages_to_pd().1;
    let newer = cluster.oldest_kept();
    wait_until("the next round", || cluster.oldest_kept() > newer);
    let before = deprecated();
    let newer = cluster.oldest_kept();
    wait_until("one more round", || cluster.oldest_kept() > newer);
    assert_eq!(deprecated(), before);
}

fn check_old_snapshots(cluster: &MockCluster, engine: &TikvEngine) {
    put(engine, "k", "1").unwrap();
    let snapshot = engine.snapshot().unwrap();
    let held = snapshot.version();
    wait_until("PD keeps the oldest snapshot", || cluster.oldest_kept().is_some_and(|kept| kept <= held));
    assert_eq!(get_in(&*snapshot, "k"), Ok(Some("1".to_owned())));
    cluster.forget_old_versions();
    wait_until("the snapshot expires", || get_in(&*snapshot, "k") == Err(Error::SnapshotExpired));
    assert_eq!(get(engine, "k").as_deref(), Some("1"));
}

/// While messages fail at random, transfers keep their sum, and each acknowledged one took place.
#[test]
fn transfers_keep_their_sum_among_failures() {
    const ACCOUNTS: usize = 6;
    let cluster = MockCluster::new();
    split(&cluster);
    let name = |i: usize| ["a", "c", "k1", "k6", "n", "z"].get(i % ACCOUNTS).copied().unwrap_or("a");
    let engine = open(&cluster);
    for i in 0..ACCOUNTS {
        put(&engine, name(i), "100").unwrap();
    }
    cluster.fail_at_random(20);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let engine = open(&cluster);
            let cluster = &cluster;
            scope.spawn(move || {
                for round in 0..60 {
                    let (from, to) = (name(thread + round), name(thread * 2 + round * 3 + 1));
                    if round % 17 == 0 {
                        cluster.move_leaders();
                    }
                    let Ok(mut transaction) = engine.begin(Default::default()) else { continue };
                    let Ok(values) = transaction.get_many(&[from.as_bytes(), to.as_bytes()]) else {
                        continue;
                    };
                    let number = |i: usize| -> i64 {
                        std::str::from_utf8(values.get(i).unwrap()).unwrap().parse().unwrap()
                    };
                    if from == to {
                        continue;
                    }
                    let (left, right) = ((number(0) - 1).to_string(), (number(1) + 1).to_string());
                    if transaction.put(from.as_bytes(), left.as_bytes()).is_ok()
                        && transaction.put(to.as_bytes(), right.as_bytes()).is_ok()
                    {
                        match transaction.commit(Durability::Buffered) {
                            Ok(())
                            | Err(Error::Conflict | Error::Unavailable { .. } | Error::Undetermined { .. }) =>
                                {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    cluster.fail_at_random(0);
    let snapshot = engine.snapshot().unwrap();
    let sum: i64 =
        (0..ACCOUNTS).map(|i| get_in(&*snapshot, name(i)).unwrap().unwrap().parse::<i64>().unwrap()).sum();
    assert_eq!(sum, 100 * ACCOUNTS as i64);
}
