//! VelocyPack to text in one forward walk, without recursion.

use super::number::{write_f64, write_i64, write_u64};
use super::string::{hex, write_str_bytes};
use crate::iterate::{Elements, RawEntries};
use crate::{Kind, Number, Slice};

/// Appends a value as compact JSON. The `_id` marker of a stored document is written as the text for
/// `collection`, or as null without one.
///
/// What JSON does not have: UTC dates are written as their milliseconds since 1970, binary values as a
/// string of lower-case hexadecimal digits (both as ArangoDB's own writer can), all others as null.
pub fn write(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    Writer { collection, out, pretty: false }.write(value);
}

/// As [`write`], with each member on its own line, indented by two spaces a level.
pub fn write_pretty(value: Slice<'_>, collection: Option<&str>, out: &mut Vec<u8>) {
    Writer { collection, out, pretty: true }.write(value);
}

/// A value as compact JSON in a string.
pub fn to_json_string(value: Slice<'_>, collection: Option<&str>) -> String {
    let mut out = Vec::with_capacity(value.byte_len() * 2);
    write(value, collection, &mut out);
    // Only bytes that were never validated can be anything but UTF-8.
    String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

struct Writer<'c, 'o> {
    collection: Option<&'c str>,
    out: &'o mut Vec<u8>,
    pretty: bool,
}

/// An array or object that is being written.
enum Open<'a> {
    Array(Elements<'a>),
    Object { entries: RawEntries<'a>, object: Slice<'a> },
}

impl Writer<'_, '_> {
    fn write(&mut self, value: Slice<'_>) {
        let Some(mut open) = self.begin(value, Slice::NONE) else { return };
        let mut outer = Vec::new();
        let mut first = true;
        loop {
            let (member, object) = match &mut open {
                Open::Array(elements) => (elements.next().map(|value| (None, value)), Slice::NONE),
                Open::Object { entries, object } => {
                    (entries.next().map(|(name, value)| (Some(name), value)), *object)
                }
            };
            let Some((name, value)) = member else {
                self.end(&open, first, outer.len());
                let Some(next) = outer.pop() else { return };
                open = next;
                first = false;
                continue;
            };
            self.separate(first, outer.len() + 1);
            first = false;
            if let Some(name) = name {
                write_str_bytes(name, self.out);
                self.out.extend_from_slice(if self.pretty { b": " } else { b":" });
            }
            if let Some(inner) = self.begin(value, object) {
                outer.push(std::mem::replace(&mut open, inner));
                first = true;
            }
        }
    }

    /// Writes a scalar, or the opening bracket of an array or object, which is then returned.
    #[inline]
    fn begin<'a>(&mut self, value: Slice<'a>, object: Slice<'_>) -> Option<Open<'a>> {
        match value.kind() {
            Kind::String => write_str_bytes(value.str_bytes().unwrap_or(&[]), self.out),
            Kind::Int => write_i64(value.as_i64().unwrap_or(0), self.out),
            Kind::Object => {
                self.out.push(b'{');
                return Some(Open::Object { entries: value.raw_entries(), object: value });
            }
            Kind::Array => {
                self.out.push(b'[');
                return Some(Open::Array(value.elements()));
            }
            Kind::Double | Kind::UInt => match value.as_number() {
                Some(Number::Double(value)) => write_f64(value, self.out),
                Some(Number::UInt(value)) => write_u64(value, self.out),
                Some(Number::Int(value)) => write_i64(value, self.out),
                None => self.null(),
            },
            Kind::Bool => self.out.extend_from_slice(if value.as_bool() == Some(true) { b"true" } else { b"false" }),
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
                // The characters that need escapes are not allowed in keys; names of collections may
                // have them.
                write_str_bytes(collection.as_bytes(), self.out);
                self.out.pop();
                self.out.push(b'/');
                let quote = self.out.len();
                write_str_bytes(key, self.out);
                self.out.remove(quote);
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

    /// Whatever has to stand before a member.
    #[inline]
    fn separate(&mut self, first: bool, depth: usize) {
        if !first {
            self.out.push(b',');
        }
        if self.pretty {
            self.new_line(depth);
        }
    }

    #[inline]
    fn end(&mut self, open: &Open<'_>, empty: bool, depth: usize) {
        if self.pretty && !empty {
            self.new_line(depth);
        }
        self.out.push(match open {
            Open::Array(_) => b']',
            Open::Object { .. } => b'}',
        });
    }

    fn new_line(&mut self, depth: usize) {
        self.out.push(b'\n');
        self.out.extend(std::iter::repeat_n(b' ', 2 * depth));
    }
}
