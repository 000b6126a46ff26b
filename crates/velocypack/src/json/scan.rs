//! A search for the bytes of a string that need a closer look, several at a time.

use super::room::PIECE;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Sets the high bit of each byte of `word` that is `"`, `\` or a control character.
///
/// Only the lowest bit set is reliable: a borrow can set bits above it.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let is_quote = quote.wrapping_sub(ONES) & !quote;
    let is_backslash = backslash.wrapping_sub(ONES) & !backslash;
    let is_control = word.wrapping_sub(ONES * 0x20) & !word;
    (is_quote | is_backslash | is_control) & HIGH_BITS
}

#[inline(always)]
const fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// Returns the number of bytes before the first `"`, `\` or control character; all of them if there
/// is none.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let mut position = 0;
    let mut rest = bytes;
    while let Some((word, behind)) = rest.split_first_chunk::<8>() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return position + special.trailing_zeros() as usize / 8;
        }
        position += 8;
        rest = behind;
    }
    position + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

/// Returns true if the first `length` bytes of a piece have no `"`, `\` or control character.
#[inline(always)]
pub(super) fn is_plain(piece: &[u8; PIECE], length: usize) -> bool {
    let start = PIECE - length.min(PIECE);
    let Some(behind) = BEHIND.get(start..).and_then(|masks| masks.first_chunk::<PIECE>()) else {
        return false;
    };
    // No branches, so that it compiles to a few instructions for all bytes together.
    let mut special = false;
    for (byte, behind) in piece.iter().zip(behind) {
        special |= is_special(byte | behind);
    }
    !special
}

/// Sixteen zeroes, then bits that make any byte a plain one.
static BEHIND: [u8; 2 * PIECE] = {
    let mut masks = [0; 2 * PIECE];
    let mut position = PIECE;
    while position < masks.len() {
        masks[position] = 0x80;
        position += 1;
    }
    masks
};
