//! Percent-encoding of paths and query strings.

use std::borrow::Cow;

/// A percent sign without two hexadecimal digits behind it, or bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError;

/// Decodes a part of a path and appends it to `out`.
pub fn decode_onto(encoded: &str, out: &mut String) -> Result<(), DecodeError> {
    let bytes = decode_bytes(encoded, false)?;
    out.push_str(std::str::from_utf8(&bytes).map_err(|_| DecodeError)?);
    Ok(())
}

/// Decodes the name or value of a query parameter, in which a plus sign is a space.
pub fn decode_parameter(encoded: &str) -> Result<Cow<'_, str>, DecodeError> {
    if !encoded.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(Cow::Borrowed(encoded));
    }
    let bytes = decode_bytes(encoded, true)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| DecodeError)
}

/// Encodes a name so that it is one part of a path.
pub fn encode_segment(name: &str) -> Cow<'_, str> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:@!$'()*,;=".contains(&byte);
    if name.bytes().all(plain) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 16);
    for byte in name.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            let digit = |value: u8| HEX.get(usize::from(value)).copied().map_or('0', char::from);
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    Cow::Owned(out)
}

fn decode_bytes(encoded: &str, plus_is_space: bool) -> Result<Vec<u8>, DecodeError> {
    let mut out = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let high = bytes.next().and_then(hexadecimal).ok_or(DecodeError)?;
                let low = bytes.next().and_then(hexadecimal).ok_or(DecodeError)?;
                high << 4 | low
            }
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    Ok(out)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_decodes_to_the_same() {
        for name in ["plain", "a/b?c#d%e", "例え", "tab\t+"] {
            let mut decoded = String::new();
            decode_onto(&encode_segment(name), &mut decoded).unwrap();
            assert_eq!(decoded, name);
        }
    }

    #[test]
    fn a_plus_sign_is_a_space_in_parameters_only() {
        assert_eq!(decode_parameter("a+b%2B").unwrap(), "a b+");
        let mut decoded = String::new();
        decode_onto("a+b", &mut decoded).unwrap();
        assert_eq!(decoded, "a+b");
    }

    #[test]
    fn half_an_escape_is_an_error() {
        for text in ["%", "%4", "%4g", "%%%", "%80"] {
            assert_eq!(decode_parameter(text), Err(DecodeError), "{text}");
        }
    }
}
