//! Batches: rows that are sent together.

use crate::Failure;

/// The rows of one request: the body, one row per line, and their places in the file.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// JSON Lines; for a table, the first line has the attributes' names.
    pub(super) body: Vec<u8>,
    /// Bytes of the body before the first row.
    pub(super) header_bytes: usize,
    /// The file's line of each row.
    pub(super) lines: RowLines,
    /// The rows that were found wrong before sending.
    pub(super) rejected: Vec<RejectedRow>,
    /// The number of the file's lines in it.
    pub(super) lines_read: u64,
}

impl Batch {
    /// Returns the number of rows, without empty lines.
    pub(super) fn rows(&self) -> u64 {
        let sent = match &self.lines {
            RowLines::Each(lines) => lines.len(),
            RowLines::From(_) => {
                let lines = self.body.split(|byte| *byte == b'\n');
                lines.filter(|line| !line.trim_ascii().is_empty()).count()
            }
        };
        (sent + self.rejected.len()) as u64
    }
}

/// The lines of a file in which rows begin, counted from 1.
#[derive(Debug)]
pub(super) enum RowLines {
    /// Every line from this one on.
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
    /// Returns the line of a row, counted from 0.
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
    /// The row's first line.
    pub(super) line: u64,
    /// The reason, for a person.
    pub(super) reason: String,
    /// The row as written in the file, or its beginning.
    pub(super) row: String,
}

/// The batches of a file, one after another.
pub(super) trait Batches {
    /// Returns the next batch; `None` at the end. Errors name file and line.
    fn next_batch(&mut self) -> Result<Option<Batch>, Failure>;
}
