//! Several servers on one store, as far as the engine goes.

use kv::{Durability, Engine, Error, LoadHint, LoadKind, WriteTransaction};

use super::{begin, get, get_in, open, put, split};
use crate::mock_cluster::MockCluster;

/// The first of two servers that write a key commits; the other one conflicts.
#[test]
fn the_first_writer_wins_across_servers() {
    let cluster = MockCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    put(&left, "k", "0").unwrap();
    let (mut first, mut second) = (begin(&left), begin(&right));
    first.put(b"k", b"1").unwrap();
    second.put(b"k", b"2").unwrap();
    first.commit(Durability::Buffered).unwrap();
    assert_eq!(second.commit(Durability::Buffered), Err(Error::Conflict));
    assert_eq!(get(&right, "k").as_deref(), Some("1"));
    assert_eq!(right.statistics().conflicts, 1);
    put(&right, "k", "2").unwrap();
    assert_eq!(get(&left, "k").as_deref(), Some("2"));
}

/// A key is inserted by one server only, even if neither has read it.
#[test]
fn a_unique_key_is_inserted_once() {
    let cluster = MockCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    let (mut first, mut second) = (begin(&left), begin(&right));
    first.insert_unique(b"k", b"1").unwrap();
    second.insert_unique(b"k", b"2").unwrap();
    second.commit(Durability::Buffered).unwrap();
    assert_eq!(first.commit(Durability::Buffered), Err(Error::Conflict));
    assert_eq!(begin(&left).insert_unique(b"k", b"1"), Err(Error::Exists));
}

/// A lock that was committed counts as a write for the other server.
#[test]
fn a_committed_lock_conflicts_across_servers() {
    let cluster = MockCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    let (mut locking, mut writing) = (begin(&left), begin(&right));
    locking.lock(b"k").unwrap();
    locking.put(b"other", b"1").unwrap();
    locking.commit(Durability::Buffered).unwrap();
    writing.put(b"k", b"1").unwrap();
    assert_eq!(writing.commit(Durability::Buffered), Err(Error::Conflict));
}

/// A key that was inserted and removed again leaves the key of another server alone.
#[test]
fn a_removed_insert_removes_nothing_of_others() {
    let cluster = MockCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    let mut transaction = begin(&left);
    transaction.insert_unique(b"k", b"1").unwrap();
    transaction.delete(b"k").unwrap();
    put(&right, "k", "2").unwrap();
    let _ = transaction.commit(Durability::Buffered);
    assert_eq!(get(&right, "k").as_deref(), Some("2"));
}

/// Increments by two servers, retried after conflicts, all take effect.
#[test]
fn increments_of_two_servers_add_up() {
    let cluster = MockCluster::new();
    split(&cluster);
    const ROUNDS: usize = 50;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let engine = open(&cluster);
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    loop {
                        let mut transaction = begin(&engine);
                        let values = transaction.get_many(&[b"n"]).unwrap();
                        let n: usize = values
                            .get(0)
                            .map_or(0, |value| std::str::from_utf8(value).unwrap().parse().unwrap());
                        transaction.put(b"n", (n + 1).to_string().as_bytes()).unwrap();
                        // A key in another region makes the commit one of two phases.
                        transaction.put(b"a", b"1").unwrap();
                        match transaction.commit(Durability::Buffered) {
                            Ok(()) => break,
                            Err(Error::Conflict) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    assert_eq!(get(&open(&cluster), "n"), Some((2 * ROUNDS).to_string()));
}

/// A load is visible to the other server in one step, and readers do not wait for it.
#[test]
fn a_large_load_becomes_visible_atomically_everywhere() {
    let cluster = MockCluster::new();
    split(&cluster);
    let (left, right) = (open(&cluster), open(&cluster));
    let mut load = left.load(LoadKind::Visible, LoadHint::Sorted { pairs: 40 }).unwrap();
    let value = vec![7; 1 << 20];
    for i in 0..20 {
        load.add(format!("k{i:04}").as_bytes(), &value).unwrap();
    }
    assert!(cluster.locks() > 0, "a part of the load is written");
    let before = right.snapshot().unwrap();
    assert_eq!(get_in(&*before, "k0000"), Ok(None));
    load.finish(Durability::Buffered).unwrap();
    assert_eq!(get_in(&*before, "k0000"), Ok(None));
    let after = right.snapshot().unwrap();
    assert!((0..20).all(|i| get_in(&*after, &format!("k{i:04}")).is_ok_and(|value| value.is_some())));
    assert_eq!(cluster.locks(), 0);

    let mut load = left.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    for i in 0..20 {
        load.add(format!("l{i:04}").as_bytes(), &value).unwrap();
    }
    drop(load);
    assert_eq!(get(&right, "l0000"), None);
}

/// Lookups that were made ahead cost no further message. They show the transaction's state and its
/// own writes; what other servers have written since is a conflict.
#[test]
fn prefetched_lookups_are_those_of_the_transaction() {
    let cluster = MockCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    put(&left, "a", "1").unwrap();
    let run = |run: u32| {
        let (b, c) = (format!("b{run}"), format!("c{run}"));
        let keys = [b"a", b.as_bytes(), c.as_bytes()];
        let mut transaction = begin(&left);
        transaction.prefetch(&keys).unwrap();
        put(&right, &b, "2").unwrap();
        cluster.traffic();
        let value = |transaction: &dyn WriteTransaction, key: &str| {
            let values = transaction.get_many(&[key.as_bytes()]).unwrap();
            values.get(0).map(|value| String::from_utf8(value.to_vec()).unwrap())
        };
        assert_eq!((value(&*transaction, "a").as_deref(), value(&*transaction, &b)), (Some("1"), None));
        assert_eq!(transaction.insert_unique(b"a", b"3"), Err(Error::Exists));
        transaction.insert_unique(c.as_bytes(), b"3").unwrap();
        assert_eq!(transaction.contains_many(&keys), Ok(vec![true, false, true]));
        assert_eq!(transaction.insert_unique(c.as_bytes(), b"4"), Err(Error::Exists));
        let sent = cluster.traffic().messages;
        transaction.insert_unique(b.as_bytes(), b"3").unwrap();
        assert_eq!(transaction.commit(Durability::Buffered), Err(Error::Conflict));
        assert_eq!((get(&right, &b).as_deref(), get(&right, &c)), (Some("2"), None));
        sent
    };
    // The background of a server may have sent some in one run or another.
    assert!((0..10).any(|number| run(number) == 0));
}
