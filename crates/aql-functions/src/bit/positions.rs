//! Single bits and their positions.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::{BITS, bits_of, count_of};
use crate::argument::{check_round, invalid, value};

/// `BIT_CONSTRUCT(positionsArray)`: the number with bits set at these positions.
pub(crate) fn bit_construct(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let positions = value(arguments, 0);
    if !positions.is_array() {
        return invalid(context, "BIT_CONSTRUCT");
    }
    let mut number = 0_u32;
    for (round, position) in positions.elements().enumerate() {
        check_round(context, round)?;
        match count_of(&position, BITS - 1) {
            Some(position) => number |= 1 << position,
            None => return invalid(context, "BIT_CONSTRUCT"),
        }
    }
    Ok(Value::Int(i64::from(number)))
}

/// `BIT_DECONSTRUCT(number)`: the positions of the bits that are set.
pub(crate) fn bit_deconstruct(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(number) = bits_of(value(arguments, 0)) else {
        return invalid(context, "BIT_DECONSTRUCT");
    };
    let set = (0..BITS).filter(|position| number >> position & 1 == 1);
    Ok(Value::array(&set.map(|position| Value::Int(i64::from(position))).collect::<Vec<_>>()))
}

/// `BIT_POPCOUNT(number)`: the number of bits that are set.
pub(crate) fn bit_popcount(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match bits_of(value(arguments, 0)) {
        Some(number) => Ok(Value::Int(i64::from(number.count_ones()))),
        None => invalid(context, "BIT_POPCOUNT"),
    }
}

/// `BIT_TEST(number, index)`: true if a bit is set.
pub(crate) fn bit_test(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match bits_of(value(arguments, 0)).zip(count_of(value(arguments, 1), BITS - 1)) {
        Some((number, index)) => Ok(Value::Bool(number >> index & 1 == 1)),
        None => invalid(context, "BIT_TEST"),
    }
}
