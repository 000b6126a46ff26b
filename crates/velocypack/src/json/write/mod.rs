//! VelocyPack to JSON in one forward pass, without recursion.

use std::fmt;

use super::number::{put_f64, put_i64, put_u64};
use super::room::{PIECE, Room};
use super::string::{hex, put_str, put_str_and, put_text};
use crate::format::{
    DOUBLE, SHORT_STRING, SHORT_STRING_LAST, SMALL_INT, SMALL_NEGATIVE_INT, UINT, UINT_LAST, layout,
    read_unsigned, value_length,
};
use crate::names::{FROM, ID, KEY, REV, TO, read_name};
use crate::{ID_MARKER, Kind, Number, Slice};

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

/// An array or object that is being written.
struct Open<'a> {
    /// The bytes from the first member on.
    members: &'a [u8],
    /// The bytes from the next member on.
    rest: &'a [u8],
    /// Number of bytes of `rest` after the last member.
    behind: usize,
    remaining: usize,
    /// True until something of it is written.
    first: bool,
    /// The object itself; [`Slice::NONE`] for an array.
    object: Slice<'a>,
}

impl<'a> Open<'a> {
    fn new(value: Slice<'a>, is_object: bool) -> Self {
        let object = if is_object { value } else { Slice::NONE };
        let bytes = value.raw();
        // Malformed containers are written as empty.
        let members = layout(bytes).and_then(|layout| {
            Some((bytes.get(layout.data..)?, bytes.len().checked_sub(layout.data_end)?, layout.count))
        });
        let (rest, behind, remaining) = members.unwrap_or((&[], 0, 0));
        Open { members: rest, rest, behind, remaining, first: true, object }
    }

    #[inline(always)]
    fn is_object(&self) -> bool {
        !self.object.is_none()
    }

    #[inline(always)]
    fn advance(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or(&[]);
    }

    /// Returns true if there is another member, and counts it.
    #[inline(always)]
    fn next(&mut self) -> bool {
        if self.remaining == 0 || self.rest.len() <= self.behind {
            return false;
        }
        self.remaining -= 1;
        true
    }

    /// Returns the `_key` of the object, with bytes after it, and its length. Stored documents
    /// begin with it.
    #[inline(always)]
    fn key(&self) -> Option<(&'a [u8], usize)> {
        match self.members {
            [KEY, head @ SHORT_STRING..=SHORT_STRING_LAST, behind @ ..] => {
                Some((behind, usize::from(head - SHORT_STRING)))
            }
            _ => self.object.get("_key").and_then(Slice::str_bytes).map(|key| (key, key.len())),
        }
    }
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
        let Some(mut open) = room.apart(|room| self.begin(value, room)) else { return };
        let mut outer = Vec::new();
        loop {
            let depth = outer.len() + 1;
            if !open.next() || !self.name(&mut open, depth, room) {
                self.end(&open, depth, room);
                let Some(next) = outer.pop() else { return };
                open = next;
                room.put(b",", 1);
            } else if let Some(inner) = self.value(&mut open, room) {
                outer.push(std::mem::replace(&mut open, inner));
                continue;
            }
            open.first = false;
        }
    }

    /// Writes everything before the next member's value; false when there is none.
    #[inline(always)]
    fn name(self, open: &mut Open<'_>, depth: usize, room: &mut Room<'_>) -> bool {
        if PRETTY {
            if open.is_object() && read_name(open.rest).is_none() {
                return false;
            }
            room.apart(|room| new_line(room, depth));
        }
        if !open.is_object() {
            return true;
        }
        let Some((&head, behind)) = open.rest.split_first() else { return false };
        if let SHORT_STRING..=SHORT_STRING_LAST = head {
            let length = usize::from(head - SHORT_STRING);
            put_str_and(room, behind, length, b':');
            open.advance(1 + length);
        } else if let Some((name, length)) = system_name(head) {
            room.put(name, length);
            open.advance(1);
        } else {
            let Some((name, length)) = read_name(open.rest) else { return false };
            room.apart(|room| put_str(room, name, name.len()));
            room.put(b":", 1);
            open.advance(length);
        }
        room.put(b" ", usize::from(PRETTY));
        true
    }

    /// Writes the next member's value and a comma; the last member's comma is taken back.
    ///
    /// Of an array or object only the opening bracket is written, and the container is returned.
    #[inline(always)]
    fn value<'a>(self, open: &mut Open<'a>, room: &mut Room<'_>) -> Option<Open<'a>> {
        let (head, behind) = open.rest.split_first().map_or((0, &[][..]), |(head, behind)| (*head, behind));
        let length = match head {
            SHORT_STRING..=SHORT_STRING_LAST => {
                let length = usize::from(head - SHORT_STRING);
                put_str_and(room, behind, length, b',');
                open.advance(1 + length);
                return None;
            }
            SMALL_INT..SMALL_NEGATIVE_INT => {
                room.put(&[head - SMALL_INT + b'0'], 1);
                1
            }
            UINT..=UINT_LAST => {
                let width = usize::from(head - UINT) + 1;
                put_u64(room, read_unsigned(open.rest, 1, width).unwrap_or(0));
                1 + width
            }
            DOUBLE => {
                let bits = read_unsigned(open.rest, 1, 8).unwrap_or(0);
                room.apart(|room| put_f64(room, f64::from_bits(bits)));
                9
            }
            _ if open.rest.starts_with(&ID_MARKER) => {
                self.put_id(open, room);
                ID_MARKER.len()
            }
            _ => return room.apart(|room| self.other_value(open, room)),
        };
        room.put(b",", 1);
        open.advance(length);
        None
    }

    /// Writes a value of a rarer type, like [`Writer::value`].
    fn other_value<'a>(self, open: &mut Open<'a>, room: &mut Room<'_>) -> Option<Open<'a>> {
        let inside = open.rest.len().saturating_sub(open.behind);
        let Some(length) = value_length(open.rest).filter(|length| *length <= inside) else {
            // Malformed: the rest of it is not written.
            open.rest = &[];
            room.put(b"null,", 5);
            return None;
        };
        let inner = self.begin(Slice::new(open.rest), room);
        open.advance(length);
        room.put(b",", usize::from(inner.is_none()));
        inner
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
        room.put(if open.is_object() { b"}" } else { b"]" }, 1);
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

#[cfg(test)]
mod tests;
