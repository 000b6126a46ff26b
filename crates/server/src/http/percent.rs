//! Percent-encoding of paths and query strings.
//!
//! The library leaves half an escape in the text. Here it is an error, and so are bytes that are
//! not UTF-8.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The bytes that are encoded in a part of a path: all but RFC 3986's `pchar`, without `&` and `+`.
const NOT_IN_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// A percent sign without two hexadecimal digits after it, or bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError;

/// Decodes a part of a path.
pub fn decode(encoded: &str) -> Result<Cow<'_, str>, DecodeError> {
    if !has_whole_escapes(encoded) {
        return Err(DecodeError);
    }
    percent_decode_str(encoded).decode_utf8().map_err(|_| DecodeError)
}

/// Decodes the name or value of a query parameter, in which a plus sign is a space.
pub fn decode_parameter(encoded: &str) -> Result<Cow<'_, str>, DecodeError> {
    if !encoded.contains('+') {
        return decode(encoded);
    }
    decode(&encoded.replace('+', " ")).map(|decoded| Cow::Owned(decoded.into_owned()))
}

/// Encodes a name so that it is one part of a path.
pub fn encode_segment(name: &str) -> Cow<'_, str> {
    utf8_percent_encode(name, NOT_IN_SEGMENT).into()
}

/// Returns true if two hexadecimal digits follow each percent sign.
fn has_whole_escapes(encoded: &str) -> bool {
    let mut behind_signs = encoded.as_bytes().split(|byte| *byte == b'%').skip(1);
    behind_signs.all(|bytes| bytes.get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_decodes_to_the_same() {
        for name in ["plain", "a/b?c#d%e", "例え", "tab\t+"] {
            assert_eq!(decode(&encode_segment(name)).unwrap(), name);
        }
    }

    #[test]
    fn a_plus_sign_is_a_space_in_parameters_only() {
        assert_eq!(decode_parameter("a+b%2B").unwrap(), "a b+");
        assert_eq!(decode("a+b").unwrap(), "a+b");
    }

    #[test]
    fn names_of_collections_stay_readable() {
        assert_eq!(encode_segment("a-._~:@!$'()*,;=z"), "a-._~:@!$'()*,;=z");
        assert_eq!(encode_segment("a/b&c+d é"), "a%2Fb%26c%2Bd%20%C3%A9");
    }

    #[test]
    fn half_an_escape_is_an_error() {
        for text in ["%", "%4", "%4g", "%%%", "%80", "+%", "+%ff"] {
            assert_eq!(decode_parameter(text), Err(DecodeError), "{text}");
        }
    }
}
