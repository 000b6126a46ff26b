//! Reads at followers: earlier states are permitted, others are not.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::*;

/// Returns a read at a follower that runs from one second to another.
fn at(follower: usize, begin: u64, end: u64, text: &str) -> Transaction {
    Transaction { follower: Some(follower), ..timed(begin, end, text) }
}

/// Two transactions of the leader, one after the other.
fn two() -> [Transaction; 2] {
    [timed(0, 1, "append x 1, append y 1"), timed(2, 3, "append x 2, write r 2")]
}

#[test]
fn an_earlier_state_is_permitted_in_its_order() {
    let [first, second] = two();
    let last = timed(9, 10, "read x 1 2, read y 1, read r 2");
    let reads = [at(0, 4, 5, "read x, read y, read r"), at(0, 5, 6, "read x 1, read y 1, read r")];
    // Another follower may be further behind.
    let other = at(1, 7, 8, "read x, read y");
    let [none, one] = reads;
    expect(&[first, second, none, one, other, last], &[]);
}

#[test]
fn a_follower_that_goes_back_is_found() {
    let [first, second] = two();
    let history = [first, second, at(0, 4, 5, "read x 1 2, read r 2"), at(0, 6, 7, "read x 1, read r")];
    expect(&history, &[("G-single-realtime", &[1, 2, 3])]);
}

#[test]
fn a_commit_without_the_one_before_it_is_found() {
    let [first, second] = two();
    let last = timed(9, 10, "read x 1 2, read y 1, read r 2");
    let history = [first, second, at(0, 4, 5, "read y, read r 2"), last];
    expect(&history, &[("G-single", &[0, 1, 2])]);
    // Nothing but the time tells which one was first.
    let history = [
        timed(0, 1, "append y 1"),
        timed(2, 3, "write r 2"),
        at(0, 4, 5, "read y, read r 2"),
        timed(9, 10, "read y 1, read r 2"),
    ];
    expect(&history, &[("G-single-realtime", &[0, 1, 2])]);
}

#[test]
fn half_a_transaction_is_found() {
    let [first, second] = two();
    expect(
        &[first, second, at(0, 4, 5, "read x 1, read y"), timed(9, 10, "read y 1")],
        &[("G-single", &[0, 2])],
    );
}

#[test]
fn a_state_that_the_leader_did_not_have_yet_is_found() {
    let writer = Transaction { end: Duration::from_secs(9), ..transaction("append x 1") };
    let history = [at(0, 0, 1, "read x 1"), timed(2, 3, "read x"), writer, timed(10, 11, "read x 1")];
    expect(&history, &[("G-single-realtime", &[0, 1, 2])]);
}

#[test]
fn a_follower_that_has_everything_must_show_it() {
    let [first, second] = two();
    let late = timed(9, 10, "read x 1, read y 1, read r 2");
    assert!(found(&[first, second, late]).iter().any(|(name, _)| name == "lost write"));
}

/// How a simulated follower applies the leader's commits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Applied {
    /// In their order, each as a whole.
    Whole,
    /// One is left out now and then, and comes later.
    OutOfOrder,
    /// A commit is applied object by object.
    InParts,
    /// A start loses the last ones, which are applied again.
    Twice,
}

/// Returns a history of commits one after another, and of reads at a follower that is behind.
fn simulate(applied: Applied, seed: u64) -> Vec<Transaction> {
    let mut rng = Rng::with_seed(seed);
    let keys = [Key::List(0), Key::List(1), Key::Register(0), Key::Register(1)];
    let mut leader: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
    let mut log: Vec<Vec<(Key, u64)>> = Vec::new();
    let mut history = Vec::new();
    let mut reached = 0;
    for now in 1..200_u64 {
        let [begin, end] = [2 * now, 2 * now + 1].map(Duration::from_secs);
        let base = Transaction { begin, end, operations: Vec::new(), ..transaction("read x") };
        if rng.u8(..3) > 0 {
            let mut commit: Vec<(Key, u64)> = Vec::new();
            let mut operations = Vec::new();
            for key in keys.into_iter().filter(|_| rng.bool()) {
                let values = leader.entry(key).or_default();
                operations.push(Operation::Read { key, values: values.clone() });
                operations.push(Operation::Write { key, value: now });
                key.apply(values, now);
                commit.push((key, now));
            }
            log.push(commit);
            history.push(Transaction { operations, ..base });
            continue;
        }
        reached = rng.usize(reached..=log.len());
        if applied == Applied::Twice && rng.u8(..4) == 0 {
            reached = reached.saturating_sub(2);
        }
        let mut commits: Vec<&[(Key, u64)]> = log[..reached].iter().map(Vec::as_slice).collect();
        if applied == Applied::OutOfOrder && reached > 1 && rng.bool() {
            commits.remove(reached - 2);
        }
        if let (Applied::InParts, Some(next)) = (applied, log.get(reached)) {
            commits.push(&next[..next.len() / 2]);
        }
        let mut state: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
        for (key, value) in commits.into_iter().flatten() {
            key.apply(state.entry(*key).or_default(), *value);
        }
        let read = |key| Operation::Read { key, values: state.get(&key).cloned().unwrap_or_default() };
        history.push(Transaction { follower: Some(0), operations: keys.map(read).to_vec(), ..base });
    }
    history
}

#[test]
fn simulated_followers_are_judged_right() {
    let names = |applied| -> BTreeSet<&'static str> {
        (0..40).flat_map(|seed| check(&simulate(applied, seed))).map(|anomaly| anomaly.name).collect()
    };
    assert_eq!(names(Applied::Whole), BTreeSet::new());
    for (applied, wanted) in [
        (Applied::OutOfOrder, "G-single-realtime (stale read)"),
        (Applied::InParts, "G-single (read skew)"),
        (Applied::Twice, "G-single-realtime (stale read)"),
    ] {
        let names = names(applied);
        assert!(names.contains(wanted), "{names:?} without {wanted}");
    }
}
