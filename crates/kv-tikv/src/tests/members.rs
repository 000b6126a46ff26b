//! Members of a store: their numbers, their leases, and what they have acknowledged.

use std::sync::Arc;
use std::time::Duration;

use kv::{Durability, Engine, Error, LoadHint, LoadKind, Member, Sharing};

use super::{begin, commit_in_doubt, get, open, open_with, options, put, split};
use crate::mock_cluster::{Failure, MockCluster, Route};
use crate::{TikvEngine, TikvOptions};

const LEASE_MS: u64 = 10_000;

/// Opens a store whose leases are short for a clock that tests move.
fn open_short(cluster: &Arc<MockCluster>) -> Arc<TikvEngine> {
    let lease = Duration::from_millis(LEASE_MS);
    open_with(cluster, &TikvOptions { lease, ..options() })
}

fn sharing(engine: &TikvEngine) -> Arc<dyn Sharing> {
    engine.sharing().expect("a shared store")
}

fn numbers(engine: &TikvEngine) -> Vec<u8> {
    sharing(engine).members().unwrap().iter().map(|member| member.number).collect()
}

/// Members get the lowest free numbers, and see each other's addresses and acknowledgements.
#[test]
fn members_know_each_other() {
    let cluster = MockCluster::new();
    let engines: Vec<_> = (0..3).map(|_| open(&cluster)).collect();
    let [first, second, third] = &engines[..] else { panic!() };
    assert_eq!(numbers(first), [0, 1, 2]);
    sharing(second).set_address("b:8529").unwrap();
    assert!(matches!(sharing(second).set_address("b 8529"), Err(Error::Misuse { .. })));
    sharing(second).acknowledge(7, &[3, 9]).unwrap();
    let seen: Vec<Member> = sharing(third).members().unwrap();
    let other = &seen[1];
    assert_eq!((other.address.as_str(), other.acknowledged), ("b:8529", 7));
    assert!(other.has_finished(7, 8) && !other.has_finished(7, 9) && !other.has_acknowledged(8));
    assert_ne!(seen[0].identity, other.identity);
    second.close().unwrap();
    assert_eq!(numbers(third), [0, 2]);
    assert_eq!(sharing(&open(&cluster)).member(), 1);
}

/// Nothing is written or read after the end of a lease, neither in one phase nor in two, and the
/// number is free then.
#[test]
fn a_lease_that_has_ended_fences() {
    let cluster = MockCluster::new();
    let other = open(&cluster);
    put(&other, "k", "1").unwrap();
    for is_split in [false, true] {
        if is_split {
            split(&cluster);
        }
        let lost = open_short(&cluster);
        assert_eq!(sharing(&lost).member(), 1);
        let mut transaction = begin(&lost);
        let mut load = lost.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
        transaction.put(b"a", b"lost").unwrap();
        transaction.put(b"k", b"lost").unwrap();
        load.add(b"z", b"lost").unwrap();
        cluster.pass(2 * LEASE_MS);
        assert_eq!(numbers(&other), [0]);
        assert_eq!(transaction.commit(Durability::Buffered), Err(Error::LeaseEnded));
        assert_eq!(load.finish(Durability::Buffered), Err(Error::LeaseEnded));
        assert_eq!(lost.snapshot().err(), Some(Error::LeaseEnded));
        assert_eq!(sharing(&lost).acknowledge(1, &[]), Err(Error::LeaseEnded));
        assert_eq!((get(&other, "a"), get(&other, "z")), (None, None));
        assert_eq!(get(&other, "k").as_deref(), Some("1"));
        assert_eq!(sharing(&open(&cluster)).member(), 1);
    }
}

/// A commit that is on its way when the lease ends does not take place.
#[test]
fn a_slow_commit_does_not_outlive_its_lease() {
    let cluster = MockCluster::new();
    split(&cluster);
    let (other, lost) = (open(&cluster), open_short(&cluster));
    for method in ["KvPrewrite", "KvCommit"] {
        let before = sharing(&lost).acknowledge(1, &[]);
        if before.is_err() {
            break;
        }
        cluster.fail(method, Failure::Slow(Duration::from_millis(300)), 2);
        std::thread::scope(|scope| {
            let committing = scope.spawn(|| {
                let mut transaction = begin(&lost);
                transaction.put(b"a", b"lost").unwrap();
                transaction.put(b"k", b"lost").unwrap();
                transaction.commit(Durability::Buffered)
            });
            // The commit is on its way then, wherever that is.
            std::thread::sleep(Duration::from_millis(100));
            cluster.pass(LEASE_MS + 5_000);
            assert_eq!(numbers(&other), [0]);
            // Once the member is gone, the state does not change any more.
            let seen = (get(&other, "a"), get(&other, "k"));
            let outcome = committing.join().unwrap();
            assert_eq!((get(&other, "a"), get(&other, "k")), seen, "{method}: {outcome:?}");
            assert_eq!(outcome.is_ok(), seen.0.is_some(), "{method}: {outcome:?}");
        });
    }
}

/// A server prolongs its lease.
#[test]
fn leases_are_prolonged() {
    let cluster = MockCluster::new();
    let lease = Duration::from_millis(1500);
    let engine = open_with(&cluster, &TikvOptions { lease, ..options() });
    let other = open(&cluster);
    // Time is what is tested here and in the next test.
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(numbers(&other), [0, 1]);
    put(&engine, "k", "1").unwrap();
}

/// A server that is cut off for less than its lease goes on where it was.
#[test]
fn a_server_that_is_cut_off_for_a_while_goes_on() {
    let cluster = MockCluster::new();
    let settings = TikvOptions { timeout: Duration::from_millis(200), ..options() };
    let route = Route::to(&cluster);
    let engine = TikvEngine::over(Arc::clone(&route) as _, &settings).unwrap();
    put(&engine, "k", "1").unwrap();
    let snapshot = engine.snapshot().unwrap();
    let mut transaction = begin(&engine);
    transaction.put(b"k", b"2").unwrap();
    route.cut();
    assert!(matches!(super::get_in(&*snapshot, "k"), Err(Error::Unavailable { .. })));
    assert!(matches!(put(&engine, "other", "1"), Err(Error::Unavailable { .. })));
    route.mend();
    assert_eq!(super::get_in(&*snapshot, "k"), Ok(Some("1".to_owned())));
    transaction.commit(Durability::Buffered).unwrap();
    assert_eq!((get(&engine, "k").as_deref(), sharing(&engine).member()), (Some("2"), 0));
}

/// The time that an election of TiKV takes is divided by this number, and all times of the servers
/// as well.
const DIVISOR: u32 = 5;

/// A store that leads is killed together with PD's leader. With the default options, all servers
/// keep their leases, and their writes succeed after the elections.
#[test]
fn servers_keep_their_leases_during_elections() {
    let cluster = MockCluster::with_elections(u64::from(DIVISOR));
    let defaults = TikvOptions::default();
    let settings = TikvOptions {
        lease: defaults.lease / DIVISOR,
        timeout: defaults.timeout / DIVISOR,
        message_timeout: defaults.message_timeout / DIVISOR,
        ..options()
    };
    let engines = [open_with(&cluster, &settings), open_with(&cluster, &settings)];
    put(&engines[0], "k", "0").unwrap();
    let snapshot = engines[1].snapshot().unwrap();
    let begin = std::time::Instant::now();
    cluster.stop_store(1);
    cluster.stop_leader_of_pd();
    std::thread::scope(|scope| {
        let writers = engines.each_ref().map(|engine| {
            scope.spawn(move || {
                let name = sharing(engine).member().to_string();
                put(engine, &name, "1")
            })
        });
        assert_eq!(writers.map(|writer| writer.join().unwrap()), [Ok(()), Ok(())]);
    });
    assert!(begin.elapsed() > defaults.lease / DIVISOR / 2, "the elections have taken their time");
    assert_eq!(super::get_in(&*snapshot, "k"), Ok(Some("0".to_owned())));
    assert_eq!((get(&engines[0], "1").as_deref(), get(&engines[1], "0").as_deref()), (Some("1"), Some("1")));
    assert_eq!(numbers(&engines[0]), [0, 1]);
}

/// A server that is cut off neither reads nor writes after the end of its lease.
#[test]
fn a_server_that_is_cut_off_stops() {
    let cluster = MockCluster::new();
    let lease = Duration::from_millis(800);
    let settings = TikvOptions { lease, ..options() };
    let route = Route::to(&cluster);
    let engine = TikvEngine::over(Arc::clone(&route) as _, &settings).unwrap();
    put(&engine, "k", "1").unwrap();
    let snapshot = engine.snapshot().unwrap();
    route.cut();
    std::thread::sleep(Duration::from_millis(1200));
    assert!(matches!(put(&engine, "k", "2"), Err(Error::Unavailable { .. } | Error::LeaseEnded)));
    assert!(super::get_in(&*snapshot, "k").is_err());
    assert_eq!(numbers(&open(&cluster)), [0]);
}

/// A server that stops while nobody knows if its last commit took place keeps its number until its
/// lease ends: a message that is on its way may still decide that.
#[test]
fn a_server_with_a_doubtful_commit_stays_a_member_until_its_lease_ends() {
    let cluster = MockCluster::new();
    split(&cluster);
    let (other, stopped) = (open(&cluster), open_short(&cluster));
    commit_in_doubt(&cluster, &stopped);
    let end = sharing(&stopped).lease_end();
    assert!(end > sharing(&stopped).timestamps(1).unwrap());
    stopped.close().unwrap();
    assert_eq!(numbers(&other), [0, 1]);
    cluster.pass(LEASE_MS);
    assert_eq!(numbers(&other), [0]);
    assert!(sharing(&other).timestamps(1).unwrap() >= end);
}
