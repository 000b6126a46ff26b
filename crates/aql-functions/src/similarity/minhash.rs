//! MinHash signatures: the smallest hashes of a set, whose overlap approximates the Jaccard similarity.

use crate::argument::{check_round, invalid, value};
use crate::hashing::stable_hash;
use crate::memory::ArrayBuffer;
use aql_value::{EvaluationContext, Result, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::collections::BTreeSet;

/// Largest signature: for an error of one in a thousand.
const MAX_HASHES: i64 = 1_000_000;

/// `MINHASH(values, numHashes)`: the `numHashes` smallest hashes of the values in order, base64 of 8 bytes each.
/// The hashes are not those of ArangoDB, but serve the same purpose.
pub(crate) fn minhash(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (values, count) = (value(arguments, 0), value(arguments, 1));
    if !values.is_array() || !count.is_number() || !(1..=MAX_HASHES).contains(&count.to_i64()) {
        return invalid(context, "MINHASH");
    }
    let count = count.to_i64() as usize;
    let mut smallest = BTreeSet::new();
    for (round, value) in values.elements().enumerate() {
        check_round(context, round)?;
        smallest.insert(stable_hash(&value));
        if smallest.len() > count {
            smallest.pop_last();
        }
    }
    let encoded = smallest.iter().map(|hash| Value::from_str(&STANDARD_NO_PAD.encode(hash.to_be_bytes())));
    ArrayBuffer::collect(context, encoded)?.into_array()
}

/// `MINHASH_COUNT(error)`: the size of a signature whose expected error is at most that.
pub(crate) fn minhash_count(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_f64().filter(|error| (0.0..1.0).contains(error)) {
        // The square rounds, and 1 / (0.05 * 0.05) must be 400 all the same.
        Some(error) => Ok(Value::from_f64((1.0 / (error * error) - 1e-9).ceil())),
        None => invalid(context, "MINHASH_COUNT"),
    }
}

/// `MINHASH_ERROR(numHashes)`: the expected error of a signature of that size.
pub(crate) fn minhash_error(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_f64().filter(|count| *count >= 1.0) {
        Some(count) => Ok(Value::from_f64(1.0 / count.trunc().sqrt())),
        None => invalid(context, "MINHASH_ERROR"),
    }
}
