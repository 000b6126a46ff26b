//! Sorting of many names that share prefixes.
//!
//! To compare whole names, the sort would read the object twice a comparison. It skips the common
//! prefix of a group instead and compares the next eight bytes as numbers. Names that agree in
//! these bytes too form a group of their own.

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
pub(super) fn sort_by_name<'o>(offsets: &mut [u32], name: impl Fn(u32) -> &'o [u8]) {
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
        group.sort_unstable();
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
