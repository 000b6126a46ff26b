//! Samples of the keys, from which the sizes of ranges and the points that divide them are
//! estimated.
//!
//! A hash decides for each key whether it is a sample, so writes maintain the samples without
//! reading anything. There are sets of samples of different density. A large range is estimated
//! from a thin set, so an estimate takes about as long whatever the range's size is.

use std::ops::Bound;

use heed::{RoTxn, RwTxn};
use kv::{KeyRange, Result};

use crate::environment::Table;
use crate::error::map;
use crate::keys::{PART_BYTES, StoredRange};

/// The density of each set: one of 2^n keys.
const SETS: [u8; 5] = [6, 9, 12, 15, 18];

/// The number of samples that are enough for an estimate: its error is then about a tenth.
pub(crate) const ENOUGH: usize = 128;

/// A key with the bytes that it stands for: its own pair and those of its neighbours.
pub(crate) type Sample = (Vec<u8>, u64);

/// Returns the bits that decide in which sets a key is.
fn hash(key: &[u8]) -> u64 {
    // This function is part of the format, because deletions must find the samples again.
    (u64::from(crc32c::crc32c(key)) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24
}

fn sets_of(key: &[u8]) -> impl Iterator<Item = u8> {
    let zeros = hash(key).trailing_zeros();
    SETS.into_iter().take_while(move |bits| u32::from(*bits) <= zeros)
}

fn stored(set: u8, key: &[u8]) -> Vec<u8> {
    let mut stored = vec![set];
    stored.extend_from_slice(key.get(..PART_BYTES).unwrap_or(key));
    stored
}

/// Notes that a pair of this many bytes was written.
pub(crate) fn note_put(table: Table, transaction: &mut RwTxn<'_>, key: &[u8], bytes: usize) -> Result<()> {
    let bytes = (bytes as u64).to_le_bytes();
    for set in sets_of(key) {
        table.put(transaction, &stored(set, key), &bytes).map_err(map("writing a sample"))?;
    }
    Ok(())
}

/// Notes that a key was deleted.
pub(crate) fn note_delete(table: Table, transaction: &mut RwTxn<'_>, key: &[u8]) -> Result<()> {
    for set in sets_of(key) {
        table.delete(transaction, &stored(set, key)).map_err(map("deleting a sample"))?;
    }
    Ok(())
}

/// Notes that a range was deleted.
pub(crate) fn note_delete_range(table: Table, transaction: &mut RwTxn<'_>, range: &KeyRange) -> Result<()> {
    for set in SETS {
        table.delete_range(transaction, &bounds(set, range)).map_err(map("deleting samples"))?;
    }
    Ok(())
}

fn bounds(set: u8, range: &KeyRange) -> StoredRange {
    let end = if range.end.is_empty() { vec![set + 1] } else { stored(set, &range.end) };
    StoredRange { first: Bound::Included(stored(set, &range.start)), last: Bound::Excluded(end) }
}

/// Returns samples of a range in ascending order: those of the thinnest set that has enough.
pub(crate) fn of_range(table: Table, transaction: &RoTxn<'_>, range: &KeyRange) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for set in SETS.into_iter().rev() {
        samples.clear();
        for pair in table.range(transaction, &bounds(set, range)).map_err(map("reading samples"))? {
            let (stored, bytes) = pair.map_err(map("reading samples"))?;
            let bytes = bytes.try_into().map_or(0, u64::from_le_bytes);
            samples.push((stored.get(1..).unwrap_or_default().to_vec(), bytes << set));
        }
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
