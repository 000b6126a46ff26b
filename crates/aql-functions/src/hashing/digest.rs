//! Cryptographic digests of a text's UTF-8 bytes, in lower-case hexadecimal digits.

use aql_value::{EvaluationContext, Value};
use errors::Result;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::argument::text;

/// `MD5(text)`
pub(crate) fn md5(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    digest::<Md5>(arguments, context)
}

/// `SHA1(text)`
pub(crate) fn sha1(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    digest::<Sha1>(arguments, context)
}

/// `SHA256(text)`
pub(crate) fn sha256(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    digest::<Sha256>(arguments, context)
}

/// `SHA512(text)`
pub(crate) fn sha512(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    digest::<Sha512>(arguments, context)
}

/// The bytes that are digested between two checks.
pub(super) const BYTES_AT_ONCE: usize = 1 << 20;

fn digest<D: Digest>(arguments: &[Value], context: &EvaluationContext<'_>) -> Result<Value> {
    let mut digest = D::new();
    for piece in text(arguments, 0, context)?.as_bytes().chunks(BYTES_AT_ONCE) {
        context.interrupt.check()?;
        digest.update(piece);
    }
    Ok(Value::from_str(&to_hex(digest.finalize().as_ref())))
}

/// Returns two lower-case hexadecimal digits for each byte.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
