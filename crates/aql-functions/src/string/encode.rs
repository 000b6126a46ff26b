//! Encodings of a text's UTF-8 bytes.

use crate::argument::text;
use crate::memory::TextBuffer;
use aql_value::{EvaluationContext, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use errors::Result;

/// `TO_BASE64(value)`: standard alphabet, with padding.
pub(crate) fn to_base64(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&STANDARD.encode(text(arguments, 0).as_bytes())))
}

/// `TO_HEX(value)`: lower-case digits.
pub(crate) fn to_hex(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&crate::hashing::to_hex(text(arguments, 0).as_bytes())))
}

/// `ENCODE_URI_COMPONENT(value)`: as in JavaScript; escapes all but letters, digits and `-_.!~*'()`
/// as `%XX`.
pub(crate) fn encode_uri_component(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let mut encoded = TextBuffer::new(context.memory);
    for byte in text(arguments, 0).bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push_str(char::from(byte).encode_utf8(&mut [0; 4]))?;
        } else {
            encoded.push_str(&format!("%{byte:02X}"))?;
        }
    }
    Ok(encoded.into_value())
}
