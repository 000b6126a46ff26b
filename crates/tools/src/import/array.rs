//! JSON arrays: each element becomes a line.
//!
//! So no more than a batch is in memory, and each element is accepted or rejected separately.

use std::io::Read;

use super::batch::{Batch, Batches, RowLines};
use super::lines::BYTE_ORDER_MARK;
use super::options::{MAX_ROW_BYTES, Settings};
use crate::Failure;

/// The bytes of one read.
const BLOCK_BYTES: usize = 256 << 10;

/// The replacement of a line break within a text, which JSON does not allow.
///
/// The row stays one line, and the server rejects it.
const FORBIDDEN: u8 = 1;

/// The reader's place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the array.
    Before,
    /// An element must begin here, or, with `true`, the array may end.
    Between(bool),
    /// Within an element, at this depth of brackets.
    Element(u32),
    /// Within a text, at this depth of brackets.
    Text(u32),
    /// After a backslash in a text, at this depth of brackets.
    Escape(u32),
    /// After the array.
    After,
}

/// A reader of one array.
pub(super) struct ArrayBatches {
    input: Box<dyn Read + Send>,
    settings: Settings,
    block: Vec<u8>,
    /// The scanned part of the block.
    position: usize,
    line: u64,
    place: Place,
    is_at_end: bool,
}

impl ArrayBatches {
    pub(super) fn new(input: Box<dyn Read + Send>, settings: &Settings) -> Self {
        ArrayBatches {
            input,
            settings: settings.clone(),
            block: Vec::new(),
            position: 0,
            line: 1,
            place: Place::Before,
            is_at_end: false,
        }
    }

    fn fill(&mut self) -> Result<(), Failure> {
        let is_first = self.block.is_empty() && self.line == 1;
        self.block.clear();
        self.position = 0;
        let read = self.input.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut self.block);
        let count = read.map_err(|error| self.settings.unreadable(self.line, &error))?;
        self.is_at_end = count < BLOCK_BYTES;
        if is_first && self.block.starts_with(BYTE_ORDER_MARK) {
            self.position = BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    fn wrong(&self, what: &str) -> Failure {
        Failure::new(format!("{}:{}: {what}", self.settings.file, self.line))
    }

    /// Processes one byte and returns true if an element has ended.
    ///
    /// Bytes of an element go to `body`.
    fn step(&mut self, byte: u8, body: &mut Vec<u8>, begins: &mut Vec<u64>) -> Result<bool, Failure> {
        let is_break = byte == b'\n' || byte == b'\r';
        match self.place {
            Place::Before if byte == b'[' => self.place = Place::Between(true),
            Place::Before if !byte.is_ascii_whitespace() => {
                return Err(self
                    .wrong("the file does not begin with an array; --type jsonl is for a document a line"));
            }
            Place::Between(may_end) => match byte {
                b']' if may_end => self.place = Place::After,
                b',' | b']' => return Err(self.wrong("a document is missing before this comma or bracket")),
                blank if blank.is_ascii_whitespace() => {}
                first => {
                    begins.push(self.line);
                    self.place = Place::Element(0);
                    return self.step(first, body, begins);
                }
            },
            Place::Element(0) if byte == b',' || byte == b']' => {
                self.place = if byte == b',' { Place::Between(false) } else { Place::After };
                body.push(b'\n');
                return Ok(true);
            }
            Place::Element(depth) => {
                self.place = match byte {
                    b'"' => Place::Text(depth),
                    b'{' | b'[' => Place::Element(depth.saturating_add(1)),
                    b'}' | b']' => Place::Element(depth.saturating_sub(1)),
                    _ => self.place,
                };
                body.push(if is_break { b' ' } else { byte });
            }
            Place::Text(depth) => {
                self.place = match byte {
                    b'"' => Place::Element(depth),
                    b'\\' => Place::Escape(depth),
                    _ => self.place,
                };
                body.push(if is_break { FORBIDDEN } else { byte });
            }
            Place::Escape(depth) => {
                self.place = Place::Text(depth);
                body.push(if is_break { FORBIDDEN } else { byte });
            }
            Place::After if !byte.is_ascii_whitespace() => {
                return Err(self.wrong("the file continues after the end of its array"));
            }
            Place::Before | Place::After => {}
        }
        Ok(false)
    }
}

impl Batches for ArrayBatches {
    fn next_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let mut body = Vec::with_capacity(self.settings.batch_bytes);
        let mut begins = Vec::new();
        let (first_line, max_rows) = (self.line, self.settings.batch_rows.unwrap_or(usize::MAX));
        let mut element = 0;
        loop {
            let Some(byte) = self.block.get(self.position).copied() else {
                if self.is_at_end {
                    break;
                }
                self.fill()?;
                continue;
            };
            self.position += 1;
            let has_ended = self.step(byte, &mut body, &mut begins)?;
            self.line += u64::from(byte == b'\n');
            if has_ended {
                element = body.len();
                if body.len() >= self.settings.batch_bytes || begins.len() >= max_rows {
                    break;
                }
            } else if body.len() - element > MAX_ROW_BYTES {
                return Err(self.settings.too_long(begins.last().copied().unwrap_or(self.line)));
            }
        }
        let is_whole = self.place == Place::After || self.place == Place::Before;
        if self.is_at_end && self.position >= self.block.len() && !is_whole {
            return Err(self.wrong("the file ends within its array"));
        }
        let lines_read = self.line - first_line;
        let is_empty = body.is_empty();
        let batch = Batch { body, lines: RowLines::Each(begins), lines_read, ..Batch::default() };
        Ok((!is_empty).then_some(batch))
    }
}
