//! Encodings of a text's UTF-8 bytes.

use aql_value::{EvaluationContext, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use errors::Result;

use crate::argument::{check_round, text};
use crate::memory::TextBuffer;

/// The number of bytes that are encoded in one step: a multiple of 3, because base64 has no padding
/// within a text.
const BYTES_AT_ONCE: usize = 3 << 14;

/// `TO_BASE64(value)`: standard alphabet, with padding.
pub(crate) fn to_base64(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let text = text(arguments, 0, context)?;
    let mut encoded = TextBuffer::new(context);
    for piece in text.as_bytes().chunks(BYTES_AT_ONCE) {
        encoded.push_str(&STANDARD.encode(piece))?;
    }
    encoded.into_value()
}

/// `TO_HEX(value)`: lower-case digits.
pub(crate) fn to_hex(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let text = text(arguments, 0, context)?;
    let mut encoded = TextBuffer::new(context);
    for piece in text.as_bytes().chunks(BYTES_AT_ONCE) {
        encoded.push_str(&crate::hashing::to_hex(piece))?;
    }
    encoded.into_value()
}

/// `ENCODE_URI_COMPONENT(value)`: as in JavaScript; escapes all but letters, digits and `-_.!~*'()`
/// as `%XX`.
pub(crate) fn encode_uri_component(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let mut encoded = TextBuffer::new(context);
    for (round, byte) in text(arguments, 0, context)?.bytes().enumerate() {
        check_round(context, round)?;
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push_str(char::from(byte).encode_utf8(&mut [0; 4]))?;
        } else {
            encoded.push_str(&format!("%{byte:02X}"))?;
        }
    }
    encoded.into_value()
}
