//! Sorting many names of which many begin alike.
//!
//! Comparing whole names takes a look into the object for both each time. Instead the bytes that all names of a group begin
//! with are skipped, and the next eight are compared as numbers; names that agree in these, too, are a group of their own.

/// Groups up to so many names are sorted by comparing whole names.
const SMALL_GROUP: usize = 8;

/// What a name goes on with behind the beginning of its group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rest {
    /// The next eight bytes, padded by 0.
    bytes: u64,
    /// How many bytes there are; 9 for all longer ones. Tells padding from bytes that are 0.
    length: u8,
    /// The place of the name, which decides between equal ones.
    offset: u32,
}

/// Orders places by the names that are there, those with equal names by place. `name` answers the name at a place.
pub(super) fn sort_by_name<'o>(offsets: &mut [u32], name: impl Fn(u32) -> &'o [u8]) {
    let mut rests: Vec<Rest> =
        offsets.iter().map(|&offset| Rest { bytes: 0, length: LONG, offset }).collect();
    // Groups still to be sorted, each with the number of bytes that its names are known to have in common.
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

/// How many bytes all names of a group have in common, of which some are known.
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

/// The first 8 bytes of a name, padded by 0, as a number that orders as the bytes do.
#[inline]
pub(super) fn name_prefix(name: &[u8]) -> u64 {
    if let Some(prefix) = name.first_chunk::<8>() {
        return u64::from_be_bytes(*prefix);
    }
    if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        // Four bytes from each end; where they overlap they agree.
        let unused_bits = 8 * (8 - name.len() as u32);
        let first = u64::from(u32::from_be_bytes(*first)) << 32;
        return first | u64::from(u32::from_be_bytes(*last)) << unused_bits;
    }
    name.iter().fold((0, 56), |(prefix, shift), &byte| (prefix | u64::from(byte) << shift, shift - 8)).0
}
