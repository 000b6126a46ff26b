//! The values of number, string and name literals, and their text.

/// The value of a number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Double(f64),
    /// A number too large for a double.
    OutOfRange,
    /// A hexadecimal or binary number of more than 32 bits.
    TooManyDigits,
}

/// Returns the value of an integer literal: decimal, `0x...` or `0b...`.
pub(crate) fn integer(text: &str) -> Number {
    let radix = match text.as_bytes().get(1) {
        Some(b'x' | b'X') => 16,
        Some(b'b' | b'B') => 2,
        _ => return text.parse().map_or_else(|_| double(text), Number::Int),
    };
    let digits = text.get(2..).unwrap_or_default();
    u32::from_str_radix(digits, radix).map_or(Number::TooManyDigits, |value| Number::Int(value.into()))
}

/// Returns the value of a literal with fraction or exponent, or of an integer that does not fit an
/// `i64`.
pub(crate) fn double(text: &str) -> Number {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Number::Double(value),
        _ => Number::OutOfRange,
    }
}

/// Returns the text between the quotes of a string or a quoted name, with escapes resolved.
///
/// The escapes are those of JSON; a backslash before any other character stands for that character.
/// `\u` without four hexadecimal digits is `u`; half of a surrogate pair is U+FFFD.
pub(crate) fn unescape(body: &str) -> String {
    let mut result = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        result.push_str(plain);
        let mut characters = escaped.chars();
        rest = match characters.next() {
            None => return result,
            Some('u') => unescape_unicode(characters.as_str(), &mut result),
            Some(character) => {
                result.push(match character {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                });
                characters.as_str()
            }
        };
    }
    result.push_str(rest);
    result
}

/// Resolves the digits after `\u` and returns the remaining text.
fn unescape_unicode<'a>(text: &'a str, result: &mut String) -> &'a str {
    let Some((first, rest)) = four_digits(text) else {
        result.push('u');
        return text;
    };
    if let Some(character) = char::from_u32(first) {
        result.push(character);
        return rest;
    }
    let second = rest.strip_prefix("\\u").and_then(four_digits);
    match second {
        Some((low @ 0xDC00..=0xDFFF, rest)) if first < 0xDC00 => {
            let scalar = 0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            result.push(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest
        }
        _ => {
            result.push(char::REPLACEMENT_CHARACTER);
            rest
        }
    }
}

fn four_digits(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}

/// Writes the text between two quotes so that [`unescape`] restores it.
pub(crate) fn escape_into(text: &str, quote: char, result: &mut String) {
    use std::fmt::Write;
    result.push(quote);
    for character in text.chars() {
        match character {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            // Writing to a string cannot fail.
            '\0'..='\u{1f}' | '\u{7f}' => drop(write!(result, "\\u{:04x}", u32::from(character))),
            other if other == quote => result.extend(['\\', other]),
            other => result.push(other),
        }
    }
    result.push(quote);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_that_do_not_fit_become_doubles_and_then_nothing() {
        assert_eq!(integer("0"), Number::Int(0));
        assert_eq!(integer("9223372036854775807"), Number::Int(i64::MAX));
        assert_eq!(integer("9223372036854775808"), Number::Double(9_223_372_036_854_775_808.0));
        assert_eq!(integer(&"9".repeat(400)), Number::OutOfRange);
        assert_eq!(double("1e308"), Number::Double(1e308));
        assert_eq!(double("1e309"), Number::OutOfRange);
        assert_eq!(double("1e-400"), Number::Double(0.0));
        assert_eq!(double(".5"), Number::Double(0.5));
    }

    #[test]
    fn hexadecimal_and_binary_integers_have_32_bits() {
        assert_eq!(integer("0xffffffff"), Number::Int(0xffff_ffff));
        assert_eq!(integer("0XaB"), Number::Int(0xab));
        assert_eq!(integer("0x100000000"), Number::TooManyDigits);
        assert_eq!(integer("0b10101110"), Number::Int(0b1010_1110));
        assert_eq!(integer(&format!("0b{}", "1".repeat(32))), Number::Int(0xffff_ffff));
        assert_eq!(integer(&format!("0b{}", "1".repeat(33))), Number::TooManyDigits);
    }

    #[test]
    fn escapes_are_those_of_json_and_lenient() {
        assert_eq!(unescape(r#"a\"b\'c\\d\/e"#), r#"a"b'c\d/e"#);
        assert_eq!(unescape(r"\b\f\n\r\t"), "\u{8}\u{c}\n\r\t");
        assert_eq!(unescape(r"\u00e4\uD83D\uDE00"), "ä😀");
        assert_eq!(unescape(r"\uD83D-\uDE00-\uD83D\u0041"), "\u{fffd}-\u{fffd}-\u{fffd}A");
        assert_eq!(unescape(r"\u12\q\%"), "u12q%");
        assert_eq!(unescape(r"\u12é4"), "u12é4");
        assert_eq!(unescape("tail\\"), "tail");
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_unescaped(text in any::<String>()) {
            for quote in ['"', '`'] {
                let mut quoted = String::new();
                escape_into(&text, quote, &mut quoted);
                let body = quoted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).unwrap();
                prop_assert_eq!(unescape(body), text.as_str());
            }
        }

        #[test]
        fn unescaping_never_panics(text in any::<String>()) {
            unescape(&text);
        }
    }
}
