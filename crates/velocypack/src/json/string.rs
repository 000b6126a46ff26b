//! Strings: escapes read and written.

use super::scan::plain_length;
use crate::encode::push_start_of;

/// Reads the text of a string with escapes up to its closing quote. `bytes` start behind the opening
/// quote and are valid UTF-8. Gives the number of bytes read, with the quote; or where the mistake is.
pub(super) fn unescape(bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, (usize, &'static str)> {
    let mut position = 0;
    loop {
        let rest = bytes.get(position..).unwrap_or(&[]);
        let plain = plain_length(rest);
        out.extend_from_slice(rest.get(..plain).unwrap_or(rest));
        position += plain;
        match bytes.get(position) {
            Some(b'"') => return Ok(position + 1),
            Some(b'\\') => position = unescape_one(bytes, position, out)?,
            Some(_) => return Err((position, "control characters have to be escaped in strings")),
            None => return Err((position, "the string is not closed")),
        }
    }
}

/// Reads the escape at `position` and gives the position behind it.
fn unescape_one(bytes: &[u8], position: usize, out: &mut Vec<u8>) -> Result<usize, (usize, &'static str)> {
    let byte = match bytes.get(position + 1) {
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => {
            let (character, length) = unescape_unicode(bytes.get(position..).unwrap_or(&[]))
                .map_err(|message| (position, message))?;
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(position + length);
        }
        Some(_) => return Err((position, "unknown escape in a string")),
        None => return Err((position, "the string is not closed")),
    };
    out.push(byte);
    Ok(position + 2)
}

/// The character of `\uXXXX`, or of two of them that make a surrogate pair, and the bytes they take.
fn unescape_unicode(bytes: &[u8]) -> Result<(char, usize), &'static str> {
    const LONE: &str = "half a surrogate pair in a string";
    let first = hex_escape(bytes)?;
    if !(0xD800..0xE000).contains(&first) {
        return char::from_u32(first).map(|character| (character, 6)).ok_or(LONE);
    }
    let second = bytes.get(6..).filter(|rest| rest.starts_with(b"\\u")).ok_or(LONE)?;
    let second = hex_escape(second)?;
    if first >= 0xDC00 || !(0xDC00..0xE000).contains(&second) {
        return Err(LONE);
    }
    let code_point = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    char::from_u32(code_point).map(|character| (character, 12)).ok_or(LONE)
}

fn hex_escape(bytes: &[u8]) -> Result<u32, &'static str> {
    const MESSAGE: &str = "\\u needs four hexadecimal digits";
    bytes.get(2..6).ok_or(MESSAGE)?.iter().try_fold(0, |value, &byte| {
        char::from(byte).to_digit(16).map(|digit| value << 4 | digit).ok_or(MESSAGE)
    })
}

/// Appends a text as a JSON string with its quotes.
#[inline]
pub fn write_str(text: &str, out: &mut Vec<u8>) {
    write_str_bytes(text.as_bytes(), out);
}

#[inline]
pub(super) fn write_str_bytes(text: &[u8], out: &mut Vec<u8>) {
    write_str_start_of(text, text.len(), out);
}

/// Appends the first `length` bytes of `source` as a JSON string; bytes behind them make it faster.
#[inline]
pub(super) fn write_str_start_of(source: &[u8], length: usize, out: &mut Vec<u8>) {
    let text = source.get(..length).unwrap_or(source);
    out.push(b'"');
    let plain = plain_length(text);
    push_start_of(out, source, plain);
    if plain < text.len() {
        write_escaped(text.get(plain..).unwrap_or(&[]), out);
    }
    out.push(b'"');
}

/// Appends a text that starts with a character to escape.
#[cold]
fn write_escaped(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some((&byte, rest)) = text.split_first() {
        let short = match byte {
            b'"' | b'\\' => Some(byte),
            0x08 => Some(b'b'),
            0x0C => Some(b'f'),
            b'\n' => Some(b'n'),
            b'\r' => Some(b'r'),
            b'\t' => Some(b't'),
            _ => None,
        };
        match short {
            Some(short) => out.extend_from_slice(&[b'\\', short]),
            None => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&hex(byte));
            }
        }
        let plain = plain_length(rest);
        out.extend_from_slice(rest.get(..plain).unwrap_or(rest));
        text = rest.get(plain..).unwrap_or(&[]);
    }
}

/// A byte as two lower-case hexadecimal digits.
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}
