//! Scalars and names as bytes, each in the shortest form the format has.

use crate::format::{DOUBLE, INT, LONG_STRING, NULL, SHORT_STRING, SHORT_STRING_MAX, SMALL_INT, UINT};

/// Appends an integer.
#[inline]
pub(crate) fn push_i64(out: &mut Vec<u8>, value: i64) {
    if value >= 0 {
        push_u64(out, value as u64);
    } else if value >= -6 {
        out.push((0x40 + value) as u8);
    } else {
        // One bit more than the magnitude needs, for the sign.
        let bits = 65 - (!value).leading_zeros() as usize;
        push_wide(out, INT, value as u64, bits.div_ceil(8));
    }
}

/// Appends an integer that is not negative.
#[inline]
pub(crate) fn push_u64(out: &mut Vec<u8>, value: u64) {
    if value <= 9 {
        out.push(SMALL_INT + value as u8);
    } else {
        let bits = 64 - value.leading_zeros() as usize;
        push_wide(out, UINT, value, bits.div_ceil(8));
    }
}

/// Appends the lowest `width` (1 to 8) bytes of `value` after a type byte.
#[inline]
fn push_wide(out: &mut Vec<u8>, first: u8, value: u64, width: usize) {
    out.push(first + (width - 1) as u8);
    // A copy of fixed length and a cut are faster than a copy of variable length.
    let length = out.len() + width;
    out.extend_from_slice(&value.to_le_bytes());
    out.truncate(length);
}

/// Appends a double; NaN and the infinities, which JSON cannot hold, become null.
#[inline]
pub(crate) fn push_f64(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
        out.extend_from_slice(&[DOUBLE, a, b, c, d, e, f, g, h]);
    } else {
        out.push(NULL);
    }
}

/// Appends the first `length` bytes of `source`.
///
/// Bytes after them make the copy of a short text faster: the copy then has a fixed length and is
/// cut afterwards.
#[inline]
pub(crate) fn push_start_of(out: &mut Vec<u8>, source: &[u8], length: usize) {
    if length <= 16
        && let Some(chunk) = source.first_chunk::<16>()
    {
        let end = out.len() + length;
        out.extend_from_slice(chunk);
        out.truncate(end);
    } else {
        out.extend_from_slice(source.get(..length).unwrap_or(source));
    }
}

/// Appends a string: the first `length` bytes of `source`.
#[inline]
pub(crate) fn push_str_start_of(out: &mut Vec<u8>, source: &[u8], length: usize) {
    push_str_header(out, length);
    push_start_of(out, source, length);
}

/// Appends a string.
#[inline]
pub(crate) fn push_str(out: &mut Vec<u8>, text: &[u8]) {
    push_str_header(out, text.len());
    out.extend_from_slice(text);
}

/// Appends the type byte and length of a string of `length` bytes.
#[inline]
pub(crate) fn push_str_header(out: &mut Vec<u8>, length: usize) {
    if length <= SHORT_STRING_MAX {
        out.push(SHORT_STRING + length as u8);
    } else {
        out.push(LONG_STRING);
        out.extend_from_slice(&(length as u64).to_le_bytes());
    }
}

/// Returns the number of bytes that [`push_str`] appends for a text of `length` bytes.
#[inline]
pub(crate) const fn str_length(length: usize) -> usize {
    if length <= SHORT_STRING_MAX { 1 + length } else { 9 + length }
}
