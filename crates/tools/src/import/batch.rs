//! Batches: rows that are sent together.

use crate::Failure;

/// Rows for one request: the body, a row a line, and where in the file they come from.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Lines of JSON; with a table, the first has the attributes' names.
    pub(super) body: Vec<u8>,
    /// Bytes of the body before the first row.
    pub(super) header_bytes: usize,
    /// The file's line of each row.
    pub(super) lines: RowLines,
    /// Rows that were found wrong before they were sent.
    pub(super) rejected: Vec<RejectedRow>,
    /// Lines of the file that were read for it.
    pub(super) lines_read: u64,
}

/// The lines of a file in which rows begin, counted from 1.
#[derive(Debug)]
pub(super) enum RowLines {
    /// Line by line from this one on.
    From(u64),
    /// The line of each row.
    Each(Vec<u64>),
}

impl Default for RowLines {
    fn default() -> Self {
        RowLines::Each(Vec::new())
    }
}

impl RowLines {
    /// The line of a row, counted from 0.
    pub(super) fn of(&self, row: usize) -> u64 {
        match self {
            RowLines::From(first) => first.saturating_add(row as u64),
            RowLines::Each(lines) => lines.get(row).or(lines.last()).copied().unwrap_or(0),
        }
    }
}

/// A row that is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RejectedRow {
    /// Its first line.
    pub(super) line: u64,
    /// Why, for a person.
    pub(super) reason: String,
    /// The row as it stands in the file, or its beginning.
    pub(super) row: String,
}

/// Batches of a file, one after the other.
pub(super) trait Batches {
    /// The next one; nothing at the end. Errors name file and line.
    fn next_batch(&mut self) -> Result<Option<Batch>, Failure>;
}
