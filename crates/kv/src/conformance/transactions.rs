//! One transaction at a time: own writes, savepoints, limits.

use super::{Fixture, begin, begin_load, begin_waiting, delete, dump, dump_now, get, get_by, put};
use crate::{Durability, Error, PAIR_BYTES_MAX, TransactionOptions};

/// A transaction sees its own puts and deletes immediately, over the state at its start.
pub fn a_transaction_reads_its_own_writes(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("b", "2"), ("c", "3")]);
    let mut transaction = begin(&*engine);
    transaction.put(b"a", b"10").expect("put");
    transaction.delete(b"b").expect("delete");
    transaction.insert_unique(b"d", b"4").expect("insert");
    transaction.put_unguarded(b"e", b"5").expect("put");
    transaction.delete_unguarded(b"c").expect("delete");
    let values = transaction.get_many(&[b"e", b"d", b"c", b"b", b"a", b"x"]).expect("get_many");
    let expected = [Some(&b"5"[..]), Some(b"4"), None, None, Some(b"10"), None];
    assert_eq!(values.iter().collect::<Vec<_>>(), expected);
    assert_eq!(dump(&*transaction.view()), "a=10 d=4 e=5");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=10 d=4 e=5");
}

/// Nothing of a transaction is visible outside before it is committed.
pub fn others_see_nothing_before_the_commit(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    let mut transaction = begin(&*engine);
    transaction.put(b"a", b"2").expect("put");
    transaction.put(b"b", b"2").expect("put");
    let _ = transaction.view();
    assert_eq!(dump_now(&*engine), "a=1");
    assert_eq!(dump(&*begin(&*engine).view()), "a=1");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=2 b=2");
}

/// A transaction that is rolled back or dropped has no effect.
pub fn rollback_and_drop_leave_nothing(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    let mut transaction = begin(&*engine);
    transaction.delete(b"a").expect("delete");
    transaction.put(b"b", b"2").expect("put");
    transaction.rollback();
    assert_eq!(dump_now(&*engine), "a=1");
    let mut transaction = begin(&*engine);
    transaction.delete(b"a").expect("delete");
    drop(transaction);
    assert_eq!(dump_now(&*engine), "a=1");
}

/// The last write of a key counts.
pub fn later_writes_of_a_key_replace_earlier_ones(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("kept", "0")]);
    let mut transaction = begin(&*engine);
    for (key, writes) in [("a", "12"), ("b", "1-"), ("c", "-1"), ("kept", "-"), ("d", "1-2")] {
        for write in writes.chars() {
            match write {
                '-' => transaction.delete(key.as_bytes()).expect("delete"),
                value => transaction.put(key.as_bytes(), value.to_string().as_bytes()).expect("put"),
            }
        }
    }
    assert_eq!(dump(&*transaction.view()), "a=2 c=1 d=2");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=2 c=1 d=2");
}

/// Deleting an absent key succeeds and changes nothing.
pub fn deleting_an_absent_key_is_not_an_error(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    delete(&*engine, &["b", "c"]);
    assert_eq!(dump_now(&*engine), "a=1");
}

/// `insert_unique` of a present key fails with `Exists` and writes nothing.
///
/// The key may be committed or written by the transaction itself.
pub fn insert_unique_refuses_a_present_key(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    for mut transaction in [begin(&*engine), begin_waiting(&*engine, 0)] {
        assert_eq!(transaction.insert_unique(b"a", b"2"), Err(Error::Exists));
        transaction.insert_unique(b"b", b"2").expect("insert");
        assert_eq!(transaction.insert_unique(b"b", b"3"), Err(Error::Exists));
        transaction.put(b"c", b"2").expect("put");
        assert_eq!(transaction.insert_unique(b"c", b"3"), Err(Error::Exists));
        assert_eq!(transaction.write_count(), 2);
        assert_eq!(dump(&*transaction.view()), "a=1 b=2 c=2");
        transaction.rollback();
    }
}

/// A key that was deleted, before or in the transaction itself, can be inserted.
pub fn insert_unique_takes_a_key_deleted_before(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("b", "1")]);
    delete(&*engine, &["a"]);
    let mut transaction = begin(&*engine);
    transaction.insert_unique(b"a", b"2").expect("insert");
    transaction.delete(b"b").expect("delete");
    transaction.insert_unique(b"b", b"2").expect("insert");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=2 b=2");
}

/// A rollback to a savepoint undoes exactly the writes since then, and earlier savepoints stay
/// valid.
pub fn savepoints_nest(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "0"), ("b", "0")]);
    let mut transaction = begin(&*engine);
    transaction.put(b"a", b"1").expect("put");
    let outer = transaction.savepoint();
    let outer_size = transaction.size_bytes();
    transaction.put(b"a", b"22").expect("put");
    transaction.delete(b"b").expect("delete");
    transaction.put(b"c", b"2").expect("put");
    let inner = transaction.savepoint();
    transaction.put(b"b", b"3").expect("put");
    transaction.delete(b"c").expect("delete");
    transaction.put(b"d", b"3").expect("put");
    assert_eq!(dump(&*transaction.view()), "a=22 b=3 d=3");
    transaction.rollback_to(inner);
    assert_eq!(dump(&*transaction.view()), "a=22 c=2");
    assert_eq!(get_by(&*transaction, "d"), None);
    transaction.put(b"e", b"4").expect("put");
    transaction.rollback_to(outer);
    assert_eq!(dump(&*transaction.view()), "a=1 b=0");
    assert_eq!((transaction.write_count(), transaction.size_bytes()), (1, outer_size));
    transaction.put(b"f", b"5").expect("put");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=1 b=0 f=5");
}

/// A savepoint stays valid after a rollback to it, even if it was set before the first write.
pub fn a_savepoint_can_be_used_again(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    let start = transaction.savepoint();
    for i in 0..3 {
        transaction.put(b"a", i.to_string().as_bytes()).expect("put");
        transaction.put(i.to_string().as_bytes(), b"").expect("put");
        transaction.rollback_to(start);
        assert_eq!((transaction.write_count(), transaction.size_bytes()), (0, 0));
    }
    transaction.put(b"b", b"1").expect("put");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "b=1");
}

/// A write that exceeds `max_bytes` fails with `TooLarge` and the limit, and leaves the transaction
/// as it was.
pub fn writes_beyond_the_limit_are_refused(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction =
        engine.begin(TransactionOptions { max_bytes: 20, ..Default::default() }).expect("begin");
    transaction.put(b"a", b"123456789").expect("10 bytes fit");
    let too_large = Err(Error::TooLarge { limit_bytes: 20 });
    assert_eq!(transaction.put(b"b", b"1234567890"), too_large);
    assert_eq!(transaction.insert_unique(b"b", b"1234567890"), too_large);
    assert_eq!(transaction.put_unguarded(b"b", b"1234567890"), too_large);
    transaction.put(b"a", b"12345678901234567").expect("18 bytes in place of 10 fit");
    assert_eq!(transaction.delete(b"long"), too_large);
    transaction.delete(b"a").expect("a removal in place of a value fits");
    assert_eq!(transaction.size_bytes(), 1);
    transaction.put(b"b", b"1").expect("put");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "b=1");
}

/// No pair may be longer than [`PAIR_BYTES_MAX`], so that blocks have 32-bit offsets.
pub fn pairs_beyond_the_limit_are_refused(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    // The pages are never touched, so they take no memory.
    let huge = vec![0; PAIR_BYTES_MAX];
    let mut transaction =
        engine.begin(TransactionOptions { max_bytes: usize::MAX, ..Default::default() }).expect("begin");
    assert_eq!(transaction.put(b"a", &huge), Err(Error::TooLarge { limit_bytes: PAIR_BYTES_MAX }));
    let mut load = begin_load(&*engine);
    assert_eq!(load.add(b"a", &huge), Err(Error::TooLarge { limit_bytes: PAIR_BYTES_MAX }));
}

/// `write_count` counts keys. `size_bytes` counts the bytes of keys and values.
pub fn the_figures_of_a_transaction_follow_its_writes(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    assert_eq!((transaction.write_count(), transaction.size_bytes()), (0, 0));
    transaction.put(b"key", b"value").expect("put");
    transaction.put(b"key", b"longer value").expect("put");
    transaction.delete(b"k2").expect("delete");
    transaction.lock(b"k3").expect("lock");
    assert_eq!((transaction.write_count(), transaction.size_bytes()), (2, 17));
    assert!(transaction.memory_bytes() >= transaction.size_bytes());
}

/// A transaction without writes commits.
pub fn empty_transactions_commit(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    begin(&*engine).commit(Durability::Synced).expect("commit");
    begin_waiting(&*engine, 0).commit(Durability::Buffered).expect("commit");
    let mut transaction = begin(&*engine);
    transaction.lock(b"a").expect("lock");
    transaction.commit(Durability::Synced).expect("commit");
    assert_eq!(dump_now(&*engine), "");
}

/// A synced commit is visible like any other.
pub fn synced_commits_are_commits(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for i in 0..5 {
        let mut transaction = begin(&*engine);
        transaction.put(b"a", i.to_string().as_bytes()).expect("put");
        transaction.commit(Durability::Synced).expect("commit");
        assert_eq!(get(&*engine, "a"), Some(i.to_string()));
    }
    assert!(engine.statistics().commits >= 5);
}

/// A hundred thousand writes are one commit.
pub fn many_writes_commit_together(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let count = 100_000_u32;
    let mut transaction = begin(&*engine);
    for i in 0..count {
        // The factor is odd: every key comes once, in no order.
        let key = i.wrapping_mul(2_654_435_761);
        transaction.put(&key.to_be_bytes(), &i.to_be_bytes()).expect("put");
    }
    assert_eq!(transaction.write_count(), count as usize);
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    let pairs = super::scan(&*snapshot, crate::ScanSpec::forward(crate::KeyRange::all()), super::NO_LIMITS);
    assert_eq!(pairs.len(), count as usize);
    assert!(pairs.is_sorted());
}

/// A transaction does not see the commits of others after its `begin`.
pub fn transactions_read_the_state_of_their_begin(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("b", "1")]);
    let mut transaction = begin(&*engine);
    put(&*engine, &[("a", "2"), ("c", "2")]);
    delete(&*engine, &["b"]);
    assert_eq!(get_by(&*transaction, "a"), Some("1".into()));
    assert_eq!(dump(&*transaction.view()), "a=1 b=1");
    transaction.put(b"d", b"3").expect("put");
    assert_eq!(dump(&*transaction.view()), "a=1 b=1 d=3");
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=2 c=2 d=3");
}

/// With `SnapshotAt::FirstRead`, a transaction sees the commits of others before its first read,
/// and none after it.
pub fn transactions_can_read_the_state_of_their_first_read(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    let mut transaction = begin_waiting(&*engine, 0);
    put(&*engine, &[("a", "2")]);
    transaction.put(b"b", b"own").expect("put");
    put(&*engine, &[("c", "2")]);
    assert_eq!(get_by(&*transaction, "a"), Some("2".into()));
    put(&*engine, &[("a", "3")]);
    assert_eq!(dump(&*transaction.view()), "a=2 b=own c=2");
    super::assert_conflict(transaction.put(b"a", b"4"));
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(dump_now(&*engine), "a=3 b=own c=2");
}
