//! Hashes that are equal for equal values, and the same on every machine and in every run of a
//! version.

use super::number::as_integer;
use super::{Class, Context};
use crate::limits::MAX_DEPTH;
use crate::{Number, Slice};

/// Seeds of the classes: odd constants without structure (digits of the golden ratio and of pi).
const NULL: u64 = 0x9E37_79B9_7F4A_7C15;
const BOOL: u64 = 0x243F_6A88_85A3_08D3;
const INTEGER: u64 = 0x1319_8A2E_0370_7345;
const DOUBLE: u64 = 0xA409_3822_299F_31D1;
const STRING: u64 = 0x082E_FA98_EC4E_6C89;
const ARRAY: u64 = 0x4528_21E6_38D0_1377;
const OBJECT: u64 = 0xBE54_66CF_34E9_0C6D;

/// Returns the hash of a value: equal values have equal hashes. `_id` markers count as null.
#[inline]
pub fn hash(value: Slice<'_>) -> u64 {
    hash_with(value, None)
}

/// Returns the hash of a value that can be a stored document of the collection named.
pub fn hash_with(value: Slice<'_>, collection: Option<&str>) -> u64 {
    hash_member(Context { collection }, value, Slice::NONE, 0)
}

/// Returns the hash of null.
pub const fn hash_null() -> u64 {
    NULL
}

/// Returns the hash of a bool.
#[inline]
pub const fn hash_bool(value: bool) -> u64 {
    mix(BOOL, value as u64)
}

/// Returns the hash of a number, the same for 1 and 1.0.
#[inline]
pub fn hash_number(value: Number) -> u64 {
    match as_integer(value) {
        // Integers beyond i64 have no negative counterpart with the same bits: those are Int.
        Some(Number::Int(value)) => mix(INTEGER, value as u64),
        Some(Number::UInt(value)) => mix(INTEGER ^ 1, value),
        _ => mix(DOUBLE, value.to_f64().to_bits()),
    }
}

/// Returns the hash of a string.
#[inline]
pub fn hash_str(text: &str) -> u64 {
    hash_bytes(text.as_bytes())
}

#[inline]
fn hash_bytes(text: &[u8]) -> u64 {
    mix(STRING, rapidhash::v3::rapidhash_v3(text))
}

/// Mixes two numbers into one. Every bit of the result depends on every bit of both.
#[inline]
const fn mix(left: u64, right: u64) -> u64 {
    let product = (left ^ 0x2D35_8DCC_AA6C_78A5) as u128 * (right ^ 0x8BB8_4B93_962E_ACC9) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

fn hash_member(context: Context<'_>, value: Slice<'_>, parent: Slice<'_>, depth: usize) -> u64 {
    match context.classify(value, parent) {
        Class::Null => NULL,
        Class::Bool(value) => hash_bool(value),
        Class::Number(value) => hash_number(value),
        Class::String(text) => hash_bytes(text),
        id @ Class::Id(_) => hash_bytes(&id.text(context)),
        Class::Array(_) if depth >= MAX_DEPTH => ARRAY,
        Class::Object(_) if depth >= MAX_DEPTH => OBJECT,
        Class::Array(array) => hash_array(context, array, depth + 1),
        Class::Object(object) => hash_object(context, object, depth + 1),
    }
}

/// Hashes an array. Nulls count only when something else follows them.
fn hash_array(context: Context<'_>, array: Slice<'_>, depth: usize) -> u64 {
    let mut hash = ARRAY;
    let mut nulls = 0u64;
    for element in array.elements() {
        let element = hash_member(context, element, Slice::NONE, depth);
        if element == NULL {
            nulls += 1;
        } else {
            hash = mix(mix(hash, nulls), element);
            nulls = 0;
        }
    }
    hash
}

/// Hashes an object as a sum, so that the order of the attributes does not matter and none is
/// sorted.
fn hash_object(context: Context<'_>, object: Slice<'_>, depth: usize) -> u64 {
    let mut sum = 0u64;
    for (name, value) in object.raw_entries() {
        let value = hash_member(context, value, object, depth);
        if value != NULL {
            sum = sum.wrapping_add(mix(hash_bytes(name), value));
        }
    }
    mix(OBJECT, sum)
}
