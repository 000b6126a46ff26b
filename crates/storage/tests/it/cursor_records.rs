//! The records of cursors that servers leave to each other.

use std::time::Duration;

use kv_tikv::MemoryCluster;
use storage::{CursorProgress, CursorRecord, CursorRecords};

use crate::servers::open;

/// Returns the records as each of two servers sees them.
fn pair() -> (MemoryCluster, CursorRecords, CursorRecords) {
    let cluster = MemoryCluster::new();
    let records = || open(&cluster).cursor_records().unwrap();
    let (left, right) = (records(), records());
    (cluster, left, right)
}

fn progress(owner: &CursorRecords, batches: u64) -> CursorProgress {
    let expires_ms = owner.sharing().clock_ms() + 60_000;
    let owner = owner.sharing().identity();
    CursorProgress { owner, batches, rows: 10 * batches, last_rows: 10, expires_ms }
}

fn record(owner: &CursorRecords) -> CursorRecord {
    CursorRecord { description: b"a query".to_vec(), progress: progress(owner, 1) }
}

#[test]
fn one_server_after_another_has_a_cursor() {
    let (_cluster, left, right) = pair();
    left.add(&[(7, record(&left)), (8, record(&left))]).unwrap();
    let before = progress(&left, 2);
    left.set_progress(7, before).unwrap();
    assert_eq!(right.get(7).unwrap().unwrap().progress, before);
    let taken = progress(&right, 2);
    assert!(right.replace_progress(7, before, taken).unwrap());
    // An attempt whose reply was lost is repeated.
    assert!(right.replace_progress(7, before, taken).unwrap());
    assert!(!left.replace_progress(7, before, progress(&left, 3)).unwrap(), "it is out of date");
    assert_eq!(left.progress(7).unwrap(), Some(taken));
    assert_eq!(left.get(8).unwrap(), Some(CursorRecord { progress: progress_of(&left, 8), ..record(&left) }));
    assert_eq!(left.get(9).unwrap(), None);
}

fn progress_of(records: &CursorRecords, cursor: u64) -> CursorProgress {
    records.progress(cursor).unwrap().unwrap()
}

/// A server that still has an old copy of a cursor removes nothing of its new owner.
#[test]
fn a_server_removes_the_records_of_its_own_cursors_only() {
    let (_cluster, left, right) = pair();
    let cursors: Vec<u64> = (0..300).collect();
    left.add(&cursors.iter().map(|cursor| (*cursor, record(&left))).collect::<Vec<_>>()).unwrap();
    let taken = progress(&right, 1);
    assert!(right.replace_progress(200, progress_of(&left, 200), taken).unwrap());
    left.remove_own(&cursors).unwrap();
    let rest: Vec<u64> =
        cursors.iter().copied().filter(|cursor| left.get(*cursor).unwrap().is_some()).collect();
    assert_eq!(rest, [200]);
    right.remove_own(&cursors).unwrap();
    assert_eq!(left.get(200).unwrap(), None);
}

#[test]
fn records_expire_by_the_clock_of_the_store() {
    let (cluster, left, right) = pair();
    left.add(&[(7, record(&left))]).unwrap();
    right.remove_expired().unwrap();
    assert!(left.get(7).unwrap().is_some());
    cluster.pass(Duration::from_secs(61));
    right.sharing().timestamps(1).unwrap();
    left.add(&[(8, record(&right))]).unwrap();
    right.remove_expired().unwrap();
    assert_eq!((left.get(7).unwrap(), left.progress(7).unwrap()), (None, None));
    assert!(left.get(8).unwrap().is_some());
}
