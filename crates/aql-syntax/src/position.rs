//! Byte offsets into a query, and their lines and columns, which are computed only on demand.

/// A range of byte offsets into the query's text: `start` included, `end` excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the range from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// Returns the smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place in a query's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Number of bytes before it.
    pub offset: u32,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1 in bytes.
    pub column: u32,
}

/// Returns the line and column of a byte offset, both counted from 1.
///
/// An offset after the end counts as the end.
pub fn position(text: &str, offset: u32) -> Position {
    let before = text.as_bytes().get(..offset as usize).unwrap_or(text.as_bytes());
    let lines = before.iter().filter(|&&byte| byte == b'\n').count();
    let start_of_line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position {
        offset: count(before.len()),
        line: count(lines + 1),
        column: count(before.len() - start_of_line + 1),
    }
}
