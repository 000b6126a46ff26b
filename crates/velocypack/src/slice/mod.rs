//! A borrowed value, read in place.

use crate::format::{
    ARRAY_COMPACT, ARRAY_UNIFORM, BCD, BCD_LAST, BINARY, BINARY_LAST, CUSTOM, DOUBLE, EMPTY_ARRAY,
    EMPTY_OBJECT, EXTERNAL, FALSE, ID_MARKER, INT, LONG_STRING, LONG_STRING_HEADER, Layout, MAX_KEY, MIN_KEY,
    NULL, OBJECT_COMPACT, OBJECT_SORTED, OBJECT_SORTED_LAST, OBJECT_UNSORTED, OBJECT_UNSORTED_LAST,
    SHORT_STRING, SHORT_STRING_LAST, SMALL_INT, SMALL_NEGATIVE_INT, TRUE, UINT, UTC_DATE, layout,
    read_unsigned, value_length,
};
use crate::names::{Probe, read_name};
use crate::{Kind, Number};

#[cfg(test)]
pub(crate) mod tests;

/// Maximum number of members of an object for a linear search, which is faster there than a binary
/// one.
const LINEAR_SEARCH_MAX: usize = 16;

/// A value in VelocyPack: bytes that start with it and may be longer.
///
/// Accessors trust nothing: on bytes that break the format they return `None`, emptiness or
/// [`Kind::Illegal`]. They check only the bytes that they read; [`crate::validate`] checks all.
#[derive(Clone, Copy)]
pub struct Slice<'a> {
    bytes: &'a [u8],
}

impl Slice<'static> {
    /// The absence of a value.
    pub const NONE: Slice<'static> = Slice { bytes: &[] };
    /// `null`
    pub const NULL: Slice<'static> = Slice { bytes: &[NULL] };
    /// `true`
    pub const TRUE: Slice<'static> = Slice { bytes: &[TRUE] };
    /// `false`
    pub const FALSE: Slice<'static> = Slice { bytes: &[FALSE] };
    /// `[]`
    pub const EMPTY_ARRAY: Slice<'static> = Slice { bytes: &[EMPTY_ARRAY] };
    /// `{}`
    pub const EMPTY_OBJECT: Slice<'static> = Slice { bytes: &[EMPTY_OBJECT] };
    /// `""`
    pub const EMPTY_STRING: Slice<'static> = Slice { bytes: &[SHORT_STRING] };
    /// `0`
    pub const ZERO: Slice<'static> = Slice { bytes: &[SMALL_INT] };
    /// The value of `_id` in a stored document.
    pub const ID_MARKER: Slice<'static> = Slice { bytes: &ID_MARKER };
}

impl<'a> Slice<'a> {
    /// Wraps the value that `bytes` start with.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Slice { bytes }
    }

    /// Returns exactly the value's bytes; empty when it is malformed.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        value_length(self.bytes).and_then(|length| self.bytes.get(..length)).unwrap_or(&[])
    }

    /// Returns the value's length in bytes; 0 when it is malformed.
    #[inline]
    pub fn byte_len(self) -> usize {
        value_length(self.bytes).unwrap_or(0)
    }

    /// Returns all bytes from the value's start on, also those after it.
    #[inline]
    pub(crate) fn raw(self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the type byte; 0 (none) when there are no bytes.
    #[inline]
    pub(crate) fn head(self) -> u8 {
        self.bytes.first().copied().unwrap_or(0)
    }

    /// Returns the kind of the value.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.head() {
            0x00 => Kind::None,
            EMPTY_ARRAY | ARRAY_UNIFORM..=0x09 | ARRAY_COMPACT => Kind::Array,
            EMPTY_OBJECT | OBJECT_SORTED..=OBJECT_UNSORTED_LAST | OBJECT_COMPACT => Kind::Object,
            NULL => Kind::Null,
            FALSE | TRUE => Kind::Bool,
            DOUBLE => Kind::Double,
            UTC_DATE => Kind::UtcDate,
            EXTERNAL => Kind::External,
            MIN_KEY => Kind::MinKey,
            MAX_KEY => Kind::MaxKey,
            // Only an integer of 8 bytes can be beyond i64, and then its last byte decides.
            0x2F if self.bytes.get(8).is_some_and(|&byte| byte >= 0x80) => Kind::UInt,
            INT..SHORT_STRING => Kind::Int,
            SHORT_STRING..=LONG_STRING => Kind::String,
            BINARY..=BINARY_LAST => Kind::Binary,
            BCD..=BCD_LAST => Kind::Decimal,
            CUSTOM if self.bytes.get(1) == Some(&ID_MARKER[1]) => Kind::IdMarker,
            CUSTOM.. => Kind::Custom,
            _ => Kind::Illegal,
        }
    }

    /// Returns true if there is no value at all.
    #[inline]
    pub fn is_none(self) -> bool {
        self.head() == 0
    }

    /// Returns true for `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.head() == NULL
    }

    /// Returns true for `true` and `false`.
    #[inline]
    pub fn is_bool(self) -> bool {
        matches!(self.head(), FALSE | TRUE)
    }

    /// Returns true for integers and doubles.
    #[inline]
    pub fn is_number(self) -> bool {
        self.head() == DOUBLE || self.is_integer()
    }

    /// Returns true for numbers encoded as integers (a double such as 1.0 is not one).
    #[inline]
    pub fn is_integer(self) -> bool {
        (INT..SHORT_STRING).contains(&self.head())
    }

    /// Returns true for strings.
    #[inline]
    pub fn is_string(self) -> bool {
        (SHORT_STRING..=LONG_STRING).contains(&self.head())
    }

    /// Returns true for arrays of any encoding.
    #[inline]
    pub fn is_array(self) -> bool {
        matches!(self.head(), EMPTY_ARRAY..=0x09 | ARRAY_COMPACT)
    }

    /// Returns true for objects of any encoding.
    #[inline]
    pub fn is_object(self) -> bool {
        matches!(self.head(), EMPTY_OBJECT..=OBJECT_UNSORTED_LAST | OBJECT_COMPACT)
    }

    /// Returns true for the value of `_id` in a stored document.
    #[inline]
    pub fn is_id_marker(self) -> bool {
        self.bytes.starts_with(&ID_MARKER)
    }

    /// Returns the truth value, or `None` for all but bools.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.head() {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        }
    }

    /// Returns an integer within `i64`, or `None` for doubles and larger integers.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        let head = self.head();
        match head {
            SMALL_INT..SMALL_NEGATIVE_INT => Some(i64::from(head - SMALL_INT)),
            SMALL_NEGATIVE_INT..SHORT_STRING => Some(i64::from(head) - 0x40),
            INT..UINT => self.signed(head),
            UINT..SMALL_INT => self.unsigned(head).and_then(|value| i64::try_from(value).ok()),
            _ => None,
        }
    }

    /// Returns an integer that is not negative, or `None` for doubles.
    #[inline]
    pub fn as_u64(self) -> Option<u64> {
        let head = self.head();
        match head {
            UINT..SMALL_INT => self.unsigned(head),
            _ => self.as_i64().and_then(|value| u64::try_from(value).ok()),
        }
    }

    #[inline]
    fn unsigned(self, head: u8) -> Option<u64> {
        read_unsigned(self.bytes, 1, usize::from(head - UINT) + 1)
    }

    #[inline]
    fn signed(self, head: u8) -> Option<i64> {
        let width = usize::from(head - INT) + 1;
        let unused_bits = 64 - 8 * width as u32;
        // Shifted up and back down, so that the sign fills the unused bits.
        read_unsigned(self.bytes, 1, width).map(|value| ((value << unused_bits) as i64) >> unused_bits)
    }

    #[inline]
    fn double(self) -> Option<f64> {
        read_unsigned(self.bytes, 1, 8).map(f64::from_bits)
    }

    /// Returns a number as the nearest double.
    #[inline]
    pub fn as_f64(self) -> Option<f64> {
        match self.head() {
            DOUBLE => self.double(),
            _ => self.as_number().map(Number::to_f64),
        }
    }

    /// Returns a number.
    #[inline]
    pub fn as_number(self) -> Option<Number> {
        let head = self.head();
        match head {
            DOUBLE => self.double().map(Number::Double),
            UINT..SMALL_INT => self.unsigned(head).map(Number::from_u64),
            _ => self.as_i64().map(Number::Int),
        }
    }

    /// Returns the milliseconds since 1970 of a UTC date.
    pub fn as_utc_date(self) -> Option<i64> {
        (self.head() == UTC_DATE).then(|| read_unsigned(self.bytes, 1, 8).map(|value| value as i64)).flatten()
    }

    /// Returns the bytes of a binary value.
    pub fn as_binary(self) -> Option<&'a [u8]> {
        let head = self.head();
        if !(BINARY..=BINARY_LAST).contains(&head) {
            return None;
        }
        self.bytes().get(usize::from(head - BINARY) + 2..)
    }

    /// Returns the text of a string, or `None` if its bytes are not UTF-8.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        std::str::from_utf8(self.str_bytes()?).ok()
    }

    /// Returns the text of a string, not checked to be UTF-8.
    #[inline]
    pub fn str_bytes(self) -> Option<&'a [u8]> {
        let head = self.head();
        match head {
            SHORT_STRING..=SHORT_STRING_LAST => self.bytes.get(1..usize::from(head - SHORT_STRING) + 1),
            LONG_STRING => self.bytes().get(LONG_STRING_HEADER..),
            _ => None,
        }
    }

    /// Returns the attribute `name` of an object, or `None` if it has no such attribute or is no
    /// object.
    #[inline]
    pub fn get(self, name: &str) -> Option<Slice<'a>> {
        self.get_bytes(name.as_bytes())
    }

    pub(crate) fn get_bytes(self, name: &[u8]) -> Option<Slice<'a>> {
        let head = self.head();
        let probe = Probe::new(name);
        match head {
            OBJECT_SORTED..=OBJECT_UNSORTED_LAST => {
                let layout = layout(self.bytes)?;
                if layout.count <= LINEAR_SEARCH_MAX || head >= OBJECT_UNSORTED {
                    self.search_linear(&layout, &probe)
                } else {
                    debug_assert!(head <= OBJECT_SORTED_LAST);
                    self.search_sorted(&layout, &probe)
                }
            }
            OBJECT_COMPACT => {
                self.raw_entries().find(|(found, _)| *found == probe.name()).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    #[inline]
    fn search_linear(self, layout: &Layout, probe: &Probe<'_>) -> Option<Slice<'a>> {
        match (layout.table, layout.width) {
            (0, _) => self.matching_member(layout, layout.data, probe),
            (_, 1) => self.search_table::<1>(layout, probe),
            (_, 2) => self.search_table::<2>(layout, probe),
            (_, 4) => self.search_table::<4>(layout, probe),
            _ => self.search_table::<8>(layout, probe),
        }
    }

    /// Searches the index table: compares the first byte of each name, and the rest of those that
    /// agree.
    #[inline]
    fn search_table<const WIDTH: usize>(self, layout: &Layout, probe: &Probe<'_>) -> Option<Slice<'a>> {
        let table = self.bytes.get(layout.table..layout.table + layout.count * WIDTH)?;
        for entry in table.as_chunks::<WIDTH>().0 {
            let offset = entry.iter().rev().fold(0, |offset, &byte| offset << 8 | usize::from(byte));
            if probe.may_start_with(*self.bytes.get(offset)?)
                && let Some(value) = self.matching_member(layout, offset, probe)
            {
                return Some(value);
            }
        }
        None
    }

    /// Returns the value of the member at `offset` if it has this name.
    #[inline]
    fn matching_member(self, layout: &Layout, offset: usize, probe: &Probe<'_>) -> Option<Slice<'a>> {
        if offset < layout.data {
            return None;
        }
        let member = self.bytes.get(offset..layout.data_end)?;
        let length = probe.matches(member)?;
        member.get(length..).map(Slice::new)
    }

    fn search_sorted(self, layout: &Layout, probe: &Probe<'_>) -> Option<Slice<'a>> {
        let (mut low, mut high) = (0, layout.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let offset = layout.offset(self.bytes, middle)?;
            let member = self.bytes.get(offset..layout.data_end)?;
            let (name, length) = read_name(member)?;
            match name.cmp(probe.name()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return member.get(length..).map(Slice::new),
            }
        }
        None
    }

    /// Returns the value at the end of a path of attribute names.
    pub fn get_path(self, path: &[&str]) -> Option<Slice<'a>> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    /// Returns element `index` of an array, counted from 0.
    pub fn at(self, index: usize) -> Option<Slice<'a>> {
        if !self.is_array() {
            return None;
        }
        let layout = layout(self.bytes)?;
        if index >= layout.count {
            return None;
        }
        if layout.table != 0 {
            let offset = layout.offset(self.bytes, index)?;
            return self.bytes.get(offset..layout.data_end).map(Slice::new);
        }
        if self.head() == ARRAY_COMPACT {
            return self.elements().nth(index);
        }
        let size = value_length(self.bytes.get(layout.data..layout.data_end)?)?;
        self.bytes.get(layout.data + index * size..layout.data_end).map(Slice::new)
    }

    /// Returns the number of members of an array or object, else 0.
    #[inline]
    pub fn len(self) -> usize {
        layout(self.bytes).map_or(0, |layout| layout.count)
    }

    /// Returns true if there are no members, as in everything that is not an array or object.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}
