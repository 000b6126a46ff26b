//! Two transactions at a time: their conflicts in every order.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Fixture, assert_conflict, begin, begin_waiting, delete, dump_now, get, get_by, put};
use crate::{Durability, Engine, Error, TransactionOptions, WaitPolicy, WriteTransaction};

/// A way to write the key `k`.
type Write = fn(&mut dyn WriteTransaction) -> crate::Result<()>;

const WRITES: &[(&str, Write)] = &[
    ("put", |transaction| transaction.put(b"k", b"new")),
    ("delete", |transaction| transaction.delete(b"k")),
    ("insert", |transaction| transaction.insert_unique(b"k", b"new")),
    ("lock", |transaction| transaction.lock(b"k")),
];

fn commit(transaction: Box<dyn WriteTransaction>) {
    transaction.commit(Durability::Buffered).expect("commit");
}

/// Begins a transaction that reads the current state and waits for keys.
fn begin_with_limit(engine: &dyn Engine, wait_ms: u64) -> Box<dyn WriteTransaction> {
    let wait = WaitPolicy::UpTo(Duration::from_millis(wait_ms));
    engine.begin(TransactionOptions { wait, ..Default::default() }).expect("begin")
}

/// While a transaction has written or locked a key, no other can write or lock it in any way.
pub fn the_first_writer_of_a_key_wins(fixture: &dyn Fixture) {
    for (first_name, first_write) in WRITES {
        for (second_name, second_write) in WRITES {
            let engine = fixture.engine();
            let mut first = begin(&*engine);
            let mut second = begin(&*engine);
            first_write(&mut *first).expect(first_name);
            assert_eq!(second_write(&mut *second), Err(Error::Conflict), "{first_name}, then {second_name}");
            commit(first);
            assert_eq!(second_write(&mut *second), Err(Error::Conflict), "{first_name}, then {second_name}");
        }
    }
}

/// A transaction cannot write a key that was committed after its snapshot, even if nobody holds the
/// key now.
pub fn a_write_committed_since_the_snapshot_conflicts(fixture: &dyn Fixture) {
    for (first_name, first_write) in WRITES {
        for (second_name, second_write) in WRITES {
            let engine = fixture.engine();
            let mut old = begin(&*engine);
            let mut new = begin(&*engine);
            first_write(&mut *new).expect(first_name);
            commit(new);
            assert_eq!(second_write(&mut *old), Err(Error::Conflict), "{first_name}, then {second_name}");
            drop(old);
            let mut retried = begin(&*engine);
            let result = second_write(&mut *retried);
            let is_present = matches!(*first_name, "put" | "insert") && *second_name == "insert";
            assert_eq!(
                result,
                if is_present { Err(Error::Exists) } else { Ok(()) },
                "{first_name}, {second_name}"
            );
        }
    }
}

/// A delete of a key and a put of it exclude each other in both orders, even if the key is absent.
pub fn deletes_conflict_as_puts_do(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "1")]);
    let mut deleting = begin(&*engine);
    let mut putting = begin(&*engine);
    deleting.delete(b"k").expect("delete");
    assert_conflict(putting.put(b"k", b"2"));
    putting.put(b"absent", b"2").expect("put");
    assert_conflict(deleting.delete(b"absent"));
    commit(putting);
    commit(deleting);
    assert_eq!(dump_now(&*engine), "absent=2");
}

/// After a conflict the transaction can continue and commit its writes.
pub fn a_conflict_leaves_the_transaction_as_it_was(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "1")]);
    let mut second = begin(&*engine);
    second.put(b"a", b"2").expect("put");
    let mut first = begin(&*engine);
    first.put(b"k", b"first").expect("put");
    assert_conflict(second.put(b"k", b"second"));
    assert_conflict(second.delete(b"k"));
    assert_eq!((second.write_count(), second.size_bytes()), (1, 2));
    assert_eq!(get_by(&*second, "k"), Some("1".into()));
    second.put(b"b", b"2").expect("put");
    commit(second);
    commit(first);
    assert_eq!(dump_now(&*engine), "a=2 b=2 k=first");
}

/// Transactions that write different keys, however similar, do not disturb each other.
pub fn different_keys_do_not_conflict(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transactions: Vec<_> = (0..50).map(|_| begin(&*engine)).collect();
    for round in 0..20 {
        for (i, transaction) in transactions.iter_mut().enumerate() {
            transaction.put(format!("{i}-{round}").as_bytes(), b"1").expect("put");
        }
    }
    for transaction in transactions {
        commit(transaction);
    }
    assert_eq!(dump_now(&*engine).split(' ').count(), 1000);
}

/// Others can read a locked key, but can neither write nor lock it. Its holder can write it.
pub fn a_locked_key_cannot_be_written(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "1")]);
    let mut holder = begin(&*engine);
    holder.lock(b"k").expect("lock");
    holder.lock(b"k").expect("lock again");
    let mut other = begin(&*engine);
    assert_eq!(get_by(&*other, "k"), Some("1".into()));
    assert_conflict(other.lock(b"k"));
    assert_conflict(other.put(b"k", b"2"));
    holder.put(b"k", b"3").expect("put");
    commit(holder);
    assert_eq!(get(&*engine, "k"), Some("3".into()));
}

/// A key that was locked when its transaction committed counts as written: an older transaction
/// must not write it.
///
/// So a transaction can rely on the data that it read and locked together with its writes.
pub fn a_committed_lock_counts_as_a_write(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "1")]);
    let mut old = begin(&*engine);
    let mut locking = begin(&*engine);
    locking.lock(b"k").expect("lock");
    locking.put(b"other", b"1").expect("put");
    commit(locking);
    assert_conflict(old.put(b"k", b"2"));
    drop(old);
    put(&*engine, &[("k", "2")]);
}

/// After a rollback or a drop, the keys can be written again, even by older transactions.
pub fn rollback_lets_go_of_keys(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut old = begin(&*engine);
    let mut first = begin(&*engine);
    first.put(b"a", b"1").expect("put");
    first.lock(b"b").expect("lock");
    first.rollback();
    old.put(b"a", b"2").expect("put after a rollback");
    let mut second = begin(&*engine);
    second.delete(b"c").expect("delete");
    drop(second);
    old.put(b"b", b"2").expect("put");
    old.put(b"c", b"2").expect("put after a drop");
    commit(old);
    assert_eq!(dump_now(&*engine), "a=2 b=2 c=2");
}

/// A key that was written after a savepoint stays locked when the write is rolled back.
pub fn rollback_to_a_savepoint_keeps_the_locks(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    let savepoint = transaction.savepoint();
    transaction.put(b"k", b"1").expect("put");
    transaction.rollback_to(savepoint);
    assert_conflict(begin(&*engine).put(b"k", b"2"));
    commit(transaction);
    put(&*engine, &[("k", "3")]);
    assert_eq!(dump_now(&*engine), "k=3");
}

/// Two transactions that read a value and write it back changed cannot both commit.
pub fn updates_are_not_lost(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("n", "10")]);
    let add = |transaction: &mut dyn WriteTransaction, amount: u32| {
        let n: u32 = get_by(transaction, "n").expect("present").parse().expect("number");
        transaction.put(b"n", (n + amount).to_string().as_bytes())
    };
    let mut left = begin(&*engine);
    let mut right = begin(&*engine);
    add(&mut *left, 1).expect("put");
    commit(left);
    assert_conflict(add(&mut *right, 5));
    right.rollback();
    let mut right = begin(&*engine);
    add(&mut *right, 5).expect("put");
    commit(right);
    assert_eq!(get(&*engine, "n"), Some("16".into()));
}

/// Of two transactions that insert the same key, one succeeds. The other conflicts, and finds the
/// key when it is retried.
pub fn of_two_inserts_of_a_key_one_succeeds(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut first = begin(&*engine);
    let mut second = begin(&*engine);
    first.insert_unique(b"k", b"first").expect("insert");
    assert_conflict(second.insert_unique(b"k", b"second"));
    commit(first);
    assert_conflict(second.insert_unique(b"k", b"second"));
    drop(second);
    assert_eq!(begin(&*engine).insert_unique(b"k", b"second"), Err(Error::Exists));
    assert_eq!(dump_now(&*engine), "k=first");
}

/// Unguarded writes neither lock their key nor check its lock.
pub fn unguarded_writes_are_not_locked(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("gone", "1")]);
    let mut holder = begin(&*engine);
    holder.lock(b"locked").expect("lock");
    let mut transaction = begin(&*engine);
    transaction.put_unguarded(b"locked", b"1").expect("the lock is not checked");
    transaction.put_unguarded(b"free", b"1").expect("put");
    transaction.delete_unguarded(b"gone").expect("delete");
    holder.lock(b"free").expect("the key is not locked");
    commit(transaction);
    drop(holder);
    assert_eq!(dump_now(&*engine), "free=1 locked=1");
}

/// An unguarded write may follow one that was committed since the transaction's snapshot.
pub fn unguarded_writes_do_not_conflict_with_earlier_commits(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("m", "0")]);
    let (mut older, mut newer) = (begin(&*engine), begin(&*engine));
    assert_eq!(get_by(&*older, "m"), Some("0".into()));
    newer.put(b"k1", b"1").expect("put");
    newer.put_unguarded(b"a", b"1").expect("put");
    newer.put_unguarded(b"z", b"1").expect("put");
    commit(newer);
    older.put(b"k2", b"2").expect("put");
    older.put_unguarded(b"a", b"2").expect("put");
    older.put_unguarded(b"z", b"2").expect("put");
    commit(older);
    assert_eq!(dump_now(&*engine), "a=2 k1=1 k2=2 m=0 z=2");
}

/// A transaction that begins after a commit has returned sees it and does not conflict with it,
/// however soon it begins.
pub fn a_commit_before_the_begin_does_not_conflict(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for i in 0..500 {
        let mut transaction = begin(&*engine);
        assert_eq!(get_by(&*transaction, "n"), (i > 0).then(|| (i - 1).to_string()));
        transaction.put(b"n", i.to_string().as_bytes()).expect("put");
        commit(transaction);
    }
    assert_eq!(engine.statistics().conflicts, 0);
}

/// An old transaction cannot overwrite changes that it has not seen, however many commits followed.
pub fn old_transactions_see_conflicts_of_long_ago(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "0"), ("untouched", "0")]);
    let mut old = begin(&*engine);
    put(&*engine, &[("k", "1")]);
    delete(&*engine, &["gone"]);
    for i in 0..2000 {
        let mut middle = begin(&*engine);
        middle.put(format!("{i}").as_bytes(), b"1").expect("put");
        commit(middle);
    }
    assert_conflict(old.put(b"k", b"2"));
    assert_conflict(old.insert_unique(b"gone", b"2"));
    assert_conflict(old.put(b"7", b"2"));
    old.put(b"untouched", b"2").expect("put");
    commit(old);
    assert_eq!(get(&*engine, "k"), Some("1".into()));
    assert_eq!(get(&*engine, "untouched"), Some("2".into()));
}

/// Runs `then` while another transaction holds `k`. After 50 ms, `let_go` ends that transaction in
/// a thread of its own.
fn while_held(
    engine: &Arc<dyn Engine>,
    let_go: impl FnOnce(Box<dyn WriteTransaction>) + Send,
    then: impl FnOnce(),
) {
    std::thread::scope(|scope| {
        let mut holder = begin(&**engine);
        holder.put(b"k", b"holder").expect("put");
        scope.spawn(move || {
            // The other one waits then. If it comes later, the outcome is the same.
            std::thread::sleep(Duration::from_millis(50));
            let_go(holder);
        });
        then();
    });
}

/// A write that waits for a key succeeds when the holder rolls back, and conflicts when the holder
/// commits.
pub fn a_waiting_write_continues_after_a_rollback(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "0")]);
    let mut waiting = begin_with_limit(&*engine, 20_000);
    while_held(&engine, |holder| holder.rollback(), || waiting.put(b"k", b"1").expect("put"));
    commit(waiting);
    let mut waiting = begin_with_limit(&*engine, 20_000);
    while_held(&engine, commit, || assert_conflict(waiting.put(b"k", b"2")));
    drop(waiting);
    assert_eq!(get(&*engine, "k"), Some("holder".into()));
}

/// A transaction that locks before its first read sees the commit for which it waited.
pub fn a_waiting_lock_reads_what_it_waited_for(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("k", "0")]);
    let mut waiting = begin_waiting(&*engine, 20_000);
    while_held(&engine, commit, || waiting.lock(b"k").expect("lock"));
    assert_eq!(get_by(&*waiting, "k"), Some("holder".into()));
    waiting.put(b"k", b"1").expect("put");
    commit(waiting);
    delete(&*engine, &["k"]);
    let mut waiting = begin_waiting(&*engine, 20_000);
    while_held(&engine, commit, || assert_eq!(waiting.insert_unique(b"k", b"2"), Err(Error::Exists)));
}

/// A write waits no longer than the limit of `wait`, and then conflicts.
pub fn waiting_ends_with_the_timeout(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut holder = begin(&*engine);
    holder.put(b"k", b"1").expect("put");
    let started = Instant::now();
    assert_conflict(begin_with_limit(&*engine, 60).put(b"k", b"2"));
    assert!(started.elapsed() >= Duration::from_millis(60));
    assert_conflict(begin(&*engine).put(b"k", b"2"));
    let wait = WaitPolicy::NoWait;
    let mut no_wait = engine.begin(TransactionOptions { wait, ..Default::default() }).expect("begin");
    assert_conflict(no_wait.put(b"k", b"2"));
    no_wait.put(b"other", b"2").expect("put");
    commit(no_wait);
}

/// Of two transactions that wait for each other's keys, one conflicts and the other gets its key.
pub fn deadlocks_end_in_a_conflict(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut left = begin_with_limit(&*engine, 20_000);
    let mut right = begin_with_limit(&*engine, 50);
    left.put(b"a", b"left").expect("put");
    right.put(b"b", b"right").expect("put");
    std::thread::scope(|scope| {
        scope.spawn(|| left.put(b"b", b"left").expect("succeeds after the other gave up"));
        scope.spawn(|| {
            assert_conflict(right.put(b"a", b"right"));
            right.rollback();
        });
    });
    commit(left);
    assert_eq!(dump_now(&*engine), "a=left b=left");
}

/// The statistics count conflicts.
pub fn the_statistics_count_conflicts(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut holder = begin(&*engine);
    holder.put(b"k", b"1").expect("put");
    let before = engine.statistics().conflicts;
    assert_conflict(begin(&*engine).put(b"k", b"2"));
    assert_conflict(begin(&*engine).lock(b"k"));
    assert_eq!(engine.statistics().conflicts, before + 2);
}
