//! `RANDOM_TOKEN()` and `UUID()`. Random, but not for secrets.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{integer, invalid_error};

/// The length of the longest token.
const MAX_TOKEN_LENGTH: i64 = 65_536;

/// `RANDOM_TOKEN(length)`: letters and digits. A length outside of 0 to 65,536 ends the query with
/// error 1542.
pub(crate) fn random_token(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let length = integer(arguments, 0);
    if !(0..=MAX_TOKEN_LENGTH).contains(&length) {
        return Err(invalid_error("RANDOM_TOKEN"));
    }
    let random = &mut context.state.random;
    let token: String = (0..length).map(|_| random.alphanumeric()).collect();
    Ok(Value::from_str(&token))
}

/// `UUID()`: version 4 of RFC 9562.
pub(crate) fn uuid(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let high = context.state.random.u64(..) & 0xffff_ffff_ffff_0fff | 0x4000;
    let low = context.state.random.u64(..) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    Ok(Value::from_str(&format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )))
}
