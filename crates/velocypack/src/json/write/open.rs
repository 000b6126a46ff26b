//! An array or object that is being written, and the place in it.

use crate::Slice;
use crate::format::{ARRAY_INDEXED, Layout, OBJECT_SORTED, SHORT_STRING, SHORT_STRING_LAST, layout};
use crate::names::KEY;

/// The types of containers with numbers of two bytes.
const OBJECT_SORTED_2: u8 = OBJECT_SORTED + 1;
const ARRAY_INDEXED_2: u8 = ARRAY_INDEXED + 1;

/// An array or object that is being written.
#[derive(Clone, Copy)]
pub(super) struct Open<'a> {
    /// The bytes from its first one on, also those after it.
    pub(super) bytes: &'a [u8],
    /// The position of the first member.
    data: usize,
    /// The position of the next member.
    pub(super) position: usize,
    /// An upper bound of the end of the last member.
    pub(super) end: usize,
    pub(super) remaining: usize,
    pub(super) is_object: bool,
    /// True until something of it is written.
    pub(super) first: bool,
}

impl<'a> Open<'a> {
    pub(super) fn new(value: Slice<'a>, is_object: bool) -> Self {
        let bytes = value.raw();
        // Malformed containers are written as empty.
        let (data, end, remaining) = layout(bytes).map_or((0, 0, 0), |layout| {
            let Layout { data, data_end, count, .. } = layout;
            if data_end <= bytes.len() { (data, data_end, count) } else { (0, 0, 0) }
        });
        Open { bytes, data, position: data, end, remaining, is_object, first: true }
    }

    /// Reads an array or object of at most `inside` bytes, with numbers of one or two bytes, a
    /// count and no gap before its members, as the builder writes most.
    ///
    /// Returns it and its length, or `None` for any other value.
    #[inline(always)]
    pub(super) fn usual(bytes: &'a [u8], inside: usize) -> Option<(Self, usize)> {
        let (&head, numbers) = bytes.split_first()?;
        let is_object = head >= OBJECT_SORTED;
        let (total, count, width) = match (head, numbers) {
            (OBJECT_SORTED | ARRAY_INDEXED, [total, count, first, ..]) if *first != 0 => {
                (usize::from(*total), usize::from(*count), 1)
            }
            (OBJECT_SORTED_2 | ARRAY_INDEXED_2, [a, b, c, d, first, ..]) if *first != 0 => {
                let number = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high]));
                (number(*a, *b), number(*c, *d), 2)
            }
            _ => return None,
        };
        let data = 1 + 2 * width;
        // An object with one member has no table.
        let table = if is_object && count == 1 { 0 } else { count * width };
        let end = total.checked_sub(table)?;
        let open = Open { bytes, data, position: data, end, remaining: count, is_object, first: true };
        (count != 0 && data < end && total <= inside).then_some((open, total))
    }

    #[inline(always)]
    pub(super) fn bracket(&self) -> &'static [u8; 1] {
        if self.is_object { b"{" } else { b"[" }
    }

    /// Returns the bytes from the next member on.
    #[inline(always)]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or(&[])
    }

    /// Returns true if there is another member, and counts it.
    #[inline(always)]
    pub(super) fn next(&mut self) -> bool {
        if self.remaining == 0 || self.position >= self.end {
            return false;
        }
        self.remaining -= 1;
        true
    }

    /// Returns the `_key` of the object, with bytes after it, and its length. Stored documents
    /// begin with it.
    #[inline(always)]
    pub(super) fn key(&self) -> Option<(&'a [u8], usize)> {
        match self.bytes.get(self.data..) {
            Some([KEY, head @ SHORT_STRING..=SHORT_STRING_LAST, behind @ ..]) if self.is_object => {
                Some((behind, usize::from(head - SHORT_STRING)))
            }
            _ if !self.is_object => None,
            _ => Slice::new(self.bytes).get("_key").and_then(Slice::str_bytes).map(|key| (key, key.len())),
        }
    }
}
