//! The body that a client sent, without the attributes that the server sets.

use std::ops::Range;

use crate::container::Form;
use crate::format::{Layout, SHORT_STRING, SHORT_STRING_LAST, layout, value_length};
use crate::names::{KEY, TO, read_name, translate};
use crate::{Error, Result};

/// Maximum number of system attributes of a document.
const SYSTEM_MAX: usize = 5;
/// The type byte of a string of one byte.
const SHORT_STRING_FIRST: u8 = SHORT_STRING + 1;
/// The index table used for an object with one attribute, which has none.
const SINGLE: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// An object with numbers of at most four bytes, and the attributes that a document does not take
/// over.
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    count: usize,
    data: usize,
    data_end: usize,
    /// The offset of each attribute in the order of the names; numbers of `width` bytes.
    table: &'a [u8],
    width: usize,
    /// The ranges of the system attributes.
    removed: [Range<usize>; SYSTEM_MAX],
    removed_count: usize,
    removed_bytes: usize,
    /// True if the system attributes lie in front of all others; if not, `removed` is in order.
    removed_lie_first: bool,
    /// Number of attributes whose names sort before all that begin with `_`.
    before: usize,
    /// True if other names begin with `_`.
    has_underscores: bool,
}

impl<'a> Body<'a> {
    /// Reads the object that `bytes` start with. Errors: it is malformed.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let Layout { count, data, data_end, table, width } = layout(bytes).ok_or(Error::Malformed)?;
        let (table, width) = match table {
            0 => (SINGLE.get(data..data + count), 1),
            _ => (bytes.get(table..table + count * width), width),
        };
        let mut body = Body {
            bytes,
            count,
            data,
            data_end,
            table: table.ok_or(Error::Malformed)?,
            width,
            removed: Default::default(),
            removed_count: 0,
            removed_bytes: 0,
            removed_lie_first: true,
            before: 0,
            has_underscores: false,
        };
        let noted = match body.width {
            1 => numbers::<1>(body.table).try_for_each(|offset| body.note(offset)),
            2 => numbers::<2>(body.table).try_for_each(|offset| body.note(offset)),
            _ => numbers::<4>(body.table).try_for_each(|offset| body.note(offset)),
        };
        noted.ok_or(Error::Malformed)?;
        let removed = body.removed.get_mut(..body.removed_count).unwrap_or_default();
        body.removed_lie_first = removed.iter().all(|removed| removed.end <= data + body.removed_bytes);
        if !body.removed_lie_first {
            removed.sort_unstable_by_key(|removed| removed.start);
        }
        Ok(body)
    }

    /// Classifies the attribute at `offset`. `None` if the body is malformed.
    #[inline]
    fn note(&mut self, offset: usize) -> Option<()> {
        match *self.bytes.get(offset..self.data_end)? {
            // Most names are short strings; their first byte decides.
            [SHORT_STRING_FIRST..=SHORT_STRING_LAST, byte, ..] if byte != b'_' => {
                self.before += usize::from(byte < b'_');
                Some(())
            }
            // System attributes have short names too.
            [KEY..=TO, ref value @ ..] => self.remove(offset, 1, value),
            ref member => self.note_any(offset, member),
        }
    }

    /// Marks an attribute as not taken over. Its name has `name_length` bytes.
    #[inline]
    fn remove(&mut self, offset: usize, name_length: usize, value: &[u8]) -> Option<()> {
        let length = name_length + value_length(value)?;
        // More than five: names occur twice, so the body is malformed.
        *self.removed.get_mut(self.removed_count)? = offset..offset + length;
        self.removed_count += 1;
        self.removed_bytes += length;
        Some(())
    }

    fn note_any(&mut self, offset: usize, member: &[u8]) -> Option<()> {
        let (name, name_length) = read_name(member)?;
        match name.first() {
            Some(b'_') if translate(name).is_some() => {
                self.remove(offset, name_length, member.get(name_length..).unwrap_or_default())?;
            }
            Some(b'_') => self.has_underscores = true,
            Some(byte) => self.before += usize::from(*byte < b'_'),
            None => self.before += 1,
        }
        Some(())
    }

    #[inline]
    fn removed(&self) -> &[Range<usize>] {
        self.removed.get(..self.removed_count).unwrap_or_default()
    }

    /// Returns the number of attributes that are taken over.
    #[inline]
    pub(super) fn kept_count(&self) -> usize {
        self.count - self.removed_count
    }

    /// Returns the bytes of the attributes that are taken over.
    #[inline]
    pub(super) fn kept_bytes(&self) -> usize {
        (self.data_end - self.data).saturating_sub(self.removed_bytes)
    }

    /// Appends the attributes that are taken over.
    #[inline]
    pub(super) fn push_kept(&self, out: &mut Vec<u8>) {
        if self.removed_lie_first {
            let kept = self.bytes.get(self.data + self.removed_bytes..self.data_end);
            return out.extend_from_slice(kept.unwrap_or_default());
        }
        let mut from = self.data;
        for removed in self.removed() {
            out.extend_from_slice(self.bytes.get(from..removed.start).unwrap_or_default());
            from = removed.end;
        }
        out.extend_from_slice(self.bytes.get(from..self.data_end).unwrap_or_default());
    }

    /// Returns the new position of the attribute at `offset`, from the first that is taken over.
    pub(super) fn kept_before(&self, offset: usize) -> usize {
        let removed = self.removed().iter().filter(|removed| removed.start < offset);
        (offset - self.data).saturating_sub(removed.map(ExactSizeIterator::len).sum())
    }

    /// Returns the parts of the table before and after the system attributes, if those two suffice.
    ///
    /// They suffice if no other name begins with `_` and the system attributes lie in front of all
    /// others.
    #[inline]
    pub(super) fn runs(&self) -> Option<(&'a [u8], &'a [u8])> {
        if self.has_underscores || !self.removed_lie_first {
            return None;
        }
        let before = self.before * self.width;
        let behind = before + self.removed_count * self.width;
        Some((self.table.get(..before)?, self.table.get(behind..)?))
    }

    /// Appends a part of the table, moved so that the first attribute that is taken over lies at
    /// `kept`. Only for bodies that have [`Body::runs`].
    #[inline]
    pub(super) fn push_moved(&self, run: &[u8], form: Form, kept: usize, out: &mut Vec<u8>) {
        let first = self.data + self.removed_bytes;
        let moved = |offset: usize| kept + offset.saturating_sub(first);
        match self.width {
            1 => form.push_table_entries(out, numbers::<1>(run).map(moved)),
            2 => form.push_table_entries(out, numbers::<2>(run).map(moved)),
            _ => form.push_table_entries(out, numbers::<4>(run).map(moved)),
        }
    }

    /// Returns the offsets of the attributes that are taken over, in the order of their names.
    pub(super) fn kept_offsets(&self) -> impl Iterator<Item = usize> {
        let offset =
            |number: &[u8]| number.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte));
        let offsets = self.table.chunks_exact(self.width).map(offset);
        offsets.filter(|offset| self.removed().iter().all(|removed| removed.start != *offset))
    }

    /// Returns the name of the attribute at `offset`.
    pub(super) fn name(&self, offset: usize) -> Result<&'a [u8]> {
        let name = self.bytes.get(offset..).and_then(read_name);
        name.map(|(name, _)| name).ok_or(Error::Malformed)
    }
}

/// Returns an iterator over numbers of `WIDTH` bytes.
#[inline]
fn numbers<const WIDTH: usize>(table: &[u8]) -> impl ExactSizeIterator<Item = usize> + use<'_, WIDTH> {
    table.as_chunks::<WIDTH>().0.iter().map(|number| {
        let mut bytes = [0; size_of::<usize>()];
        bytes[..WIDTH].copy_from_slice(number);
        usize::from_le_bytes(bytes)
    })
}
