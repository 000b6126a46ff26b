//! Many concurrent threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Fixture, NO_LIMITS, begin, begin_waiting, get, get_by, put, scan};
use crate::{Durability, Engine, Error, KeyRange, ScanSpec, WriteTransaction};

const THREADS: usize = 4;

fn increment(transaction: &mut dyn WriteTransaction) -> crate::Result<()> {
    let n: usize = get_by(transaction, "n").map_or(0, |n| n.parse().expect("number"));
    transaction.put(b"n", (n + 1).to_string().as_bytes())
}

/// Increments by many threads, retried after each conflict, all take effect.
pub fn concurrent_increments_add_up(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    const ROUNDS: usize = 300;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let engine = Arc::clone(&engine);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    loop {
                        let mut transaction = begin(&*engine);
                        match increment(&mut *transaction) {
                            Ok(()) => {}
                            Err(Error::Conflict) => continue,
                            Err(error) => panic!("{error}"),
                        }
                        let durability = if (thread + round) % 64 == 0 {
                            Durability::Synced
                        } else {
                            Durability::Buffered
                        };
                        transaction.commit(durability).expect("commit");
                        break;
                    }
                }
            });
        }
    });
    assert_eq!(get(&*engine, "n"), Some((THREADS * ROUNDS).to_string()));
}

/// Increments that lock before they read wait for each other and never conflict.
pub fn waiting_increments_never_conflict(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    const ROUNDS: usize = 300;
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let engine = Arc::clone(&engine);
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    let mut transaction = begin_waiting(&*engine, 60_000);
                    transaction.lock(b"n").expect("lock");
                    increment(&mut *transaction).expect("put");
                    transaction.commit(Durability::Buffered).expect("commit");
                }
            });
        }
    });
    assert_eq!(get(&*engine, "n"), Some((THREADS * ROUNDS).to_string()));
    assert_eq!(engine.statistics().conflicts, 0);
}

/// Every commit sets the same number in many keys that lie far apart. No snapshot sees two numbers,
/// by lookup or by scan, and no thread sees the numbers decrease.
pub fn commits_are_seen_whole(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let keys: Vec<String> = (0..40).map(|i| format!("{}{i:02}", char::from(b'a' + i % 26))).collect();
    let set = |engine: &dyn Engine, number: usize| {
        let mut transaction = begin(engine);
        for key in &keys {
            transaction.put(key.as_bytes(), number.to_string().as_bytes()).expect("put");
        }
        transaction.commit(Durability::Buffered).expect("commit");
    };
    set(&*engine, 0);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..THREADS - 1 {
            scope.spawn(|| {
                let asked: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
                let mut last = 0;
                while !is_done.load(Ordering::Acquire) {
                    let snapshot = engine.snapshot().expect("snapshot");
                    let values = snapshot.get_many(&asked).expect("get_many");
                    let number = values.get(0).expect("present");
                    assert!(
                        values.iter().all(|value| value == Some(number)),
                        "a part of a commit is visible"
                    );
                    let pairs = scan(&*snapshot, ScanSpec::forward(KeyRange::all()), NO_LIMITS);
                    assert!(pairs.len() == keys.len() && pairs.iter().all(|(_, value)| value == number));
                    let number = std::str::from_utf8(number).expect("text").parse().expect("number");
                    assert!(number >= last, "an older state came back");
                    last = number;
                }
            });
        }
        for number in 1..500 {
            set(&*engine, number);
            assert_eq!(
                get(&*engine, "a00"),
                Some(number.to_string()),
                "a commit must be visible when it returns"
            );
        }
        is_done.store(true, Ordering::Release);
    });
}

/// Many threads insert the same keys: each key is inserted exactly once.
pub fn one_of_many_inserts_of_a_key_succeeds(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    const KEYS: usize = 300;
    let inserted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (engine, inserted) = (&engine, &inserted);
            scope.spawn(move || {
                for key in 0..KEYS {
                    let mut transaction =
                        if thread % 2 == 0 { begin(&**engine) } else { begin_waiting(&**engine, 10_000) };
                    let key = format!("{key:04}");
                    match transaction.insert_unique(key.as_bytes(), thread.to_string().as_bytes()) {
                        Ok(()) => {
                            transaction.commit(Durability::Buffered).expect("commit");
                            inserted.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(Error::Exists) => {}
                        // The other transaction commits: nobody rolls back here.
                        Err(Error::Conflict) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    assert_eq!(inserted.load(Ordering::Relaxed), KEYS);
    let snapshot = engine.snapshot().expect("snapshot");
    assert_eq!(scan(&*snapshot, ScanSpec::forward(KeyRange::all()), NO_LIMITS).len(), KEYS);
}

/// Scans that are read slowly see their snapshot while other threads write, delete and compact.
pub fn scans_and_writes_do_not_disturb_each_other(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let key = |i: usize| format!("k{i:04}");
    for i in 0..500 {
        put(&*engine, &[(&key(i), "0")]);
    }
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !is_done.load(Ordering::Acquire) {
                let mut transaction = begin(&*engine);
                for i in (0..500).skip(round % 7).step_by(7) {
                    // Delete a key and put its neighbour: the count stays the same.
                    match round % 14 / 7 {
                        0 => {
                            transaction.delete(key(i).as_bytes()).expect("delete");
                            transaction.put(format!("{}x", key(i)).as_bytes(), b"1").expect("put");
                        }
                        _ => {
                            transaction.put(key(i).as_bytes(), b"2").expect("put");
                            transaction.delete(format!("{}x", key(i)).as_bytes()).expect("delete");
                        }
                    }
                }
                transaction.commit(Durability::Buffered).expect("commit");
                round += 1;
                if round % 50 == 0 {
                    engine.compact(&KeyRange::all()).expect("compact");
                }
            }
        });
        for _ in 0..THREADS - 1 {
            scope.spawn(|| {
                for round in 0..60 {
                    let snapshot = engine.snapshot().expect("snapshot");
                    let spec = ScanSpec { reverse: round % 2 == 1, ..ScanSpec::forward(KeyRange::all()) };
                    let limits = crate::BlockLimits { rows: 29, bytes: 1 << 20 };
                    let pairs = super::scan_releasing(&*snapshot, spec, limits, |block| block % 5 == 0);
                    assert_eq!(pairs.len(), 500);
                }
            });
        }
        // The readers end by themselves, and the writer ends when `is_done` is set.
        scope.spawn(|| {
            // The time of the test.
            std::thread::sleep(std::time::Duration::from_millis(300));
            is_done.store(true, Ordering::Release);
        });
    });
}
