use std::sync::Arc;
use std::time::Duration;

use super::{Claim, Claims, ConflictTable};
use crate::{Error, Interrupt, WaitPolicy};

fn table(remembered_keys_max: usize) -> Arc<ConflictTable> {
    Arc::new(ConflictTable::new(remembered_keys_max))
}

fn reader(table: &Arc<ConflictTable>) -> Claims {
    let claims = table.enter();
    claims.start_reading();
    claims
}

fn commit(table: &Arc<ConflictTable>, keys: impl IntoIterator<Item = u32>) -> u64 {
    let mut claims = reader(table);
    for key in keys {
        let _ = claims.claim(&key.to_be_bytes(), WaitPolicy::NoWait).unwrap();
    }
    claims.commit()
}

#[test]
fn without_old_transactions_nothing_is_remembered() {
    let table = table(1000);
    for i in 0..1000 {
        commit(&table, [i, i + 1]);
    }
    assert_eq!(table.key_count(), 0);
    assert_eq!(table.last_commit(), 1000);
}

#[test]
fn stamps_go_with_the_last_transaction_that_needs_them() {
    let table = table(1000);
    commit(&table, [1]);
    let first = reader(&table);
    commit(&table, [2, 3]);
    let second = reader(&table);
    commit(&table, [3, 4]);
    assert_eq!(table.key_count(), 3);
    drop(first);
    assert_eq!(table.key_count(), 2, "2 is not needed by the second");
    let third = reader(&table);
    drop(second);
    assert_eq!(table.key_count(), 0);
    drop(third);
}

#[test]
fn a_transaction_that_does_not_read_needs_no_stamps() {
    let table = table(1000);
    let mut claims = table.enter();
    commit(&table, [1]);
    assert_eq!(table.key_count(), 0);
    assert_eq!(claims.claim(&1_u32.to_be_bytes(), WaitPolicy::NoWait), Ok(Claim::Unchanged));
    assert_eq!(claims.start.get(), None);
}

#[test]
fn rolled_back_claims_leave_nothing() {
    let table = table(1000);
    let old = reader(&table);
    let mut claims = reader(&table);
    for key in 0..100_u32 {
        let _ = claims.claim(&key.to_be_bytes(), WaitPolicy::NoWait).unwrap();
    }
    assert_eq!((claims.len(), table.key_count()), (100, 100));
    drop(claims);
    assert_eq!(table.key_count(), 0);
    drop(old);
}

#[test]
fn memory_is_bounded_while_an_old_transaction_lives() {
    let table = table(100);
    let mut old = reader(&table);
    for i in 0..10_000 {
        commit(&table, [i]);
    }
    assert!(table.key_count() <= 101, "{}", table.key_count());
    // Remembered keys conflict; forgotten keys must be looked up.
    assert_eq!(old.claim(&9_999_u32.to_be_bytes(), WaitPolicy::NoWait), Err(Error::Conflict));
    assert_eq!(old.claim(&0_u32.to_be_bytes(), WaitPolicy::NoWait), Ok(Claim::Forgotten));
    assert_eq!(old.claim(&20_000_u32.to_be_bytes(), WaitPolicy::NoWait), Ok(Claim::Forgotten));
    // A transaction that started after the forgotten commits needs no lookup.
    let mut young = reader(&table);
    assert_eq!(young.claim(&5_u32.to_be_bytes(), WaitPolicy::NoWait), Ok(Claim::Unchanged));
    drop((old, young));
    assert_eq!(table.key_count(), 0);
}

#[test]
fn many_short_transactions_during_an_old_one_leave_no_list() {
    let table = table(10);
    let old = reader(&table);
    for i in 0..1000 {
        commit(&table, [i]);
    }
    assert_eq!(super::lock(&table.registry).readers.len(), 1);
    drop(old);
    assert!(super::lock(&table.registry).readers.is_empty());
}

#[test]
fn shards_give_memory_back() {
    let table = table(1_000_000);
    let old = reader(&table);
    commit(&table, 0..200_000);
    assert_eq!(table.key_count(), 200_000);
    drop(old);
    let capacity: usize = table.shards.iter().map(|shard| super::lock(&shard.keys).by_hash.capacity()).sum();
    assert!(capacity < 64 * 1024, "{capacity}");
}

/// Threads commit while readers come and go: in the end nothing is left, whatever the order.
#[test]
fn concurrent_transactions_leave_nothing() {
    let table = table(500);
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let table = &table;
            scope.spawn(move || {
                for round in 0..2000_u32 {
                    let wait = WaitPolicy::UpTo(Duration::from_millis(u64::from(round % 2)));
                    let mut claims = reader(table);
                    let mut is_conflict = false;
                    for key in 0..5 {
                        let key = (round.wrapping_mul(7919).wrapping_add(key * thread)) % 997;
                        is_conflict |= claims.claim(&key.to_be_bytes(), wait).is_err();
                    }
                    if !is_conflict && round % 5 != 0 {
                        claims.commit();
                    }
                }
            });
        }
    });
    assert_eq!(table.key_count(), 0);
    assert_eq!(super::lock(&table.registry).remembered_keys, 0);
}

#[test]
fn a_wait_ends_with_its_owner() {
    let table = table(1000);
    let mut holder = table.enter();
    let _ = holder.claim(b"k", WaitPolicy::NoWait).unwrap();
    let (mut waiting, interrupt) = (table.enter(), Interrupt::new());
    waiting.set_interrupt(Some(interrupt.clone()));
    let long = WaitPolicy::UpTo(Duration::from_secs(600));
    std::thread::scope(|scope| {
        let claimed = scope.spawn(|| waiting.claim(b"k", long));
        interrupt.kill();
        assert_eq!(claimed.join().unwrap(), Err(Error::Interrupted));
    });
    drop(holder);
    waiting.set_interrupt(None);
    assert_eq!(waiting.claim(b"k", long), Ok(Claim::Unchanged));
}
