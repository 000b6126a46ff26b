//! Random histories of a simulated database: snapshot isolation has no anomaly, and each weaker
//! level has.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fastrand::Rng;

use super::*;

/// The isolation of the simulated database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Snapshot,
    /// Snapshots, and the last writer of an object wins.
    LastWriter,
    /// Each read finds the newest committed state.
    ReadCommitted,
    /// Reads find writes before their commit, and an abort undoes nothing.
    Dirty,
    /// Each transaction reads a state that may be over.
    Old,
}

/// Commits with their numbers and the states that they left.
type Versions = HashMap<Key, Vec<(usize, Vec<u64>)>>;

struct Database {
    level: Level,
    commits: usize,
    versions: Versions,
}

struct Open {
    snapshot: usize,
    writes: BTreeMap<Key, Vec<u64>>,
    transaction: Transaction,
    left: usize,
}

impl Database {
    fn state(&self, key: Key, snapshot: usize) -> Vec<u64> {
        let versions = self.versions.get(&key).into_iter().flatten();
        versions
            .rev()
            .find(|(commit, _)| *commit <= snapshot)
            .map(|(_, values)| values.clone())
            .unwrap_or_default()
    }

    fn begin(&self, rng: &mut Rng, now: u64) -> Open {
        let age = if self.level == Level::Old { rng.usize(..3) } else { 0 };
        let snapshot = self.commits.saturating_sub(age);
        let begin = Duration::from_secs(now);
        let transaction = Transaction { begin, operations: Vec::new(), ..unknown("read x") };
        Open { snapshot, writes: BTreeMap::new(), transaction, left: rng.usize(1..5) }
    }

    fn operate(&mut self, open: &mut Open, rng: &mut Rng, value: u64) {
        let key = if rng.bool() { Key::List(rng.u32(..3)) } else { Key::Register(rng.u32(..3)) };
        let is_newest = matches!(self.level, Level::ReadCommitted | Level::Dirty);
        let snapshot = if is_newest { self.commits } else { open.snapshot };
        let mut values = open.writes.get(&key).cloned().unwrap_or_else(|| self.state(key, snapshot));
        let is_write = rng.bool();
        if !is_write || rng.u8(..3) > 0 {
            open.transaction.operations.push(Operation::Read { key, values: values.clone() });
        }
        if is_write {
            key.apply(&mut values, value);
            open.transaction.operations.push(Operation::Write { key, value });
            if self.level == Level::Dirty {
                self.store(key, values);
            } else {
                open.writes.insert(key, values);
            }
        }
        open.left -= 1;
    }

    fn store(&mut self, key: Key, values: Vec<u64>) {
        self.commits += 1;
        self.versions.entry(key).or_default().push((self.commits, values));
    }

    fn end(&mut self, open: Open, now: u64, is_aborted: bool) -> Transaction {
        let newest =
            |key: &Key| self.versions.get(key).and_then(|all| all.last()).map_or(0, |(commit, _)| *commit);
        let is_conflict = open.writes.keys().any(|key| newest(key) > open.snapshot);
        let checks = matches!(self.level, Level::Snapshot | Level::Old);
        let is_aborted = is_aborted || (checks && is_conflict);
        if !is_aborted {
            self.commits += 1;
            for (key, values) in open.writes {
                self.versions.entry(key).or_default().push((self.commits, values));
            }
        }
        let outcome = if is_aborted { Outcome::Aborted } else { Outcome::Committed };
        Transaction { end: Duration::from_secs(now), outcome, ..open.transaction }
    }
}

fn simulate(level: Level, seed: u64) -> Vec<Transaction> {
    let mut rng = Rng::with_seed(seed);
    let mut database = Database { level, commits: 0, versions: HashMap::new() };
    let mut open: Vec<Open> = Vec::new();
    let mut history = Vec::new();
    for now in 1..400 {
        match rng.usize(..4) {
            at if at >= open.len() => open.push(database.begin(&mut rng, now)),
            at if open[at].left == 0 => {
                let is_aborted = rng.u8(..5) == 0;
                history.push(database.end(open.remove(at), now, is_aborted));
            }
            at => database.operate(&mut open[at], &mut rng, now),
        }
    }
    history
}

/// Returns the names of all anomalies in some histories.
fn names(level: Level) -> BTreeSet<&'static str> {
    (0..60).flat_map(|seed| check(&simulate(level, seed))).map(|anomaly| anomaly.name).collect()
}

#[test]
fn snapshot_isolation_has_no_anomaly() {
    assert_eq!(names(Level::Snapshot), BTreeSet::new());
}

#[test]
fn weaker_levels_have_their_anomalies() {
    let expected: &[(Level, &[&str])] = &[
        (Level::LastWriter, &["lost update", "lost write", "incompatible order"]),
        (Level::ReadCommitted, &["internal", "G-single (read skew)", "lost update"]),
        (Level::Dirty, &["G1a (aborted read)", "G1b (intermediate read)", "G1c (circular information flow)"]),
        (Level::Old, &["G-single-realtime (stale read)"]),
    ];
    for (level, wanted) in expected {
        let names = names(*level);
        assert!(wanted.iter().all(|name| names.contains(name)), "{names:?} instead of {wanted:?}");
    }
}
