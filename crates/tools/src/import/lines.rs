//! JSON Lines: the rows are unchanged, and batches end at the end of a line.

use std::io::{self, Cursor, Read};

use memchr::{memchr_iter, memrchr};

use super::batch::{Batch, Batches, RowLines};
use super::options::{MAX_ROW_BYTES, Settings};
use crate::Failure;

/// The mark that some programs write before UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The maximum number of bytes before the first character that is not white space.
const MAX_BLANK_BYTES: u64 = 1 << 20;

/// Returns true if a file's first character begins an array, and the file including that character.
pub(super) fn is_array(mut input: Box<dyn Read + Send>) -> io::Result<(bool, Box<dyn Read + Send>)> {
    let mut begin = Vec::new();
    let mut byte = [0];
    while (begin.len() as u64) < MAX_BLANK_BYTES && input.read(&mut byte)? > 0 {
        begin.extend(byte);
        if !byte[0].is_ascii_whitespace() && !BYTE_ORDER_MARK.starts_with(&begin) {
            break;
        }
    }
    let is_array = begin.last() == Some(&b'[');
    Ok((is_array, Box::new(Cursor::new(begin).chain(input))))
}

/// A reader of lines.
pub(super) struct LineBatches {
    input: Box<dyn Read + Send>,
    settings: Settings,
    /// The bytes that were read and are in no batch yet.
    rest: Vec<u8>,
    /// The number of the line that `rest` begins with.
    line: u64,
    is_at_end: bool,
}

impl LineBatches {
    /// Returns a reader that first skips a number of lines.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        settings: &Settings,
        skipped: u64,
    ) -> Result<Self, Failure> {
        let mut batches =
            LineBatches { input, settings: settings.clone(), rest: Vec::new(), line: 1, is_at_end: false };
        batches.fill(settings.batch_bytes)?;
        if batches.rest.starts_with(BYTE_ORDER_MARK) {
            batches.rest.drain(..BYTE_ORDER_MARK.len());
        }
        for _ in 0..skipped {
            if !batches.skip_line()? {
                break;
            }
        }
        Ok(batches)
    }

    fn skip_line(&mut self) -> Result<bool, Failure> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.rest) {
                self.rest.drain(..=end);
                self.line += 1;
                return Ok(true);
            }
            self.rest.clear();
            self.fill(self.settings.batch_bytes)?;
            if self.rest.is_empty() {
                return Ok(false);
            }
        }
    }

    /// Reads until `rest` has a number of bytes, or to the end.
    fn fill(&mut self, bytes: usize) -> Result<(), Failure> {
        let missing = bytes.saturating_sub(self.rest.len());
        self.rest.reserve(missing);
        let read = self.input.by_ref().take(missing as u64).read_to_end(&mut self.rest);
        let count = read.map_err(|error| {
            let line = self.line + memchr_iter(b'\n', &self.rest).count() as u64;
            self.settings.unreadable(line, &error)
        })?;
        self.is_at_end |= count < missing;
        Ok(())
    }

    /// Returns the end of the next batch in `rest`: after a line, or at the end of the file.
    fn end(&mut self) -> Result<usize, Failure> {
        let mut wanted = self.settings.batch_bytes;
        loop {
            if !self.is_at_end {
                self.fill(wanted)?;
            }
            let end = match memrchr(b'\n', &self.rest) {
                _ if self.is_at_end => self.rest.len(),
                Some(last) => last + 1,
                None if wanted >= MAX_ROW_BYTES => return Err(self.settings.too_long(self.line)),
                None => {
                    wanted = (wanted * 2).min(MAX_ROW_BYTES);
                    continue;
                }
            };
            // `rest` may hold much more than one batch.
            let rows = self.settings.batch_rows.unwrap_or(usize::MAX);
            let last_row = memchr_iter(b'\n', self.rest.get(..end).unwrap_or_default()).nth(rows - 1);
            return Ok(last_row.map_or(end, |position| position + 1));
        }
    }
}

impl Batches for LineBatches {
    fn next_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let end = self.end()?;
        if end == 0 {
            return Ok(None);
        }
        let mut rest = Vec::with_capacity(self.settings.batch_bytes);
        rest.extend_from_slice(self.rest.get(end..).unwrap_or_default());
        let mut body = std::mem::replace(&mut self.rest, rest);
        body.truncate(end);
        let mut count = memchr_iter(b'\n', &body).count() as u64;
        count += u64::from(!body.ends_with(b"\n"));
        let lines = RowLines::From(self.line);
        self.line += count;
        Ok(Some(Batch { body, lines, lines_read: count, ..Batch::default() }))
    }
}
