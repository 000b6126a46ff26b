//! The frame around members: header before them, index table after them.
//!
//! Members are written first, after a header reserved for the smallest form. When all members are
//! complete, the header is chosen, and the members move if its length differs. Most objects are
//! below 256 bytes and never move.

use crate::format::{ARRAY_INDEXED, ARRAY_UNIFORM, EMPTY_ARRAY, EMPTY_OBJECT, OBJECT_SORTED};
use crate::{Error, Result};

/// Bytes reserved for the header while members are added: type, length and count of one byte each.
pub(crate) const RESERVED_HEADER: usize = 3;

/// Length of the longest array or object that is written.
///
/// The format has 8-byte lengths too. They are read but never written: no request, document or
/// result may be that long.
pub(crate) const MAX_CONTAINER_BYTES: usize = u32::MAX as usize;

/// The chosen form of an array or object.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// Position among the types of its family, which is also the logarithm of `width`.
    rank: u8,
    /// Bytes of a number in header and table.
    width: usize,
    /// Bytes before the first member.
    pub(crate) header: usize,
    /// Total bytes.
    pub(crate) total: usize,
}

/// Returns the smallest form for `content` bytes of members. `counted`: the header has the number
/// of members. `table`: the number of entries in the index table.
#[inline]
fn choose_form(content: usize, counted: bool, table: usize) -> Result<Form> {
    for (rank, max) in [(0u8, 0xFF), (1, 0xFFFF), (2, MAX_CONTAINER_BYTES)] {
        let width = 1usize << rank;
        let header = if counted { 1 + 2 * width } else { 1 + width };
        let total = header + content + table * width;
        if total <= max {
            return Ok(Form { rank, width, header, total });
        }
    }
    Err(Error::TooLarge { max_bytes: MAX_CONTAINER_BYTES })
}

/// Returns the form of an object with sorted table; `count` is not 0.
#[inline]
pub(crate) fn object_form(content: usize, count: usize) -> Result<Form> {
    // The public specification: an object with one member has no table.
    choose_form(content, true, if count == 1 { 0 } else { count })
}

impl Form {
    /// Appends the header of an object.
    #[inline]
    pub(crate) fn push_object_header(&self, out: &mut Vec<u8>, count: usize) {
        out.push(OBJECT_SORTED + self.rank);
        push_number(out, self.total, self.width);
        push_number(out, count, self.width);
    }

    /// Appends one entry of the index table.
    #[inline]
    pub(crate) fn push_table_entry(&self, out: &mut Vec<u8>, offset: usize) {
        push_number(out, offset, self.width);
    }

    /// Appends many entries of the index table.
    #[inline]
    pub(crate) fn push_table_entries(
        &self,
        out: &mut Vec<u8>,
        offsets: impl ExactSizeIterator<Item = usize>,
    ) {
        match self.width {
            1 => out.extend(offsets.map(|offset| offset as u8)),
            width => offsets.for_each(|offset| push_number(out, offset, width)),
        }
    }
}

/// Appends the lowest `width` bytes of a number. The form was chosen so that no more are needed.
#[inline]
fn push_number(out: &mut Vec<u8>, value: usize, width: usize) {
    match width {
        1 => out.push(value as u8),
        2 => out.extend_from_slice(&(value as u16).to_le_bytes()),
        _ => out.extend_from_slice(&(value as u32).to_le_bytes()),
    }
}

/// Completes the object that starts at `start` with a reserved header and ends with `buffer`.
///
/// `offsets` are the positions of its members from `start` in the order of their names.
#[inline]
pub(crate) fn close_object(
    buffer: &mut Vec<u8>,
    start: usize,
    offsets: impl ExactSizeIterator<Item = usize>,
) -> Result<()> {
    let count = offsets.len();
    if count == 0 {
        return close_empty(buffer, start, EMPTY_OBJECT);
    }
    let content = buffer.len() - start - RESERVED_HEADER;
    let form = object_form(content, count)?;
    move_members(buffer, start, form.header);
    write_header(buffer, start, OBJECT_SORTED, form, Some(count));
    if count > 1 {
        write_table(buffer, offsets, form);
    }
    Ok(())
}

/// Completes an array like [`close_object`]. `offsets` are in the order of its elements.
#[inline]
pub(crate) fn close_array(
    buffer: &mut Vec<u8>,
    start: usize,
    offsets: impl ExactSizeIterator<Item = usize> + Clone,
) -> Result<()> {
    let count = offsets.len();
    if count == 0 {
        return close_empty(buffer, start, EMPTY_ARRAY);
    }
    let content = buffer.len() - start - RESERVED_HEADER;
    if is_uniform(offsets.clone(), content) {
        let form = choose_form(content, false, 0)?;
        move_members(buffer, start, form.header);
        write_header(buffer, start, ARRAY_UNIFORM, form, None);
    } else {
        let form = choose_form(content, true, count)?;
        move_members(buffer, start, form.header);
        write_header(buffer, start, ARRAY_INDEXED, form, Some(count));
        write_table(buffer, offsets, form);
    }
    Ok(())
}

fn close_empty(buffer: &mut Vec<u8>, start: usize, head: u8) -> Result<()> {
    buffer.truncate(start);
    buffer.push(head);
    Ok(())
}

/// Returns true if all members have the same length, so that an array needs no table.
fn is_uniform(mut offsets: impl ExactSizeIterator<Item = usize>, content: usize) -> bool {
    let count = offsets.len();
    if !content.is_multiple_of(count) {
        return false;
    }
    let stride = content / count;
    let mut expected = RESERVED_HEADER;
    offsets.all(|offset| {
        let matches = offset == expected;
        expected += stride;
        matches
    })
}

/// Moves the members so that they start `header` bytes after `start`.
#[inline]
fn move_members(buffer: &mut Vec<u8>, start: usize, header: usize) {
    let (from, to) = (start + RESERVED_HEADER, start + header);
    if to == from {
        return;
    }
    let end = buffer.len();
    if to > from {
        buffer.resize(end + (to - from), 0);
        buffer.copy_within(from..end, to);
    } else {
        buffer.copy_within(from.., to);
        buffer.truncate(end - (from - to));
    }
}

#[inline]
fn write_header(buffer: &mut [u8], start: usize, first_type: u8, form: Form, count: Option<usize>) {
    let Some(header) = buffer.get_mut(start..start + form.header) else { return };
    let mut numbers = [0u8; 9];
    let (total, items) = (form.total as u32, count.unwrap_or(0) as u32);
    numbers[0] = first_type + form.rank;
    numbers[1..5].copy_from_slice(&total.to_le_bytes());
    numbers[1 + form.width..][..4].copy_from_slice(&items.to_le_bytes());
    let length = header.len();
    header.copy_from_slice(&numbers[..length]);
}

#[inline]
fn write_table(buffer: &mut Vec<u8>, offsets: impl ExactSizeIterator<Item = usize>, form: Form) {
    let moved = form.header as isize - RESERVED_HEADER as isize;
    buffer.reserve(offsets.len() * form.width);
    for offset in offsets {
        push_number(buffer, offset.wrapping_add_signed(moved), form.width);
    }
}
