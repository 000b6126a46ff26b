//! VelocyPack to JSON in one forward pass, without recursion.

use std::fmt;

use super::number::{put_f64, put_i64, put_u64};
use super::room::{PIECE, Room};
use super::string::{hex, put_str, put_str_and, put_text};
use crate::format::{
    DOUBLE, EMPTY_ARRAY, FALSE, NULL, OBJECT_COMPACT, SHORT_STRING, SHORT_STRING_LAST, SMALL_INT,
    SMALL_NEGATIVE_INT, TRUE, UINT, UINT_LAST, read_unsigned, value_length,
};
use crate::names::{FROM, ID, KEY, REV, TO, read_name};
use crate::{ID_MARKER, Kind, Number, Slice};

mod open;
#[cfg(test)]
mod tests;

use open::Open;

/// Appends a value as compact JSON.
///
/// The `_id` marker of a stored document is written as the text for `collection`, or as null
/// without one. UTC dates are written as their milliseconds since 1970, and binary values as a
/// string of lower-case hexadecimal digits; ArangoDB's own writer can do both. All other types that
/// JSON lacks are written as null.
pub fn write(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    Writer::<false> { collection }.write(value, out);
}

/// Appends a value like [`write()`], with each member on its own line, indented by two spaces a
/// level.
pub fn write_pretty(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    Writer::<true> { collection }.write(value, out);
}

/// Returns a value as compact JSON in a string.
pub fn to_json_string(value: Slice<'_>, collection: Option<&str>) -> String {
    let mut out = Vec::with_capacity(value.byte_len() * 2);
    write(value, collection, &mut out);
    // Only bytes that were never validated can be anything but UTF-8.
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[derive(Clone, Copy)]
struct Writer<'c, const PRETTY: bool> {
    collection: Option<&'c str>,
}

/// Returns the JSON text of a name that is stored as one byte.
const fn system_name(head: u8) -> Option<(&'static [u8; 8], usize)> {
    Some(match head {
        KEY => (b"\"_key\": ", 7),
        REV => (b"\"_rev\": ", 7),
        ID => (b"\"_id\":  ", 6),
        FROM => (b"\"_from\":", 8),
        TO => (b"\"_to\":  ", 6),
        _ => return None,
    })
}

impl<const PRETTY: bool> Writer<'_, PRETTY> {
    fn write(self, value: Slice<'_>, out: &mut Vec<u8>) {
        let mut room = Room::new(out, 2 * value.byte_len() + 2 * PIECE);
        self.write_to(value, &mut room);
        room.finish();
    }

    #[inline(always)]
    fn write_to(self, value: Slice<'_>, room: &mut Room<'_>) {
        let bytes = value.raw();
        let mut open = match Open::usual(bytes, bytes.len()) {
            Some((open, _)) => {
                room.put(open.bracket(), 1);
                open
            }
            None => {
                let Some(open) = room.apart(|room| self.begin(value, room)) else { return };
                open
            }
        };
        let mut outer = Vec::new();
        loop {
            let depth = outer.len() + 1;
            if !open.next() || !self.name(&mut open, depth, room) {
                self.end(&open, depth, room);
                let Some(next) = outer.pop() else { return };
                open = next;
                room.put(b",", 1);
            } else if let Some(inner) = self.value(&mut open, room)
                && let Some(inner) = room.apart(|room| self.scalars(inner, room))
            {
                outer.push(std::mem::replace(&mut open, inner));
                continue;
            }
            open.first = false;
        }
    }

    /// Writes an array without arrays and objects in it, so that most arrays need no memory for the
    /// containers around them. Returns any other array or object, of which it may write elements.
    fn scalars<'a>(self, mut open: Open<'a>, room: &mut Room<'_>) -> Option<Open<'a>> {
        if PRETTY || open.is_object {
            return Some(open);
        }
        while open.next() {
            if matches!(open.rest().first(), Some(EMPTY_ARRAY..=OBJECT_COMPACT)) {
                open.remaining += 1;
                return Some(open);
            }
            self.value(&mut open, room);
            open.first = false;
        }
        self.end(&open, 0, room);
        room.put(b",", 1);
        None
    }

    /// Writes everything before the next member's value; false when there is none.
    #[inline(always)]
    fn name(self, open: &mut Open<'_>, depth: usize, room: &mut Room<'_>) -> bool {
        if PRETTY {
            if open.is_object && read_name(open.rest()).is_none() {
                return false;
            }
            room.apart(|room| new_line(room, depth));
        }
        if !open.is_object {
            return true;
        }
        let Some((&head, behind)) = open.rest().split_first() else { return false };
        if let SHORT_STRING..=SHORT_STRING_LAST = head {
            let length = usize::from(head - SHORT_STRING);
            put_str_and(room, behind, length, b':');
            open.position += 1 + length;
        } else if let Some((name, length)) = system_name(head) {
            room.put(name, length);
            open.position += 1;
        } else {
            let Some((name, length)) = read_name(open.rest()) else { return false };
            room.apart(|room| put_str(room, name, name.len()));
            room.put(b":", 1);
            open.position += length;
        }
        room.put(b" ", usize::from(PRETTY));
        true
    }

    /// Writes the next member's value and a comma; the last member's comma is taken back.
    ///
    /// Of an array or object only the opening bracket is written, and the container is returned.
    #[inline(always)]
    fn value<'a>(self, open: &mut Open<'a>, room: &mut Room<'_>) -> Option<Open<'a>> {
        let rest = open.rest();
        let (head, behind) = rest.split_first().map_or((0, &[][..]), |(head, behind)| (*head, behind));
        let length = match head {
            SHORT_STRING..=SHORT_STRING_LAST => {
                let length = usize::from(head - SHORT_STRING);
                put_str_and(room, behind, length, b',');
                open.position += 1 + length;
                return None;
            }
            SMALL_INT..SMALL_NEGATIVE_INT => {
                room.put(&[head - SMALL_INT + b'0', b','], 2);
                open.position += 1;
                return None;
            }
            UINT..=UINT_LAST => {
                let width = usize::from(head - UINT) + 1;
                put_u64(room, read_unsigned(rest, 1, width).unwrap_or(0));
                1 + width
            }
            DOUBLE => {
                let bits = read_unsigned(rest, 1, 8).unwrap_or(0);
                room.apart(|room| put_f64(room, f64::from_bits(bits)));
                9
            }
            NULL => {
                room.put(b"null", 4);
                1
            }
            FALSE => {
                room.put(b"false", 5);
                1
            }
            TRUE => {
                room.put(b"true", 4);
                1
            }
            _ if rest.starts_with(&ID_MARKER) => {
                self.put_id(open, room);
                ID_MARKER.len()
            }
            _ => {
                let inside = open.end.saturating_sub(open.position);
                if let Some((inner, length)) = Open::usual(rest, inside) {
                    room.put(inner.bracket(), 1);
                    open.position += length;
                    return Some(inner);
                }
                let (inner, length) = room.apart(|room| self.other_value(rest, inside, room));
                open.position = open.position.saturating_add(length);
                return inner;
            }
        };
        room.put(b",", 1);
        open.position += length;
        None
    }

    /// Writes the value of at most `inside` bytes that `rest` starts with, of a rarer type, like
    /// [`Writer::value`]. Returns its length too.
    fn other_value<'a>(
        self,
        rest: &'a [u8],
        inside: usize,
        room: &mut Room<'_>,
    ) -> (Option<Open<'a>>, usize) {
        let Some(length) = value_length(rest).filter(|length| *length <= inside) else {
            // Malformed: the rest of it is not written.
            room.put(b"null,", 5);
            return (None, usize::MAX);
        };
        let inner = self.begin(Slice::new(rest), room);
        room.put(b",", usize::from(inner.is_none()));
        (inner, length)
    }

    /// Writes a scalar, or the opening bracket of an array or object, which is then returned.
    fn begin<'a>(self, value: Slice<'a>, room: &mut Room<'_>) -> Option<Open<'a>> {
        match value.kind() {
            Kind::Object => {
                room.put(b"{", 1);
                return Some(Open::new(value, true));
            }
            Kind::Array => {
                room.put(b"[", 1);
                return Some(Open::new(value, false));
            }
            Kind::String => {
                let text = value.str_bytes().unwrap_or(&[]);
                put_str(room, text, text.len());
            }
            Kind::Int | Kind::Double | Kind::UInt => match value.as_number() {
                Some(Number::Double(value)) => put_f64(room, value),
                Some(Number::UInt(value)) => put_u64(room, value),
                Some(Number::Int(value)) => put_i64(room, value),
                None => room.put(b"null", 4),
            },
            Kind::Bool if value.as_bool() == Some(true) => room.put(b"true", 4),
            Kind::Bool => room.put(b"false", 5),
            Kind::UtcDate => match value.as_utc_date() {
                Some(date) => put_i64(room, date),
                None => room.put(b"null", 4),
            },
            Kind::Binary => put_binary(room, value.as_binary().unwrap_or(&[])),
            _ => room.put(b"null", 4),
        }
        None
    }

    #[inline(always)]
    fn put_id(self, open: &Open<'_>, room: &mut Room<'_>) {
        match (self.collection, open.key()) {
            (Some(collection), Some((key, length))) => {
                put_str_and(room, collection.as_bytes(), collection.len(), b' ');
                // Replaces the quote and the byte after it.
                room.drop_last();
                room.drop_last();
                room.put(b"/", 1);
                put_text(room, key, length);
                room.put(b"\"", 1);
            }
            _ => room.put(b"null", 4),
        }
    }

    #[inline(always)]
    fn end(self, open: &Open<'_>, depth: usize, room: &mut Room<'_>) {
        if !open.first {
            room.drop_last();
            if PRETTY {
                room.apart(|room| new_line(room, depth - 1));
            }
        }
        room.put(if open.is_object { b"}" } else { b"]" }, 1);
    }
}

fn put_binary(room: &mut Room<'_>, bytes: &[u8]) {
    room.put(b"\"", 1);
    bytes.iter().for_each(|&byte| room.put(&hex(byte), 2));
    room.put(b"\"", 1);
}

fn new_line(room: &mut Room<'_>, depth: usize) {
    room.put(b"\n", 1);
    (0..depth).for_each(|_| room.put(b"  ", 2));
}

impl Slice<'_> {
    /// Returns the value as compact JSON; an `_id` marker as null.
    pub fn to_json_string(self) -> String {
        to_json_string(self, None)
    }
}

impl fmt::Display for Slice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_json_string())
    }
}

impl fmt::Debug for Slice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Kind::Illegal | Kind::None => write!(formatter, "{:?}", self.kind()),
            _ => formatter.write_str(&self.to_json_string()),
        }
    }
}
