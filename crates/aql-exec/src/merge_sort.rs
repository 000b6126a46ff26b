//! A sort that can be interrupted.

use std::cmp::Ordering;

/// Elements that are sorted by the standard library in one step, and elements merged between two checks.
const RUN: usize = 1 << 16;

/// Sorts elements, of which no two compare equal, calling `check` every few milliseconds. After an error of `check` the
/// elements are in no particular order.
pub(crate) fn merge_sort<T: Copy, E>(
    elements: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
    check: impl Fn() -> Result<(), E>,
) -> Result<(), E> {
    for run in elements.chunks_mut(RUN) {
        check()?;
        run.sort_unstable_by(&compare);
    }
    let mut merged = Vec::new();
    let mut run = RUN;
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
    use super::*;
    use std::cell::Cell;

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
