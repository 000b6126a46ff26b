//! The byte format: type bytes, lengths, and the positions of the parts of arrays and objects.
//!
//! Everything here follows VelocyPack's public specification (version 1). All reads are checked:
//! bytes that break the format give `None`, never a panic.

/// The value of `_id` in a stored document: a custom type of one byte.
///
/// Its text is the collection's name, `/`, and the value of the same object's `_key`.
pub const ID_MARKER: [u8; 2] = [0xF0, 0x01];

pub(crate) const EMPTY_ARRAY: u8 = 0x01;
/// First of the four array types without index table; the next three have lengths of 2, 4 and 8
/// bytes.
pub(crate) const ARRAY_UNIFORM: u8 = 0x02;
/// First of the four array types with index table.
pub(crate) const ARRAY_INDEXED: u8 = 0x06;
pub(crate) const EMPTY_OBJECT: u8 = 0x0A;
/// First of the four object types whose index table is sorted by attribute name.
pub(crate) const OBJECT_SORTED: u8 = 0x0B;
/// Last of the four object types whose index table is sorted.
pub(crate) const OBJECT_SORTED_LAST: u8 = 0x0E;
/// First of the four object types whose index table is not sorted.
pub(crate) const OBJECT_UNSORTED: u8 = 0x0F;
/// Last of the four object types whose index table is not sorted.
pub(crate) const OBJECT_UNSORTED_LAST: u8 = 0x12;
pub(crate) const ARRAY_COMPACT: u8 = 0x13;
pub(crate) const OBJECT_COMPACT: u8 = 0x14;
pub(crate) const ILLEGAL: u8 = 0x17;
pub(crate) const NULL: u8 = 0x18;
pub(crate) const FALSE: u8 = 0x19;
pub(crate) const TRUE: u8 = 0x1A;
pub(crate) const DOUBLE: u8 = 0x1B;
pub(crate) const UTC_DATE: u8 = 0x1C;
pub(crate) const EXTERNAL: u8 = 0x1D;
pub(crate) const MIN_KEY: u8 = 0x1E;
pub(crate) const MAX_KEY: u8 = 0x1F;
/// First of the types of signed integers, which have 1 to 8 bytes.
pub(crate) const INT: u8 = 0x20;
/// First of the types of unsigned integers, which have 1 to 8 bytes.
pub(crate) const UINT: u8 = 0x28;
pub(crate) const UINT_LAST: u8 = 0x2F;
/// The integers 0 to 9.
pub(crate) const SMALL_INT: u8 = 0x30;
/// The integers -6 to -1.
pub(crate) const SMALL_NEGATIVE_INT: u8 = 0x3A;
/// The empty string; the type of a string of up to [`SHORT_STRING_MAX`] bytes adds its length.
pub(crate) const SHORT_STRING: u8 = 0x40;
pub(crate) const SHORT_STRING_LAST: u8 = 0xBE;
pub(crate) const SHORT_STRING_MAX: usize = 126;
pub(crate) const LONG_STRING: u8 = 0xBF;
/// Type byte and 8 bytes of length.
pub(crate) const LONG_STRING_HEADER: usize = 9;
pub(crate) const BINARY: u8 = 0xC0;
pub(crate) const BINARY_LAST: u8 = 0xC7;
pub(crate) const BCD: u8 = 0xC8;
pub(crate) const BCD_LAST: u8 = 0xD7;
pub(crate) const CUSTOM: u8 = 0xF0;

/// Length of a value in bytes where the type byte alone decides it, else 0.
const FIXED_LENGTH: [u8; 256] = fixed_lengths();

const fn fixed_lengths() -> [u8; 256] {
    let mut lengths = [0u8; 256];
    lengths[EMPTY_ARRAY as usize] = 1;
    lengths[EMPTY_OBJECT as usize] = 1;
    lengths[ILLEGAL as usize] = 1;
    lengths[NULL as usize] = 1;
    lengths[FALSE as usize] = 1;
    lengths[TRUE as usize] = 1;
    lengths[DOUBLE as usize] = 9;
    lengths[UTC_DATE as usize] = 9;
    lengths[EXTERNAL as usize] = 9;
    lengths[MIN_KEY as usize] = 1;
    lengths[MAX_KEY as usize] = 1;
    let mut bytes = 1;
    while bytes <= 8 {
        lengths[INT as usize + bytes - 1] = 1 + bytes as u8;
        lengths[UINT as usize + bytes - 1] = 1 + bytes as u8;
        bytes += 1;
    }
    let mut small = SMALL_INT as usize;
    while small < SHORT_STRING as usize {
        lengths[small] = 1;
        small += 1;
    }
    let mut length = 0;
    while length <= SHORT_STRING_MAX {
        lengths[SHORT_STRING as usize + length] = 1 + length as u8;
        length += 1;
    }
    lengths[CUSTOM as usize] = 2;
    lengths[CUSTOM as usize + 1] = 3;
    lengths[CUSTOM as usize + 2] = 5;
    lengths[CUSTOM as usize + 3] = 9;
    lengths
}

/// Returns the length in bytes of the value that `bytes` start with, or `None` if there is none or
/// it is cut off.
#[inline]
pub(crate) fn value_length(bytes: &[u8]) -> Option<usize> {
    let head = *bytes.first()?;
    let fixed = usize::from(FIXED_LENGTH[usize::from(head)]);
    let length = if fixed != 0 { fixed } else { variable_length(bytes, head)? };
    (length <= bytes.len()).then_some(length)
}

fn variable_length(bytes: &[u8], head: u8) -> Option<usize> {
    let (prefix, length) = match head {
        ARRAY_UNIFORM..=0x09 | OBJECT_SORTED..=OBJECT_UNSORTED_LAST => {
            let width = container_width(head);
            // The type byte, the length itself and at least one member.
            let length = read_unsigned(bytes, 1, width)?;
            return usize::try_from(length).ok().filter(|&length| length > 1 + width);
        }
        ARRAY_COMPACT | OBJECT_COMPACT => {
            let (length, width) = read_varint(bytes.get(1..)?)?;
            return usize::try_from(length).ok().filter(|&length| length > 1 + width);
        }
        LONG_STRING => (9, read_unsigned(bytes, 1, 8)?),
        BINARY..=BINARY_LAST => {
            let width = usize::from(head - BINARY) + 1;
            (1 + width, read_unsigned(bytes, 1, width)?)
        }
        BCD..=BCD_LAST => {
            let width = usize::from((head - BCD) & 7) + 1;
            (1 + width + 4, read_unsigned(bytes, 1, width)?)
        }
        0xF4..=0xFF => {
            let width = 1usize << ((head - 0xF4) / 3);
            (1 + width, read_unsigned(bytes, 1, width)?)
        }
        _ => return None,
    };
    usize::try_from(length).ok()?.checked_add(prefix)
}

/// Returns the width in bytes of a number in the header and index table of an array or object with
/// a length field.
#[inline]
pub(crate) const fn container_width(head: u8) -> usize {
    let position = if head < EMPTY_OBJECT { head - ARRAY_UNIFORM } else { head - OBJECT_SORTED };
    1 << (position & 3)
}

/// Returns a little-endian unsigned integer of `width` (1 to 8) bytes at `at`.
#[inline]
pub(crate) fn read_unsigned(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)),
    })
}

/// Reads the length at the start of a compact array or object. Returns it and its number of bytes.
///
/// It has 7 bits a byte, least significant first; all bytes but the last have the high bit set.
fn read_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    fold_varint(bytes.iter())
}

/// Reads the number of members at the end of a compact array or object: a varint in reverse.
fn read_varint_backwards(bytes: &[u8]) -> Option<(u64, usize)> {
    fold_varint(bytes.iter().rev())
}

fn fold_varint<'a>(bytes: impl Iterator<Item = &'a u8>) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (position, &byte) in bytes.take(8).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * position);
        if byte & 0x80 == 0 {
            return Some((value, position + 1));
        }
    }
    None
}

/// The positions of the parts of an array or object, counted from its first byte and inside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Number of members.
    pub(crate) count: usize,
    /// The position of the first member; equal to `data_end` when there is none.
    pub(crate) data: usize,
    /// An upper bound of the end of the last member.
    pub(crate) data_end: usize,
    /// The position of the index table of `count` numbers, or 0 when there is none.
    pub(crate) table: usize,
    /// Bytes of a number in the index table.
    pub(crate) width: usize,
}

impl Layout {
    const EMPTY: Layout = Layout { count: 0, data: 1, data_end: 1, table: 0, width: 1 };

    /// Returns entry `index` of the index table of the value in `bytes`.
    #[inline]
    pub(crate) fn offset(&self, bytes: &[u8], index: usize) -> Option<usize> {
        if self.table == 0 {
            return (index == 0).then_some(self.data);
        }
        let offset = read_unsigned(bytes, self.table + index * self.width, self.width)? as usize;
        (offset >= self.data && offset < self.data_end).then_some(offset)
    }
}

/// Returns the parts of the array or object that `bytes` start with, or `None` for any other value
/// or a malformed one.
#[inline]
pub(crate) fn layout(bytes: &[u8]) -> Option<Layout> {
    let head = *bytes.first()?;
    match head {
        EMPTY_ARRAY | EMPTY_OBJECT => Some(Layout::EMPTY),
        ARRAY_UNIFORM..=0x05 => uniform_layout(bytes, head),
        ARRAY_INDEXED..=0x09 | OBJECT_SORTED..=OBJECT_UNSORTED_LAST => indexed_layout(bytes, head),
        ARRAY_COMPACT | OBJECT_COMPACT => compact_layout(bytes),
        _ => None,
    }
}

fn uniform_layout(bytes: &[u8], head: u8) -> Option<Layout> {
    let total = value_length(bytes)?;
    let width = container_width(head);
    let data = data_offset(bytes, 1 + width)?;
    let member = value_length(bytes.get(data..total)?)?;
    let count = (total - data) / member;
    (count * member == total - data).then_some(Layout { count, data, data_end: total, table: 0, width })
}

#[inline]
fn indexed_layout(bytes: &[u8], head: u8) -> Option<Layout> {
    let width = container_width(head);
    let total = read_unsigned(bytes, 1, width)? as usize;
    if total > bytes.len() {
        return None;
    }
    // Numbers of 8 bytes have the count after the table instead of after the length.
    let (header, table_end) = if width == 8 { (9, total.checked_sub(8)?) } else { (1 + 2 * width, total) };
    let count_at = if width == 8 { table_end } else { 1 + width };
    let count = usize::try_from(read_unsigned(bytes, count_at, width)?).ok()?;
    let data = data_offset(bytes, header)?;
    // An object with one member has no table.
    if count == 1 && head >= OBJECT_SORTED {
        return (data < table_end).then_some(Layout { count, data, data_end: table_end, table: 0, width });
    }
    let table = table_end.checked_sub(count.checked_mul(width)?)?;
    (count != 0 && data < table).then_some(Layout { count, data, data_end: table, table, width })
}

fn compact_layout(bytes: &[u8]) -> Option<Layout> {
    let total = value_length(bytes)?;
    let (_, length_width) = read_varint(bytes.get(1..total)?)?;
    let data = 1 + length_width;
    let (count, count_width) = read_varint_backwards(bytes.get(data..total)?)?;
    let data_end = total - count_width;
    let count = usize::try_from(count).ok().filter(|&count| count != 0 && count <= data_end - data)?;
    Some(Layout { count, data, data_end, table: 0, width: 1 })
}

/// Returns the position of the first member.
///
/// It may start later than right after the header: at the next possible position whose byte is not
/// 0.
#[inline]
fn data_offset(bytes: &[u8], header: usize) -> Option<usize> {
    if *bytes.get(header)? != 0 || header >= 9 {
        return Some(header);
    }
    for position in [3, 5] {
        if position > header && *bytes.get(position)? != 0 {
            return Some(position);
        }
    }
    Some(9)
}
