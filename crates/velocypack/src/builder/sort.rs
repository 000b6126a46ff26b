//! Sorting of many names that share prefixes.
//!
//! To compare whole names, the sort would read the object twice per comparison. It skips the common
//! prefix of a group instead and compares the next eight bytes as numbers. Names that agree in
//! these bytes too form a group of their own.

use crate::{Error, Result};

/// Largest group that is sorted by comparing whole names.
const SMALL_GROUP: usize = 8;

/// The part of a name after the common prefix of its group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rest {
    /// The next eight bytes, padded by 0.
    bytes: u64,
    /// Number of remaining bytes; 9 if there are more than 8. Tells padding from bytes that are 0.
    length: u8,
    /// The offset of the name, which orders equal names.
    offset: u32,
}

/// Sorts offsets by the names at them, and equal names by offset. `name` returns the name at an
/// offset.
///
/// Errors: [`Error::Interrupted`] if `is_ended` returns true.
pub(super) fn sort_by_name<'o>(
    offsets: &mut [u32],
    name: impl Fn(u32) -> &'o [u8],
    is_ended: &mut dyn FnMut() -> bool,
) -> Result<()> {
    let mut rests: Vec<Rest> =
        offsets.iter().map(|&offset| Rest { bytes: 0, length: LONG, offset }).collect();
    // Groups still to be sorted, each with the known length of its common prefix.
    let mut groups = vec![(0..rests.len(), 0)];
    while let Some((range, known)) = groups.pop() {
        let start = range.start;
        let Some(group) = rests.get_mut(range) else { continue };
        if group.len() <= SMALL_GROUP {
            group.sort_unstable_by(|left, right| {
                name(left.offset).cmp(name(right.offset)).then(left.offset.cmp(&right.offset))
            });
            continue;
        }
        let common = common_bytes(group, known, &name);
        for rest in group.iter_mut() {
            let behind = name(rest.offset).get(common..).unwrap_or(&[]);
            (rest.bytes, rest.length) = (name_prefix(behind), behind.len().min(usize::from(LONG)) as u8);
        }
        sort_in_runs(group, |rest| *rest, is_ended)?;
        let mut from = start;
        for alike in group.chunk_by(|left, right| (left.bytes, left.length) == (right.bytes, right.length)) {
            // Names that end within the eight bytes are equal.
            if alike.len() > 1 && alike.first().is_some_and(|rest| rest.length == LONG) {
                groups.push((from..from + alike.len(), common + 8));
            }
            from += alike.len();
        }
    }
    offsets.iter_mut().zip(rests).for_each(|(offset, rest)| *offset = rest.offset);
    Ok(())
}

/// Elements that are sorted in one step, and that are merged between two calls of `is_ended`.
const RUN: usize = 1 << 15;

/// Sorts elements by a key that no two of them share. Many are sorted in runs, which are merged.
///
/// Errors: [`Error::Interrupted`] if `is_ended` returns true.
pub(super) fn sort_in_runs<T: Copy, K: Ord>(
    elements: &mut [T],
    key: impl Fn(&T) -> K,
    is_ended: &mut dyn FnMut() -> bool,
) -> Result<()> {
    if elements.len() <= RUN {
        elements.sort_unstable_by_key(key);
        return Ok(());
    }
    for run in elements.chunks_mut(RUN) {
        go_on(is_ended)?;
        run.sort_unstable_by_key(&key);
    }
    let mut merged = Vec::with_capacity(elements.len());
    let mut length = RUN;
    while length < elements.len() {
        merged.clear();
        for pair in elements.chunks(2 * length) {
            let (mut left, mut right) = pair.split_at_checked(length).unwrap_or((pair, &[]));
            while let (Some((first, left_rest)), Some((second, right_rest))) =
                (left.split_first(), right.split_first())
            {
                if merged.len().is_multiple_of(RUN) {
                    go_on(is_ended)?;
                }
                if key(first) < key(second) {
                    merged.push(*first);
                    left = left_rest;
                } else {
                    merged.push(*second);
                    right = right_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        elements.copy_from_slice(&merged);
        length *= 2;
    }
    Ok(())
}

fn go_on(is_ended: &mut dyn FnMut() -> bool) -> Result<()> {
    if is_ended() { Err(Error::Interrupted) } else { Ok(()) }
}

/// The length of a rest of more than eight bytes.
const LONG: u8 = 9;

/// Returns the length of the common prefix of a group, of which `known` bytes are known.
fn common_bytes<'o>(group: &[Rest], known: usize, name: &impl Fn(u32) -> &'o [u8]) -> usize {
    let Some((first, others)) = group.split_first() else { return known };
    let mut beginning = name(first.offset).get(known..).unwrap_or(&[]);
    for other in others {
        let other = name(other.offset).get(known..).unwrap_or(&[]);
        let common = beginning.iter().zip(other).take_while(|(left, right)| left == right).count();
        beginning = beginning.get(..common).unwrap_or(&[]);
        if beginning.is_empty() {
            break;
        }
    }
    known + beginning.len()
}

/// Returns the first 8 bytes of a name, padded by 0, as a number that orders as the bytes do.
#[inline]
pub(super) fn name_prefix(name: &[u8]) -> u64 {
    if let Some(prefix) = name.first_chunk::<8>() {
        return u64::from_be_bytes(*prefix);
    }
    if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        // Four bytes from each end. Where they overlap, they agree.
        let unused_bits = 8 * (8 - name.len() as u32);
        let first = u64::from(u32::from_be_bytes(*first)) << 32;
        return first | u64::from(u32::from_be_bytes(*last)) << unused_bits;
    }
    name.iter().fold((0, 56), |(prefix, shift), &byte| (prefix | u64::from(byte) << shift, shift - 8)).0
}
