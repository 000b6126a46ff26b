//! Negation and shifts that keep the lowest bits.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::{BITS, bits_of, count_of, keep};
use crate::argument::{invalid, value};

/// `BIT_NEGATE(number, bits)`
pub(crate) fn bit_negate(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match bits_of(value(arguments, 0)).zip(count_of(value(arguments, 1), BITS)) {
        Some((number, bits)) => Ok(keep(!u64::from(number), bits)),
        None => invalid(context, "BIT_NEGATE"),
    }
}

/// `BIT_SHIFT_LEFT(number, shift, bits)`
pub(crate) fn bit_shift_left(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    shifted("BIT_SHIFT_LEFT", arguments, |number, shift| number << shift, context)
}

/// `BIT_SHIFT_RIGHT(number, shift, bits)`
pub(crate) fn bit_shift_right(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    shifted("BIT_SHIFT_RIGHT", arguments, |number, shift| number >> shift, context)
}

fn shifted(
    name: &str,
    arguments: &[Value],
    shift_by: impl Fn(u64, u32) -> u64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let number = bits_of(value(arguments, 0));
    let shift = count_of(value(arguments, 1), BITS);
    match (number, shift, count_of(value(arguments, 2), BITS)) {
        (Some(number), Some(shift), Some(bits)) => Ok(keep(shift_by(u64::from(number), shift), bits)),
        _ => invalid(context, name),
    }
}
