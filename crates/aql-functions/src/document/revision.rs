//! `DECODE_REV()`.

use aql_date::to_iso_utc;
use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{invalid, value};

/// The digits of a revision, which is a number in base 64.
const DIGITS: &[u8; 64] = b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The length of the longest revision: 64 bits in digits of 6.
const MAX_DIGITS: usize = 11;

/// The number of low bits that count the revisions of one millisecond.
const COUNT_BITS: u32 = 20;

/// `DECODE_REV(revision)`: `{date, count}`.
pub(crate) fn decode_rev(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(revision) = value(arguments, 0).as_str().and_then(decode) else {
        return invalid(context, "DECODE_REV");
    };
    let date = i64::try_from(revision >> COUNT_BITS).unwrap_or(i64::MAX);
    let count = revision & ((1 << COUNT_BITS) - 1);
    Ok(Value::object(&[("date", Value::from_str(&to_iso_utc(date))), ("count", Value::from_u64(count))]))
}

/// Returns the hybrid logical clock that a revision's digits encode.
fn decode(revision: &str) -> Option<u64> {
    if !(1..=MAX_DIGITS).contains(&revision.len()) {
        return None;
    }
    revision.bytes().try_fold(0_u64, |number, byte| {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        number.checked_mul(64)?.checked_add(digit as u64)
    })
}
