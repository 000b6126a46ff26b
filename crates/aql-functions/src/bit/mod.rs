//! Bit functions over integers from 0 to 2^32 - 1; other arguments give null with warning 1542.

mod combine;
mod positions;
mod shift;
mod text;

use aql_value::{Function, Value};

use crate::define::pure;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("BIT_AND", 1, 2, combine::bit_and),
    pure("BIT_CONSTRUCT", 1, 1, positions::bit_construct),
    pure("BIT_DECONSTRUCT", 1, 1, positions::bit_deconstruct),
    pure("BIT_FROM_STRING", 1, 1, text::bit_from_string),
    pure("BIT_NEGATE", 2, 2, shift::bit_negate),
    pure("BIT_OR", 1, 2, combine::bit_or),
    pure("BIT_POPCOUNT", 1, 1, positions::bit_popcount),
    pure("BIT_SHIFT_LEFT", 3, 3, shift::bit_shift_left),
    pure("BIT_SHIFT_RIGHT", 3, 3, shift::bit_shift_right),
    pure("BIT_TEST", 2, 2, positions::bit_test),
    pure("BIT_TO_STRING", 2, 2, text::bit_to_string),
    pure("BIT_XOR", 1, 2, combine::bit_xor),
];

/// The width of the numbers.
const BITS: u32 = u32::BITS;

/// Returns the number if it is an integer in range.
fn bits_of(value: &Value) -> Option<u32> {
    let number = value
        .as_f64()
        .filter(|number| (0.0..=f64::from(u32::MAX)).contains(number) && number.fract() == 0.0)?;
    Some(number as u32)
}

/// Returns the number if it is at most `most`.
fn count_of(value: &Value, most: u32) -> Option<u32> {
    bits_of(value).filter(|count| *count <= most)
}

/// Returns the lowest `bits` bits.
fn keep(number: u64, bits: u32) -> Value {
    Value::from_u64(number & ((1 << bits) - 1))
}
