//! `HASH()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;
use twox_hash::XxHash64;

use crate::argument::value;

/// The bits of the result; a double can hold all of them.
const BITS: u32 = 51;

/// The seed of ArangoDB's hashes of values.
const SEED: u64 = 0xdead_beef;

/// `HASH(value)`: the same number for equal values.
pub(crate) fn hash(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_u64(stable_hash(value(arguments, 0)) & ((1 << BITS) - 1)))
}

/// Returns 64 bits that equal values share.
///
/// For a text they are ArangoDB's, as the documented results of `MINHASH()` show: XXH64 of the text
/// as VelocyPack.
pub(crate) fn stable_hash(value: &Value) -> u64 {
    if value.is_string() {
        value.with_slice(|text, _| XxHash64::oneshot(SEED, text.bytes()))
    } else {
        value.hash_value()
    }
}
