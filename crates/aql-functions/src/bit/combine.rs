//! `BIT_AND()`, `BIT_OR()` and `BIT_XOR()` of two numbers or of an array's elements.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::bits_of;
use crate::argument::{check_round, invalid};

/// `BIT_AND(numbersArray)` or `BIT_AND(value1, value2)`
pub(crate) fn bit_and(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    combined("BIT_AND", arguments, |left, right| left & right, context)
}

/// `BIT_OR(numbersArray)` or `BIT_OR(value1, value2)`
pub(crate) fn bit_or(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    combined("BIT_OR", arguments, |left, right| left | right, context)
}

/// `BIT_XOR(numbersArray)` or `BIT_XOR(value1, value2)`
pub(crate) fn bit_xor(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    combined("BIT_XOR", arguments, |left, right| left ^ right, context)
}

/// Combines numbers; nulls in an array are skipped, and without any number the result is null.
fn combined(
    name: &str,
    arguments: &[Value],
    combine: impl Fn(u32, u32) -> u32,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let combined = match arguments {
        [left, right] => bits_of(left).zip(bits_of(right)).map(|(left, right)| combine(left, right)),
        [array] if array.is_array() => {
            let mut combined: Option<u32> = None;
            for (round, element) in array.elements().enumerate().filter(|(_, element)| !element.is_null()) {
                check_round(context, round)?;
                let Some(bits) = bits_of(&element) else { return invalid(context, name) };
                combined = Some(combined.map_or(bits, |combined| combine(combined, bits)));
            }
            if combined.is_none() {
                return Ok(Value::Null);
            }
            combined
        }
        _ => None,
    };
    match combined {
        Some(number) => Ok(Value::Int(i64::from(number))),
        None => invalid(context, name),
    }
}
