//! A query's checks see the memory that its thread allocates, accounted for or not.

use std::sync::Arc;

use aql_value::{Interrupt, MemoryAccount, ThreadMeter};

const MIB: usize = 1 << 20;

fn account(mebibytes: usize) -> Arc<MemoryAccount> {
    Arc::new(MemoryAccount::new(Some((mebibytes * MIB) as u64), None))
}

fn piece(mebibytes: usize) -> Vec<u8> {
    Vec::with_capacity(mebibytes * MIB)
}

/// Tells whole mebibytes: small pieces of the test itself count too.
fn used(account: &MemoryAccount) -> usize {
    account.used_bytes() as usize / MIB
}

#[test]
fn a_check_fails_after_more_was_allocated_than_the_query_may() {
    let (account, interrupt) = (account(8), Interrupt::new());
    let step = ThreadMeter::enter(&account);
    let first = piece(5);
    assert!(interrupt.check().is_ok());
    assert_eq!(used(&account), 5);
    let second = piece(5);
    assert_eq!(interrupt.check().unwrap_err().number(), 32);
    drop(second);
    assert!(interrupt.check().is_ok());
    drop(first);
    assert!(interrupt.check().is_ok());
    assert_eq!(account.used_bytes(), 0);
    let _third = piece(7);
    assert!(interrupt.check().is_ok());
    drop(step);
    assert_eq!((account.used_bytes(), account.peak() as usize / MIB), (0, 7));
    let _any = piece(100);
    assert!(interrupt.check().is_ok());
}

#[test]
fn memory_that_is_accounted_for_counts_once() {
    let (account, interrupt) = (account(8), Interrupt::new());
    let _step = ThreadMeter::enter(&account);
    account.charge(5 * MIB as u64).unwrap();
    let _accounted = piece(5);
    assert!(interrupt.check().is_ok());
    assert_eq!(used(&account), 5);
    // A check comes between the memory and its charge.
    let _other = piece(2);
    assert!(interrupt.check().is_ok());
    assert_eq!(used(&account), 7);
    account.charge(2 * MIB as u64).unwrap();
    assert_eq!(account.charge(2 * MIB as u64).unwrap_err().number(), 32);
    account.release(7 * MIB as u64);
}

#[test]
fn a_step_within_another_counts_for_itself() {
    let (outer, inner, interrupt) = (account(8), account(2), Interrupt::new());
    let step = ThreadMeter::enter(&outer);
    let nested = ThreadMeter::enter(&inner);
    let kept = piece(3);
    assert_eq!(interrupt.check().unwrap_err().number(), 32);
    drop(nested);
    assert!(interrupt.check().is_ok());
    assert_eq!((inner.used_bytes(), outer.used_bytes()), (0, 0));
    let _own = piece(7);
    assert!(interrupt.check().is_ok());
    assert_eq!(used(&outer), 7);
    drop((step, kept));
    assert_eq!(outer.used_bytes(), 0);
}

#[test]
fn many_small_pieces_add_up() {
    let (account, interrupt) = (account(4), Interrupt::new());
    let _step = ThreadMeter::enter(&account);
    let mut pieces = Vec::new();
    while interrupt.check().is_ok() {
        pieces.push(vec![0u8; 1000]);
        assert!(pieces.len() < 5000, "nothing ends it");
    }
    assert!(pieces.len() > 3500);
}
