use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use kv::{Durability, KeyRange, LoadHint, LoadKind, ScanSpec, TransactionOptions};

use super::*;
use crate::sharing::Coordination;

const OBJECT: ObjectId = ObjectId(5000);

fn change(count: i64, revision: u64, key_value: u64) -> Totals {
    Totals { count, revision: Revision(revision), key_value }
}

fn commit(engine: &dyn Engine, counters: &Arc<Counters>, totals: Totals) {
    let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
    let held = counters.hold(totals, transaction.as_mut()).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    held.committed();
}

#[test]
fn totals_are_those_of_all_commits() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    for totals in [change(5, 10, 7), change(-2, 30, 0), change(1, 20, 3)] {
        commit(engine.as_ref(), &counters, totals);
    }
    assert_eq!((counters.documents(), counters.revision()), (4, Revision(30)));
    let snapshot = engine.snapshot().unwrap();
    assert_eq!(read(snapshot.as_ref(), OBJECT).unwrap(), change(4, 30, 7));
    let (opened, totals) = Counters::open(snapshot.as_ref(), OBJECT, &Coordination::Alone).unwrap();
    assert_eq!((opened.documents(), totals), (4, change(4, 30, 7)));
    assert_eq!(read(snapshot.as_ref(), ObjectId(OBJECT.0 + 1)).unwrap(), Totals::default());
}

#[test]
fn one_writer_needs_one_record() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    (0..100).for_each(|_| commit(engine.as_ref(), &counters, change(1, 1, 0)));
    assert_eq!(Records::read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().records.len(), 1);
}

#[test]
fn what_is_not_committed_does_not_count() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    commit(engine.as_ref(), &counters, change(3, 1, 0));
    let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
    drop(counters.hold(change(100, 9, 9), transaction.as_mut()).unwrap());
    transaction.rollback();
    commit(engine.as_ref(), &counters, change(1, 2, 0));
    assert_eq!(counters.documents(), 4);
    assert_eq!(read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap(), change(4, 2, 0));
}

#[test]
fn an_unknown_outcome_is_looked_up() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    for took_place in [true, false] {
        let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
        let held = counters.hold(change(10, 1, 1), transaction.as_mut()).unwrap();
        if took_place {
            transaction.commit(Durability::Buffered).unwrap();
        } else {
            transaction.rollback();
        }
        held.reread(engine.as_ref()).unwrap();
        assert_eq!(counters.documents(), 10);
    }
    commit(engine.as_ref(), &counters, change(1, 1, 1));
    assert_eq!(read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().count, 11);
}

fn load(engine: &dyn Engine, counters: &Arc<Counters>, tick: u64, totals: Totals) {
    let held = counters.hold_for_load(tick, totals);
    let (key, value) = held.pair();
    let mut load = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    load.add(&key, &value).unwrap();
    load.finish(Durability::Buffered).unwrap();
    held.committed();
    counters.fold_loads(engine).unwrap();
}

#[test]
fn loads_count_with_few_records_and_keys_of_their_own() {
    let engine = kv::MemoryEngine::new();
    let mut counters = Arc::new(Counters::empty(OBJECT));
    let mut keys = std::collections::BTreeSet::new();
    for number in 1..=100_i64 {
        commit(engine.as_ref(), &counters, change(-1, 1, 0));
        load(engine.as_ref(), &counters, number as u64, change(10, number as u64, 7));
        let snapshot = engine.snapshot().unwrap();
        let Records { records, .. } = Records::read(snapshot.as_ref(), OBJECT).unwrap();
        assert!(records.len() <= 1 + loads::LOADS_MAX, "{}", records.len());
        keys.extend(records.iter().filter_map(|(record, _)| match record {
            CounterRecord::Load(number) => Some(*number),
            CounterRecord::Slot(_) | CounterRecord::Member(..) => None,
        }));
        let expected = change(number * 9, number as u64, 7);
        assert_eq!(read(snapshot.as_ref(), OBJECT).unwrap(), expected);
        assert_eq!(counters.documents(), expected.documents());
        if number % 7 == 0 {
            let (opened, totals) = Counters::open(snapshot.as_ref(), OBJECT, &Coordination::Alone).unwrap();
            assert_eq!(totals, expected);
            counters = Arc::new(opened);
        }
    }
    // Some loads became part of a slot before a snapshot saw their records; all others are here.
    assert!(keys.len() >= 100 - 100 / loads::LOADS_MAX, "{}", keys.len());
}

/// A snapshot that notes the ranges of its scans.
struct Watched {
    snapshot: Arc<dyn Snapshot>,
    ranges: Mutex<Vec<KeyRange>>,
}

impl Snapshot for Watched {
    fn get_many(&self, keys: &[&[u8]]) -> kv::Result<kv::Values> {
        self.snapshot.get_many(keys)
    }

    fn scan(&self, spec: ScanSpec) -> kv::Result<Box<dyn kv::Scan>> {
        self.ranges.lock().unwrap().push(spec.range.clone());
        self.snapshot.scan(spec)
    }

    fn prefix_scan(&self) -> kv::Result<Box<dyn kv::PrefixScan>> {
        self.snapshot.prefix_scan()
    }
}

#[test]
fn a_count_does_not_visit_loads_that_became_part_of_a_slot() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    (1..=100).for_each(|tick| load(engine.as_ref(), &counters, tick, change(10, tick, 7)));
    let watched = Watched { snapshot: engine.snapshot().unwrap(), ranges: Mutex::default() };
    assert_eq!(read(&watched, OBJECT).unwrap(), change(1000, 100, 7));
    let ranges = watched.ranges.into_inner().unwrap();
    let is_visited = |number: &u64| {
        let key = counter_key(OBJECT, CounterRecord::Load(*number));
        ranges.iter().any(|range| range.contains(&key))
    };
    let visited = (1..=100).filter(is_visited).count();
    assert!(visited < loads::LOADS_MAX, "{visited} of 100 loads");
}

#[test]
fn a_load_that_ends_late_counts() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    let late = counters.hold_for_load(1, change(1000, 1, 1));
    (2..=20).for_each(|tick| load(engine.as_ref(), &counters, tick, change(1, tick, 1)));
    let (key, value) = late.pair();
    let mut stored = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    stored.add(&key, &value).unwrap();
    stored.finish(Durability::Buffered).unwrap();
    assert_eq!(read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().count, 1019);
    late.committed();
    (21..=40).for_each(|tick| load(engine.as_ref(), &counters, tick, change(1, tick, 1)));
    let records = Records::read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap();
    assert!(records.loads_from > 30, "{}", records.loads_from);
    assert_eq!(read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().count, 1039);
}

#[test]
fn a_load_that_seemed_to_fail_counts_if_the_engine_has_it_after_a_restart() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    let failed = counters.hold_for_load(1, change(1000, 1, 1));
    let (key, value) = failed.pair();
    drop(failed);
    (2..=20).for_each(|tick| load(engine.as_ref(), &counters, tick, change(1, tick, 1)));
    let mut stored = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    stored.add(&key, &value).unwrap();
    stored.finish(Durability::Buffered).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let (opened, totals) = Counters::open(snapshot.as_ref(), OBJECT, &Coordination::Alone).unwrap();
    assert_eq!((opened.documents(), totals.count), (1019, 1019));
}

#[test]
fn loads_of_many_threads_count_in_every_snapshot() {
    const LOADS: u64 = 200;
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    let (ticks, visible) = (AtomicU64::new(1), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..LOADS {
                    let tick = ticks.fetch_add(1, Ordering::SeqCst);
                    load(engine.as_ref(), &counters, tick, change(1, tick, 1));
                    let at_least = visible.fetch_add(1, Ordering::SeqCst) + 1;
                    let count = read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().count;
                    assert!(count as u64 >= at_least, "{count} instead of {at_least}");
                }
            });
        }
    });
    assert_eq!(read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().count as u64, 4 * LOADS);
}

#[test]
fn numbers_of_loads_stay_above_the_bound_after_a_restart() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    (1..=loads::LOADS_MAX as u64).for_each(|tick| load(engine.as_ref(), &counters, tick, change(1, 1, 1)));
    let snapshot = engine.snapshot().unwrap();
    let bound = Records::read(snapshot.as_ref(), OBJECT).unwrap().loads_from;
    let (opened, _) = Counters::open(snapshot.as_ref(), OBJECT, &Coordination::Alone).unwrap();
    let record = Arc::new(opened).hold_for_load(1, change(1, 1, 1)).record;
    assert_eq!(record, CounterRecord::Load(bound));
}

#[test]
fn a_number_that_is_taken_is_not_used_again() {
    let counters = Arc::new(Counters::empty(OBJECT));
    let record = |tick| counters.hold_for_load(tick, change(1, 0, 0)).record;
    assert_eq!([record(5), record(5), record(3), record(9)], [5, 6, 7, 9].map(CounterRecord::Load));
}

#[test]
fn commits_at_the_same_time_do_not_lose_counts() {
    const THREADS: i64 = 8;
    const COMMITS: i64 = 200;
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                (0..COMMITS).for_each(|n| commit(engine.as_ref(), &counters, change(1, n as u64, 0)))
            });
        }
    });
    let expected = THREADS * COMMITS;
    assert_eq!(counters.documents(), expected as u64);
    assert_eq!(read(engine.snapshot().unwrap().as_ref(), OBJECT).unwrap().count, expected);
}

#[test]
fn more_commits_than_slots_wait_for_each_other() {
    let engine = kv::MemoryEngine::new();
    let counters = Arc::new(Counters::empty(OBJECT));
    let mut held = Vec::new();
    let mut transaction = engine.begin(TransactionOptions::default()).unwrap();
    for _ in 0..SLOTS {
        held.push(counters.hold(change(1, 0, 0), transaction.as_mut()).unwrap());
    }
    let numbers: std::collections::BTreeSet<Vec<u8>> = held.iter().map(HeldRecord::key).collect();
    assert_eq!(numbers.len(), SLOTS);
    let waiting = {
        let (engine, counters) = (Arc::clone(&engine), Arc::clone(&counters));
        thread::spawn(move || commit(engine.as_ref(), &counters, change(1, 0, 0)))
    };
    transaction.commit(Durability::Buffered).unwrap();
    held.into_iter().for_each(HeldRecord::committed);
    waiting.join().unwrap();
    assert_eq!(counters.documents(), SLOTS as u64 + 1);
}
