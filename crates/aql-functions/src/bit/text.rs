//! Numbers as texts of the digits 0 and 1.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::{BITS, bits_of, count_of};
use crate::argument::{invalid, value};

/// `BIT_FROM_STRING(bitstring)`: at most 32 digits.
pub(crate) fn bit_from_string(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let is_bits =
        |text: &&str| text.len() <= BITS as usize && text.bytes().all(|digit| matches!(digit, b'0' | b'1'));
    let number =
        value(arguments, 0).as_str().filter(is_bits).and_then(|text| u32::from_str_radix(text, 2).ok());
    match number {
        Some(number) => Ok(Value::Int(i64::from(number))),
        None => invalid(context, "BIT_FROM_STRING"),
    }
}

/// `BIT_TO_STRING(number, bits)`: the lowest `bits` bits.
pub(crate) fn bit_to_string(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match bits_of(value(arguments, 0)).zip(count_of(value(arguments, 1), BITS)) {
        Some((number, bits)) => {
            let digits = (0..bits).rev().map(|position| if number >> position & 1 == 1 { '1' } else { '0' });
            Ok(Value::from_str(&digits.collect::<String>()))
        }
        None => invalid(context, "BIT_TO_STRING"),
    }
}
