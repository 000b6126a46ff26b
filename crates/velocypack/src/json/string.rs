//! Strings: escapes read and written.

use super::room::{PIECE, Room};
use super::scan::{is_plain, plain_length};

/// Reads the text of a string with escapes up to its closing quote.
///
/// `bytes` start after the opening quote and are valid UTF-8. Returns the number of bytes read with
/// the quote, or the offset of the error.
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

/// Reads the escape at `position` and returns the position after it.
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

/// Returns the character of `\uXXXX`, or of two of them that form a surrogate pair, and their
/// length.
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
pub fn write_str(text: &str, out: &mut Vec<u8>) {
    let mut room = Room::new(out, text.len() + 2 + PIECE);
    put_str(&mut room, text.as_bytes(), text.len());
    room.finish();
}

/// Appends the first `length` bytes of `source` as a JSON string. Bytes after them make it faster.
#[inline(always)]
pub(super) fn put_str(room: &mut Room<'_>, source: &[u8], length: usize) {
    put_str_and(room, source, length, b' ');
    room.drop_last();
}

/// Appends a string like [`put_str`], and a byte after it.
#[inline(always)]
pub(super) fn put_str_and(room: &mut Room<'_>, source: &[u8], length: usize, behind: u8) {
    if length <= PIECE
        && let Some(piece) = source.first_chunk()
        && is_plain(piece, length)
    {
        return room.put_quoted(piece, length, [b'"', behind]);
    }
    room.put(b"\"", 1);
    put_text(room, source, length);
    room.put(&[b'"', behind], 2);
}

/// Appends a string like [`put_str`], without quotes.
#[inline(always)]
pub(super) fn put_text(room: &mut Room<'_>, source: &[u8], length: usize) {
    let mut at = 0;
    while let Some(piece) = source.get(at..).and_then(|rest| rest.first_chunk()) {
        let left = length - at;
        if !is_plain(piece, left) {
            break;
        }
        if left <= PIECE {
            return room.put(piece, left);
        }
        room.put(piece, PIECE);
        at += PIECE;
    }
    room.apart(|room| put_rest(room, source.get(at..length).unwrap_or(source.get(at..).unwrap_or(&[]))));
}

/// Appends text that has escapes, or no bytes after it.
#[inline(never)]
fn put_rest(room: &mut Room<'_>, mut text: &[u8]) {
    while !text.is_empty() {
        let plain = match text.first_chunk() {
            Some(piece) if is_plain(piece, PIECE) => {
                room.put(piece, PIECE);
                text = text.get(PIECE..).unwrap_or(&[]);
                continue;
            }
            Some(piece) => plain_length(piece),
            None => plain_length(text),
        };
        let (whole, rest) = text.split_at_checked(plain).unwrap_or((text, &[]));
        room.put_slice(whole);
        text = rest;
        if let Some((byte, rest)) = text.split_first() {
            put_escape(room, *byte);
            text = rest;
        }
    }
}

fn put_escape(room: &mut Room<'_>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            let [high, low] = hex(byte);
            return room.put(&[b'\\', b'u', b'0', b'0', high, low], 6);
        }
    };
    room.put(&[b'\\', short], 2);
}

/// Returns a byte as two lower-case hexadecimal digits.
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}
