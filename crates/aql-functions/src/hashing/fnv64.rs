//! FNV-1a with 64 bits.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::text;

/// Returns the hash of some bytes (offset basis and prime as in draft-eastlake-fnv).
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// `FNV64(text)`: the hash in upper-case hexadecimal digits, without leading zeros.
pub(crate) fn fnv64(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&format!("{:X}", fnv1a(text(arguments, 0, context)?.as_bytes()))))
}
