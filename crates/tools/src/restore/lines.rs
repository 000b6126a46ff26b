//! Cuts of text between lines, and of VelocyPack between values.

/// Returns the place to cut bytes at a line break.
///
/// It is after the last line break within `limit`, or, if there is none, after the first one.
/// `None` if there is no line break at all.
pub(super) fn cut(bytes: &[u8], limit: usize) -> Option<usize> {
    let head = bytes.get(..limit.min(bytes.len())).unwrap_or_default();
    match memchr::memrchr(b'\n', head) {
        Some(at) => Some(at + 1),
        None => memchr::memchr(b'\n', bytes).map(|at| at + 1),
    }
}

/// Returns the pieces of a block of lines as begins and ends, each at most about `limit` bytes.
pub(super) fn pieces(block: &[u8], limit: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < block.len() {
        let rest = block.get(start..).unwrap_or_default();
        let length = if rest.len() <= limit { rest.len() } else { cut(rest, limit).unwrap_or(rest.len()) };
        pieces.push((start, start + length));
        start += length;
    }
    pieces
}

/// Returns the number of line breaks in some bytes.
pub(super) fn count(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Returns the length of the VelocyPack array or object that begins with these bytes.
///
/// Returns `None` if the length is unknown, or if they begin neither.
pub(super) fn value_bytes(bytes: &[u8]) -> Option<u64> {
    let head = *bytes.first()?;
    let width = match head {
        0x01 | 0x0a => return Some(1),
        0x02..=0x05 => head - 0x02,
        0x06..=0x09 => head - 0x06,
        0x0b..=0x0e => head - 0x0b,
        0x0f..=0x12 => head - 0x0f,
        0x13 | 0x14 => return variable(bytes.get(1..)?),
        _ => return None,
    };
    let mut length = [0; 8];
    let width = 1usize << width;
    length.get_mut(..width)?.copy_from_slice(bytes.get(1..=width)?);
    Some(u64::from_le_bytes(length))
}

/// Returns a number in groups of seven bits, the lowest first.
fn variable(bytes: &[u8]) -> Option<u64> {
    let mut length = 0;
    for (position, byte) in bytes.iter().enumerate().take(9) {
        length |= u64::from(byte & 0x7f) << (7 * position);
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}
