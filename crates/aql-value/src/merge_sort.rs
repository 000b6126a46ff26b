//! An interruptible sort.

use std::cmp::Ordering;

use errors::Error;
use owner::Interrupt;

use crate::value::Value;

/// The elements that the standard library sorts in one step, and those merged between two checks.
///
/// This is the number for comparisons of a few bytes.
const RUN: usize = 1 << 16;
/// The same number for comparisons of texts by their collation.
const RUN_OF_VALUES: usize = 1 << 13;

/// Sorts elements and calls `check` every few milliseconds. Elements that compare equal come in any
/// order.
///
/// After an error of `check` the elements are in no particular order.
pub fn merge_sort<T: Copy, E>(
    elements: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
    check: impl Fn() -> Result<(), E>,
) -> Result<(), E> {
    sort_in_runs(elements, RUN, compare, check)
}

/// Returns the positions of values, sorted by AQL's order of the values; equal ones stay in order.
///
/// Errors: 1500 if the query is ended during this.
pub fn order_of(values: &[Value], interrupt: &Interrupt) -> errors::Result<Vec<u32>> {
    let count = u32::try_from(values.len()).map_err(|_| Error::internal("too many values to sort"))?;
    let mut order: Vec<u32> = (0..count).collect();
    let value = |position: &u32| values.get(*position as usize);
    let compare = |left: &u32, right: &u32| {
        let values = value(left).zip(value(right));
        values.map_or(Ordering::Equal, |(left, right)| left.compare(right)).then_with(|| left.cmp(right))
    };
    sort_in_runs(&mut order, RUN_OF_VALUES, compare, || interrupt.check())?;
    Ok(order)
}

fn sort_in_runs<T: Copy, E>(
    elements: &mut Vec<T>,
    length: usize,
    compare: impl Fn(&T, &T) -> Ordering,
    check: impl Fn() -> Result<(), E>,
) -> Result<(), E> {
    for run in elements.chunks_mut(length) {
        check()?;
        run.sort_unstable_by(&compare);
    }
    let mut merged = Vec::new();
    let mut run = length;
    while run < elements.len() {
        merged.clear();
        merged.reserve_exact(elements.len());
        for pair in elements.chunks(run.saturating_mul(2)) {
            let (left, right) = pair.split_at_checked(run).unwrap_or((pair, &[]));
            merge(left, right, &mut merged, &compare, &check)?;
        }
        std::mem::swap(elements, &mut merged);
        run = run.saturating_mul(2);
    }
    debug_assert!(
        elements.is_sorted_by(|left, right| compare(left, right).is_le()),
        "sorted elements do not ascend"
    );
    Ok(())
}

fn merge<T: Copy, E>(
    mut left: &[T],
    mut right: &[T],
    merged: &mut Vec<T>,
    compare: &impl Fn(&T, &T) -> Ordering,
    check: &impl Fn() -> Result<(), E>,
) -> Result<(), E> {
    while let (Some((first, left_rest)), Some((second, right_rest))) =
        (left.split_first(), right.split_first())
    {
        if merged.len().is_multiple_of(RUN) {
            check()?;
        }
        if compare(first, second).is_lt() {
            merged.push(*first);
            left = left_rest;
        } else {
            merged.push(*second);
            right = right_rest;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn scrambled(count: u64) -> Vec<u64> {
        // An odd factor permutes the numbers below 2^64.
        (0..count).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
    }

    #[test]
    fn sorts_any_number_of_elements() {
        for count in [0, 1, 2, RUN - 1, RUN, RUN + 1, 3 * RUN + 7] {
            let mut elements = scrambled(count as u64);
            let mut expected = elements.clone();
            expected.sort_unstable();
            merge_sort(&mut elements, u64::cmp, || Ok::<(), ()>(())).unwrap();
            assert!(elements == expected, "{count} elements");
        }
    }

    #[test]
    fn values_are_ordered_and_equal_ones_keep_their_order() {
        let numbers = scrambled(2 * RUN_OF_VALUES as u64 + 5).into_iter().map(|number| number % 1000);
        let values: Vec<Value> = numbers.map(|number| Value::Int(number as i64)).collect();
        let mut expected: Vec<u32> = (0..values.len() as u32).collect();
        expected.sort_by_key(|position| values[*position as usize].to_i64());
        assert_eq!(order_of(&values, &Interrupt::new()).unwrap(), expected);
        let interrupt = Interrupt::new();
        interrupt.kill();
        assert_eq!(order_of(&values, &interrupt).unwrap_err().number(), 1500);
    }

    #[test]
    fn ends_when_it_is_told_to() {
        let checks = Cell::new(0);
        let check = || {
            checks.set(checks.get() + 1);
            if checks.get() > 2 { Err("stop") } else { Ok(()) }
        };
        assert_eq!(merge_sort(&mut scrambled(10 * RUN as u64), u64::cmp, check), Err("stop"));
        assert_eq!(checks.get(), 3);
    }
}
