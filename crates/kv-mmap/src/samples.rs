//! Samples of the keys, from which the sizes of ranges and the points that divide them are
//! estimated.
//!
//! A hash decides for each key whether it is a sample, so writes maintain the samples without
//! reading anything. There are sets of samples of different density. A large range is estimated
//! from a thin set, so an estimate takes about as long whatever the range's size is.

use std::ops::{Bound, RangeBounds};

use kv::{KeyRange, Result};

/// The maximum length of a key in a sample. With the number of the set it stays below LMDB's limit,
/// 1,982 bytes with pages of 4 KiB.
const KEY_BYTES_MAX: usize = 1_900;

/// The density of each set: one of 2^n keys.
pub(crate) const SETS: [u8; 5] = [6, 9, 12, 15, 18];

/// The number of samples that are enough for an estimate: its error is then about a tenth.
pub(crate) const ENOUGH: usize = 128;

/// A key with the bytes that it stands for: its own pair and those of its neighbours.
pub(crate) type Sample = (Vec<u8>, u64);

/// A range of stored keys of one table.
pub(crate) struct StoredRange {
    pub(crate) first: Bound<Vec<u8>>,
    pub(crate) last: Bound<Vec<u8>>,
}

impl RangeBounds<[u8]> for StoredRange {
    fn start_bound(&self) -> Bound<&[u8]> {
        self.first.as_ref().map(Vec::as_slice)
    }

    fn end_bound(&self) -> Bound<&[u8]> {
        self.last.as_ref().map(Vec::as_slice)
    }
}

/// Returns the bits that decide in which sets a key is.
fn hash(key: &[u8]) -> u64 {
    // This function is part of the format, because deletions must find the samples again.
    (u64::from(crc32c::crc32c(key)) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24
}

fn sets_of(key: &[u8]) -> impl Iterator<Item = u8> {
    let zeros = hash(key).trailing_zeros();
    SETS.into_iter().take_while(move |bits| u32::from(*bits) <= zeros)
}

/// Returns the stored keys of the samples that a key is: one for each set that it is in.
pub(crate) fn stored_keys(key: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    sets_of(key).map(move |set| stored(set, key))
}

fn stored(set: u8, key: &[u8]) -> Vec<u8> {
    let mut stored = vec![set];
    stored.extend_from_slice(key.get(..KEY_BYTES_MAX).unwrap_or(key));
    stored
}

/// Returns the stored keys of the samples of a range in one set.
pub(crate) fn bounds(set: u8, range: &KeyRange) -> StoredRange {
    let end = if range.end.is_empty() { vec![set + 1] } else { stored(set, &range.end) };
    StoredRange { first: Bound::Included(stored(set, &range.start)), last: Bound::Excluded(end) }
}

/// Returns the sample of a set from its stored form.
pub(crate) fn sample(set: u8, stored: &[u8], bytes: &[u8]) -> Sample {
    let bytes = bytes.try_into().map_or(0, u64::from_le_bytes);
    (stored.get(1..).unwrap_or_default().to_vec(), bytes << set)
}

/// Returns the samples of the thinnest set that has enough; `read` adds those of one set.
pub(crate) fn enough(mut read: impl FnMut(u8, &mut Vec<Sample>) -> Result<()>) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for set in SETS.into_iter().rev() {
        samples.clear();
        read(set, &mut samples)?;
        if samples.len() >= ENOUGH {
            break;
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_share_of_the_keys() {
        for set in [6, 9] {
            let keys = 1 << 18;
            let found = (0..keys).filter(|i: &u32| sets_of(&i.to_be_bytes()).any(|of| of == set)).count();
            let expected = keys as usize >> set;
            assert!((expected * 3 / 4..expected * 5 / 4).contains(&found), "{found} for {expected}");
        }
    }
}
