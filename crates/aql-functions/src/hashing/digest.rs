//! Cryptographic digests of a text's UTF-8 bytes, in lower-case hexadecimal digits.

use crate::argument::text;
use aql_value::{EvaluationContext, Value};
use errors::Result;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// `MD5(text)`
pub(crate) fn md5(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(digest::<Md5>(arguments))
}

/// `SHA1(text)`
pub(crate) fn sha1(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(digest::<Sha1>(arguments))
}

/// `SHA256(text)`
pub(crate) fn sha256(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(digest::<Sha256>(arguments))
}

/// `SHA512(text)`
pub(crate) fn sha512(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(digest::<Sha512>(arguments))
}

fn digest<D: Digest>(arguments: &[Value]) -> Value {
    Value::from_str(&to_hex(D::digest(text(arguments, 0).as_bytes()).as_ref()))
}

/// Returns two lower-case hexadecimal digits for each byte.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
