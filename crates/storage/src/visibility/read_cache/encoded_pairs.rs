//! All entries of an index with one value, in one piece of memory.
//!
//! `for each entry: length of the rest of its key (4 bytes) · length of its value (4 bytes) · rest
//! of its key · value`, numbers in little-endian order. The rest of a key is the part after the
//! prefix that all of them share.

use kv::Block;

/// The bytes of both lengths.
const LENGTHS_BYTES: usize = 8;

/// Replaces the contents of `bytes` with the pairs of a block whose keys share a prefix of
/// `prefix_bytes`.
pub(super) fn encode(block: &Block, prefix_bytes: usize, bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.reserve(block.size_bytes() + block.len() * LENGTHS_BYTES);
    for (key, value) in block.iter() {
        let rest = key.get(prefix_bytes..).unwrap_or_default();
        // A pair has at most `kv::PAIR_BYTES_MAX`, which 4 bytes can hold.
        for length in [rest.len(), value.len()] {
            bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend_from_slice(rest);
        bytes.extend_from_slice(value);
    }
}

/// Iterates over the rest of the key and the value of each pair.
pub(super) fn iter(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut left = bytes;
    std::iter::from_fn(move || {
        let (&[a, b, c, d, e, f, g, h], behind) = left.split_first_chunk::<LENGTHS_BYTES>()?;
        let (key, behind) = behind.split_at_checked(u32::from_le_bytes([a, b, c, d]) as usize)?;
        let (value, behind) = behind.split_at_checked(u32::from_le_bytes([e, f, g, h]) as usize)?;
        left = behind;
        Some((key, value))
    })
}
