//! VelocyPack to text in one forward walk, without recursion.

use super::number::{write_f64, write_i64, write_u64};
use super::string::{hex, write_str_bytes, write_str_start_of};
use crate::format::{SHORT_STRING, SHORT_STRING_LAST, layout, value_length};
use crate::names::read_name;
use crate::{Kind, Number, Slice};

/// Appends a value as compact JSON. The `_id` marker of a stored document is written as the text for
/// `collection`, or as null without one.
///
/// What JSON does not have: UTC dates are written as their milliseconds since 1970, binary values as a
/// string of lower-case hexadecimal digits (both as ArangoDB's own writer can), all others as null.
pub fn write(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    Writer { collection, out, pretty: false }.write(value);
}

/// As [`write()`], with each member on its own line, indented by two spaces a level.
pub fn write_pretty(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    Writer { collection, out, pretty: true }.write(value);
}

/// A value as compact JSON in a string.
pub fn to_json_string(value: Slice<'_>, collection: Option<&str>) -> String {
    let mut out = Vec::with_capacity(value.byte_len() * 2);
    write(value, collection, &mut out);
    // Only bytes that were never validated can be anything but UTF-8.
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

struct Writer<'c, 'o> {
    collection: Option<&'c str>,
    out: &'o mut Vec<u8>,
    pretty: bool,
}

/// An array or object that is being written.
struct Open<'a> {
    /// From the next member on.
    rest: &'a [u8],
    remaining: usize,
    /// Nothing was written of it yet.
    first: bool,
    /// The object itself; [`Slice::NONE`] for an array.
    object: Slice<'a>,
}

impl<'a> Open<'a> {
    fn new(value: Slice<'a>, is_object: bool) -> Self {
        let object = if is_object { value } else { Slice::NONE };
        // Malformed ones are written as empty.
        let members = layout(value.raw())
            .and_then(|layout| Some((value.raw().get(layout.data..layout.data_end)?, layout.count)));
        let (rest, remaining) = members.unwrap_or((&[], 0));
        Open { rest, remaining, first: true, object }
    }

    #[inline]
    fn is_object(&self) -> bool {
        !self.object.is_none()
    }

    #[inline]
    fn advance(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or(&[]);
    }
}

impl Writer<'_, '_> {
    fn write(&mut self, value: Slice<'_>) {
        let Some(mut open) = self.begin(value, Slice::NONE) else { return };
        let mut outer = Vec::new();
        loop {
            if !self.next_member(&mut open, outer.len() + 1) {
                self.end(&open, outer.len());
                let Some(next) = outer.pop() else { return };
                open = next;
                continue;
            }
            if let Some(&head @ SHORT_STRING..=SHORT_STRING_LAST) = open.rest.first() {
                let length = usize::from(head - SHORT_STRING);
                write_str_start_of(open.rest.get(1..).unwrap_or(&[]), length, self.out);
                open.advance(1 + length);
                continue;
            }
            let value = Slice::new(open.rest);
            let inner = self.begin(value, open.object);
            open.advance(value_length(open.rest).unwrap_or(usize::MAX));
            if let Some(inner) = inner {
                outer.push(std::mem::replace(&mut open, inner));
            }
        }
    }

    /// Writes what comes before the next member's value; false when there is none.
    #[inline]
    fn next_member(&mut self, open: &mut Open<'_>, depth: usize) -> bool {
        if open.remaining == 0 || open.rest.is_empty() {
            return false;
        }
        let name = if open.is_object() { read_name(open.rest) } else { Some((&[][..], 0)) };
        let Some((name, name_length)) = name else { return false };
        open.remaining -= 1;
        if !open.first {
            self.out.push(b',');
        }
        open.first = false;
        if self.pretty {
            self.new_line(depth);
        }
        if name_length == 1 + name.len() {
            // A short name, with bytes behind it.
            write_str_start_of(open.rest.get(1..).unwrap_or(&[]), name.len(), self.out);
        } else if open.is_object() {
            write_str_bytes(name, self.out);
        }
        if open.is_object() {
            self.out.extend_from_slice(if self.pretty { b": " } else { b":" });
            open.advance(name_length);
        }
        true
    }

    /// Writes a scalar, or the opening bracket of an array or object, which is then returned.
    fn begin<'a>(&mut self, value: Slice<'a>, object: Slice<'_>) -> Option<Open<'a>> {
        match value.kind() {
            Kind::Int => write_i64(value.as_i64().unwrap_or(0), self.out),
            Kind::Object => {
                self.out.push(b'{');
                return Some(Open::new(value, true));
            }
            Kind::Array => {
                self.out.push(b'[');
                return Some(Open::new(value, false));
            }
            Kind::String => write_str_bytes(value.str_bytes().unwrap_or(&[]), self.out),
            Kind::Double | Kind::UInt => match value.as_number() {
                Some(Number::Double(value)) => write_f64(value, self.out),
                Some(Number::UInt(value)) => write_u64(value, self.out),
                Some(Number::Int(value)) => write_i64(value, self.out),
                None => self.null(),
            },
            Kind::Bool if value.as_bool() == Some(true) => self.out.extend_from_slice(b"true"),
            Kind::Bool => self.out.extend_from_slice(b"false"),
            Kind::IdMarker => self.write_id(object),
            Kind::UtcDate => match value.as_utc_date() {
                Some(date) => write_i64(date, self.out),
                None => self.null(),
            },
            Kind::Binary => self.write_binary(value.as_binary().unwrap_or(&[])),
            _ => self.null(),
        }
        None
    }

    fn null(&mut self) {
        self.out.extend_from_slice(b"null");
    }

    fn write_id(&mut self, object: Slice<'_>) {
        match (self.collection, object.get("_key").and_then(Slice::str_bytes)) {
            (Some(collection), Some(key)) => {
                // Two strings made one: quote, collection, slash, key, quote.
                write_str_bytes(collection.as_bytes(), self.out);
                self.out.pop();
                let slash = self.out.len();
                write_str_bytes(key, self.out);
                if let Some(quote) = self.out.get_mut(slash) {
                    *quote = b'/';
                }
            }
            _ => self.null(),
        }
    }

    fn write_binary(&mut self, bytes: &[u8]) {
        self.out.reserve(2 * bytes.len() + 2);
        self.out.push(b'"');
        self.out.extend(bytes.iter().flat_map(|&byte| hex(byte)));
        self.out.push(b'"');
    }

    #[inline]
    fn end(&mut self, open: &Open<'_>, depth: usize) {
        if self.pretty && !open.first {
            self.new_line(depth);
        }
        self.out.push(if open.is_object() { b'}' } else { b']' });
    }

    fn new_line(&mut self, depth: usize) {
        self.out.push(b'\n');
        self.out.extend(std::iter::repeat_n(b' ', 2 * depth));
    }
}
