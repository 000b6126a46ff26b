//! MinHash signatures: the smallest hashes of a set, whose overlap approximates the Jaccard
//! similarity.

use std::collections::BTreeMap;

use aql_value::{EvaluationContext, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use errors::Result;

use crate::argument::{check_round, invalid, value};
use crate::hashing::stable_hash;
use crate::memory::{ArrayBuffer, Scratch};

/// The largest signature, for an error of one in a thousand.
const MAX_HASHES: i64 = 1_000_000;

/// The bytes of a hash: its place in the tree, and then in the list.
const BYTES_OF_HASH: usize = 64;

/// `MINHASH(values, numHashes)`: the `numHashes` smallest hashes of the values.
///
/// Each is base64 of 8 bytes. They are in the order in which their values first occur.
pub(crate) fn minhash(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (values, count) = (value(arguments, 0), value(arguments, 1));
    if !values.is_array() || !count.is_number() || !(1..=MAX_HASHES).contains(&count.to_i64()) {
        return invalid(context, "MINHASH");
    }
    let count = count.to_i64() as usize;
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(values.len().min(count) * BYTES_OF_HASH)?;
    // Each hash with the position of the first value that has it.
    let mut smallest: BTreeMap<u64, usize> = BTreeMap::new();
    for (round, value) in values.elements().enumerate() {
        check_round(context, round)?;
        smallest.entry(stable_hash(&value)).or_insert(round);
        if smallest.len() > count {
            smallest.pop_last();
        }
    }
    let mut hashes: Vec<(usize, u64)> =
        smallest.into_iter().map(|(hash, position)| (position, hash)).collect();
    hashes.sort_unstable();
    let encoded = hashes.iter().map(|(_, hash)| Value::from_str(&STANDARD_NO_PAD.encode(hash.to_le_bytes())));
    ArrayBuffer::collect(context, encoded)?.into_array()
}

/// `MINHASH_COUNT(error)`: the size of a signature whose expected error is at most that.
pub(crate) fn minhash_count(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match value(arguments, 0).as_f64().filter(|error| (0.0..1.0).contains(error)) {
        // The square rounds, and 1 / (0.05 * 0.05) must be 400 nevertheless.
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
