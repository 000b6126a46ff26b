//! `HASH()`.

use crate::argument::value;
use aql_value::{EvaluationContext, Result, Value};

/// Bits of the result, all of which a double can hold.
const BITS: u32 = 52;

/// `HASH(value)`: the same number for equal values.
pub(crate) fn hash(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_u64(stable_hash(value(arguments, 0)) >> (u64::BITS - BITS)))
}

/// 64 bits that equal values share.
pub(crate) fn stable_hash(value: &Value) -> u64 {
    value.hash_value()
}
