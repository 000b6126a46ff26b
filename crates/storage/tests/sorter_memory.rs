//! A program of its own, because it replaces the allocator.
//!
//! A merge of many sorted runs takes the memory of its budget, however long the pairs are.

#![allow(clippy::unwrap_used, reason = "tests")]

use allocation_meter::{PeakAllocator, restart_thread_peak, thread_bytes, thread_peak};
use storage::Sorter;

#[global_allocator]
static ALLOCATOR: PeakAllocator = PeakAllocator;

/// The memory for sorting.
const BUDGET_BYTES: usize = 4 << 20;

/// The bytes of the long part of each pair. Few pairs fit in the budget.
const LONG_BYTES: usize = 1 << 20;

const PAIRS: usize = 150;

/// Returns the greatest memory while pairs are sorted, in bytes.
fn peak(pair: impl Fn(usize) -> (Vec<u8>, Vec<u8>)) -> usize {
    let before = thread_bytes();
    restart_thread_peak();
    let folder = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(folder.path().into(), BUDGET_BYTES);
    for number in (0..PAIRS).rev() {
        let (key, value) = pair(number);
        sorter.add(&key, &value).unwrap();
    }
    let mut sorted = sorter.finish().unwrap();
    for number in 0..PAIRS {
        let (key, value) = pair(number);
        assert!(sorted.next_pair().unwrap() == Some((key.as_slice(), value.as_slice())), "{number}");
    }
    assert!(sorted.next_pair().unwrap().is_none());
    (thread_peak() - before) as usize
}

#[test]
fn long_pairs_do_not_take_more_than_a_few_of_them() {
    let long = |number: usize| [&[number as u8; LONG_BYTES][..], b"end"].concat();
    let with_long_values = peak(|number| (vec![number as u8], long(number)));
    assert!(with_long_values < BUDGET_BYTES + 8 * LONG_BYTES, "{with_long_values} bytes");
    let with_long_keys = peak(|number| (long(number), vec![number as u8]));
    assert!(with_long_keys < 2 * BUDGET_BYTES + 24 * LONG_BYTES, "{with_long_keys} bytes");
}
