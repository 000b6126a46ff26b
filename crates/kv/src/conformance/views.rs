//! The state that a transaction sees in the middle of its writes.

use std::sync::Arc;

use super::{Fixture, NO_LIMITS, Pairs, begin, check_rewinds, dump, put, read_prefix, scan, scan_releasing};
use crate::{BlockLimits, Durability, Engine, KeyRange, ScanSpec, Snapshot};

/// Without writes, a view is the state at the start. Two views without writes between them are the
/// same.
pub fn a_view_without_writes_is_the_snapshot(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    let mut transaction = begin(&*engine);
    let view = transaction.view();
    assert_eq!(dump(&*view), "a=1");
    assert!(Arc::ptr_eq(&view, &transaction.view()));
    transaction.put(b"b", b"2").expect("put");
    let written = transaction.view();
    assert!(Arc::ptr_eq(&written, &transaction.view()));
    assert_eq!(dump(&*written), "a=1 b=2");
}

/// A view does not change with the transaction's later writes.
pub fn views_do_not_see_later_writes(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "0")]);
    let mut transaction = begin(&*engine);
    let mut views = vec![(String::from("a=0"), transaction.view())];
    for i in 0..200 {
        match i % 4 {
            3 => transaction.delete(format!("k{:03}", i / 2).as_bytes()).expect("delete"),
            _ => transaction.put(format!("k{i:03}").as_bytes(), b"1").expect("put"),
        }
        let view = transaction.view();
        views.push((dump(&*view), view));
    }
    for (before, view) in &views {
        assert_eq!(dump(&**view), *before);
    }
}

/// Views read the same after the transaction has ended, and after others have written.
pub fn views_outlive_their_transaction(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "0")]);
    let mut transaction = begin(&*engine);
    let before = transaction.view();
    transaction.put(b"b", b"1").expect("put");
    let committed = transaction.view();
    transaction.commit(Durability::Buffered).expect("commit");
    let mut transaction = begin(&*engine);
    transaction.put(b"a", b"2").expect("put");
    let rolled_back = transaction.view();
    transaction.rollback();
    put(&*engine, &[("a", "3"), ("b", "3"), ("c", "3")]);
    assert_eq!(dump(&*before), "a=0");
    assert_eq!(dump(&*committed), "a=0 b=1");
    assert_eq!(dump(&*rolled_back), "a=2 b=1");
}

/// Returns the view of a transaction and its expected content.
///
/// Even keys are committed; the transaction deletes or changes some of them and inserts some odd
/// keys.
fn merged(engine: &dyn Engine) -> (Arc<dyn Snapshot>, Pairs) {
    let mut transaction = begin(engine);
    let key = |i: usize| format!("k{i:04}").into_bytes();
    for i in (0..2000).step_by(2) {
        transaction.put(&key(i), b"committed").expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let mut transaction = begin(engine);
    let mut expected = Pairs::new();
    for i in 0..2000 {
        // Long stretches have no writes, so that their blocks pass through unchanged.
        let is_quiet = (400..900).contains(&i) || i < 50;
        match (i % 2, i % 5) {
            (0, 1) if !is_quiet => transaction.delete(&key(i)).expect("delete"),
            (0, 2) if !is_quiet => {
                transaction.put(&key(i), b"changed").expect("put");
                expected.push((key(i), b"changed".to_vec()));
            }
            (0, _) => expected.push((key(i), b"committed".to_vec())),
            (_, 3) if !is_quiet => {
                transaction.insert_unique(&key(i), b"new").expect("insert");
                expected.push((key(i), b"new".to_vec()));
            }
            (_, 4) if !is_quiet => transaction.delete(&key(i)).expect("delete"),
            _ => {}
        }
    }
    (transaction.view(), expected)
}

/// Puts replace pairs, deletes hide them, and new keys appear in their order.
///
/// This holds in both directions, with and without values, for every range and block size.
pub fn scans_merge_writes_into_the_snapshot(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let (view, expected) = merged(&*engine);
    let ranges =
        [("", ""), ("k0410", "k0800"), ("k0001", "k0002"), ("k1111", "k1999"), ("k1500", ""), ("x", "")];
    for (start, end) in ranges {
        let range = KeyRange::new(start, end);
        let mut expected: Pairs = expected.iter().filter(|(key, _)| range.contains(key)).cloned().collect();
        for reverse in [false, true] {
            let spec = ScanSpec { reverse, ..ScanSpec::forward(range.clone()) };
            for rows in [1, 3, 64, 10_000] {
                let limits = BlockLimits { rows, bytes: 1 << 20 };
                assert_eq!(scan(&*view, spec.clone(), limits), expected, "{spec:?} {rows}");
            }
            let keys = scan(&*view, spec.keys_only(), BlockLimits { rows: 10_000, bytes: 100 });
            let without_values: Pairs = expected.iter().map(|(key, _)| (key.clone(), Vec::new())).collect();
            assert_eq!(keys, without_values);
            expected.reverse();
        }
    }
    let keys: Vec<&[u8]> = expected.iter().map(|(key, _)| key.as_slice()).collect();
    let values = view.get_many(&keys).expect("get_many");
    assert!(values.iter().zip(&expected).all(|(value, (_, expected))| value == Some(expected.as_slice())));
}

/// A prefix scan of a view returns the same pairs as a scan of the range, with and without writes
/// in it.
pub fn prefixes_are_read_with_the_writes(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let (view, expected) = merged(&*engine);
    let mut reader = view.prefix_scan().expect("prefix_scan");
    let prefixes = ["k", "k00", "k05", "k055", "k1999", "k11", "x", "k050"];
    reader.prefetch(&prefixes.map(str::as_bytes));
    for prefix in prefixes {
        let begins = |(key, _): &&(Vec<u8>, Vec<u8>)| key.starts_with(prefix.as_bytes());
        let expected: Pairs = expected.iter().filter(begins).cloned().collect();
        for rows in [1, 7, 10_000] {
            assert_eq!(read_prefix(&mut *reader, prefix.as_bytes(), rows), expected, "{prefix} {rows}");
            reader.prefetch(&[prefix.as_bytes()]);
        }
    }
}

/// A released scan over writes resumes after its last pair.
pub fn merged_scans_resume(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let (view, mut expected) = merged(&*engine);
    for reverse in [false, true] {
        let spec = ScanSpec { reverse, ..ScanSpec::forward(KeyRange::all()) };
        for rows in [1, 7, 50] {
            let limits = BlockLimits { rows, bytes: 1 << 20 };
            let pairs = scan_releasing(&*view, spec.clone(), limits, |block| block % 3 != 0);
            assert_eq!(pairs, expected);
        }
        expected.reverse();
    }
    let mut scan = view.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    assert_eq!(
        scan.next_block(NO_LIMITS).expect("next_block").map(|block| block.len()),
        Some(expected.len())
    );
    scan.release();
    assert!(scan.next_block(NO_LIMITS).expect("next_block").is_none());
}

/// A scan over writes that goes back to a key returns the same again.
pub fn merged_scans_go_back_to_a_key(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let (view, _) = merged(&*engine);
    check_rewinds(&*view);
}

/// A view from before a rollback to a savepoint keeps the writes that the rollback undoes; a later
/// view does not have them.
pub fn rolled_back_writes_leave_views(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    transaction.put(b"a", b"1").expect("put");
    let savepoint = transaction.savepoint();
    transaction.put(b"a", b"2").expect("put");
    transaction.put(b"b", b"2").expect("put");
    let before = transaction.view();
    transaction.rollback_to(savepoint);
    assert_eq!(dump(&*transaction.view()), "a=1");
    assert_eq!(dump(&*before), "a=2 b=2");
}
