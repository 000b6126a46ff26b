//! Sort keys: bytes whose order under memcmp is AQL's order.
//!
//! A key delimits itself: no key is the prefix of another. So the keys of several values can be
//! joined into one, which then orders by the first, the second and so on. Equal values have equal
//! keys.
//!
//! ```text
//! null    10
//! false   20
//! true    21
//! number  30 · double, 8 bytes, big-endian, ordered · if it is 2^53 or more: 2 bytes to add to it
//! string  40 · collation key · 00                     printable ASCII
//!         40 · collation key · 01 · bytes + 1 · 00    all others
//! array   50 · keys of the elements up to the last that is not null · 00
//! object  60 · for each attribute that is not null, by name: FE - name bytes · FF · key · 00
//! ```
//! - The double of a number is the greatest that is not above it, so that integers between two
//!   doubles sort between them. Ordered: all bits inverted if negative, else the sign bit inverted.
//! - A collation key has no byte 00 and no third 01, so the ends sort a string before its
//!   continuations.
//! - The end of an array or object, 00, is below every key. It meets a value on the other side,
//!   where its own is missing and counts as null, so it must be less or equal.
//! - If two objects first differ in a name, the one with the smaller name is greater, because the
//!   other lacks it. Therefore names are inverted and end with FF.

use super::collation::push_collation_key;
use super::number::floor_double;
use super::{Class, Context};
use crate::iterate::RawSortedEntries;
use crate::limits::MAX_DEPTH;
use crate::{Kind, Number, Slice};

const END: u8 = 0x00;
const NULL: u8 = 0x10;
const FALSE: u8 = 0x20;
const TRUE: u8 = 0x21;
const NUMBER: u8 = 0x30;
const STRING: u8 = 0x40;
const ARRAY: u8 = 0x50;
const OBJECT: u8 = 0x60;
const STRING_OTHER: u8 = 0x01;
const NAME_END: u8 = 0xFF;
const NAME_INVERSE: u8 = 0xFE;

/// The number from which on doubles skip integers.
const FIRST_GAP: f64 = 9_007_199_254_740_992.0;

/// Appends the sort key of a value. `_id` markers count as null.
#[inline]
pub fn sort_key(value: Slice<'_>, out: &mut Vec<u8>) {
    sort_key_with(value, None, out);
}

/// Appends the sort key of a value that can be a stored document of the collection named.
pub fn sort_key_with(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    push_member(Context { collection }, value, Slice::NONE, 0, out);
}

/// Appends the sort key of null.
pub fn sort_key_null(out: &mut Vec<u8>) {
    out.push(NULL);
}

/// Appends the sort key of a bool.
pub fn sort_key_bool(value: bool, out: &mut Vec<u8>) {
    out.push(if value { TRUE } else { FALSE });
}

/// Appends the sort key of a number; one that is not finite counts as null.
#[inline]
pub fn sort_key_number(value: Number, out: &mut Vec<u8>) {
    let (double, rest) = floor_double(value);
    if !double.is_finite() {
        return sort_key_null(out);
    }
    // Adding 0.0 makes -0.0 positive.
    let bits = (double + 0.0).to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    let [a, b, c, d, e, f, g, h] = ordered.to_be_bytes();
    out.extend_from_slice(&[NUMBER, a, b, c, d, e, f, g, h]);
    if double.abs() >= FIRST_GAP {
        out.extend_from_slice(&rest.to_be_bytes());
    }
}

/// Appends the sort key of a string.
#[inline]
pub fn sort_key_str(text: &str, out: &mut Vec<u8>) {
    push_string(text.as_bytes(), out);
}

/// Returns the least key that a value of the kind can have; number kinds share theirs.
///
/// Only the six kinds of AQL have keys of their own; all others return the bounds of null.
pub const fn type_lower_bound(kind: Kind) -> &'static [u8] {
    match kind {
        Kind::Bool => &[FALSE],
        Kind::Int | Kind::UInt | Kind::Double => &[NUMBER],
        Kind::String => &[STRING],
        Kind::Array => &[ARRAY],
        Kind::Object => &[OBJECT],
        _ => &[NULL],
    }
}

/// Returns a bound above every key of the kind, and not above those of the next kind.
pub const fn type_upper_bound(kind: Kind) -> &'static [u8] {
    match kind {
        Kind::Bool => &[NUMBER],
        Kind::Int | Kind::UInt | Kind::Double => &[STRING],
        Kind::String => &[ARRAY],
        Kind::Array => &[OBJECT],
        Kind::Object => &[OBJECT + 0x10],
        _ => &[FALSE],
    }
}

fn push_member(context: Context<'_>, value: Slice<'_>, parent: Slice<'_>, depth: usize, out: &mut Vec<u8>) {
    match context.classify(value, parent) {
        Class::Null => sort_key_null(out),
        Class::Bool(value) => sort_key_bool(value, out),
        Class::Number(value) => sort_key_number(value, out),
        Class::String(text) => push_string(text, out),
        id @ Class::Id(_) => push_string(&id.text(context), out),
        Class::Array(array) => push_array(context, array, depth + 1, out),
        Class::Object(object) => push_object(context, object, depth + 1, out),
    }
}

fn push_array(context: Context<'_>, array: Slice<'_>, depth: usize, out: &mut Vec<u8>) {
    out.push(ARRAY);
    let mut end = out.len();
    if depth <= MAX_DEPTH {
        for element in array.elements() {
            let start = out.len();
            push_member(context, element, Slice::NONE, depth, out);
            if out.get(start) != Some(&NULL) {
                end = out.len();
            }
        }
    }
    out.truncate(end);
    out.push(END);
}

fn push_object(context: Context<'_>, object: Slice<'_>, depth: usize, out: &mut Vec<u8>) {
    out.push(OBJECT);
    if depth <= MAX_DEPTH {
        for (name, value) in RawSortedEntries::new(object) {
            let start = out.len();
            // No byte of UTF-8 is above F4.
            out.extend(name.iter().map(|&byte| NAME_INVERSE.saturating_sub(byte)));
            out.push(NAME_END);
            let key = out.len();
            push_member(context, value, object, depth, out);
            if out.get(key) == Some(&NULL) {
                out.truncate(start);
            }
        }
    }
    out.push(END);
}

/// Appends a string. It stays out of line: its room for weights would burden every other kind of
/// value.
#[inline(never)]
fn push_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(STRING);
    let is_printable_ascii = push_collation_key(text, out);
    if !is_printable_ascii {
        out.push(STRING_OTHER);
        out.extend(text.iter().map(|&byte| byte.saturating_add(1)));
    }
    out.push(END);
}
