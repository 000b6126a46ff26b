//! CSV and TSV: rows become arrays of values, after a line of names.

use std::io::Read;
use std::sync::Arc;

use super::batch::{Batch, Batches, RejectedRow, RowLines};
use super::columns::Columns;
use super::line_ends;
use super::lines::BYTE_ORDER_MARK;
use super::options::{MAX_ROW_BYTES, Settings};
use super::record::{Found, Record, read};
use crate::{Console, Failure, Progress, Unit, input};

/// The bytes of one read.
const BLOCK_BYTES: usize = 256 << 10;

/// The maximum number of characters shown of a wrong row.
const MAX_SHOWN_CHARS: usize = 1_000;

/// The maximum number of wrong rows in one batch, so that a file of another form ends soon.
const MAX_REJECTED: usize = 1_000;

/// A reader of rows.
pub(super) struct TableBatches {
    rows: Rows,
    columns: Option<Columns>,
    record: Record,
    /// The number of lines that batches have counted.
    told_lines: u64,
}

/// The text of a table.
struct Rows {
    input: Box<dyn Read + Send>,
    settings: Settings,
    name: String,
    text: Vec<u8>,
    /// The part of the text that has been read.
    position: usize,
    line: u64,
    /// True if the text that has been read ends within a line, as a file may.
    is_within_line: bool,
    is_at_end: bool,
}

/// The next row of a table.
enum Next {
    Row { line: u64 },
    Wrong(RejectedRow),
    End,
}

impl TableBatches {
    /// Reads the line of names, from the file or from a separate one.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        settings: &Settings,
        console: &Console,
    ) -> Result<Self, Failure> {
        let mut rows = Rows::new(input, settings, &settings.file)?;
        for _ in 0..settings.skip_lines {
            if !rows.skip_line()? {
                break;
            }
        }
        let mut record = Record::default();
        let columns = match &settings.table.headers_file {
            Some(path) => {
                let uncounted = Arc::new(Progress::new(console, false, "", Unit::Bytes, None));
                let mut names = Rows::new(input::open(path, &settings.files, &uncounted)?, settings, path)?;
                let columns = names.columns(&mut record, settings, console)?;
                Some(columns.ok_or_else(|| Failure::new(format!("{path} has no header line")))?)
            }
            None => rows.columns(&mut record, settings, console)?,
        };
        Ok(TableBatches { rows, columns, record, told_lines: 0 })
    }
}

impl Rows {
    fn new(input: Box<dyn Read + Send>, settings: &Settings, name: &str) -> Result<Self, Failure> {
        let mut rows = Rows {
            input,
            settings: settings.clone(),
            name: name.to_owned(),
            text: Vec::new(),
            position: 0,
            line: 1,
            is_within_line: false,
            is_at_end: false,
        };
        rows.fill()?;
        if rows.text.starts_with(BYTE_ORDER_MARK) {
            rows.position = BYTE_ORDER_MARK.len();
        }
        Ok(rows)
    }

    /// Reads more text after the unread part.
    fn fill(&mut self) -> Result<(), Failure> {
        self.text.drain(..self.position);
        self.position = 0;
        // The amount grows with the row, as each attempt scans the row from its beginning.
        let wanted = BLOCK_BYTES.max(self.text.len());
        let read = self.input.by_ref().take(wanted as u64).read_to_end(&mut self.text);
        let count = read.map_err(|error| {
            Failure::new(format!("{}:{}: cannot read the file further: {error}", self.name, self.line))
        })?;
        self.is_at_end = count < wanted;
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn skip_line(&mut self) -> Result<bool, Failure> {
        loop {
            if let Some((_, end)) = line_ends::find(self.rest(), self.is_at_end) {
                self.position += end;
                self.line += 1;
                return Ok(true);
            }
            // The next block may have the second half of a line's end.
            let kept = usize::from(!self.is_at_end && self.rest().ends_with(b"\r"));
            self.position = self.text.len() - kept;
            if self.is_at_end {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    fn columns(
        &mut self,
        record: &mut Record,
        settings: &Settings,
        console: &Console,
    ) -> Result<Option<Columns>, Failure> {
        match self.next(record)? {
            Next::Row { .. } => Columns::new(record, settings, console).map(Some),
            Next::Wrong(row) => {
                Err(Failure::new(format!("{}:{}: header line: {}", self.name, row.line, row.reason)))
            }
            Next::End => Ok(None),
        }
    }

    fn next(&mut self, record: &mut Record) -> Result<Next, Failure> {
        loop {
            if self.rest().is_empty() {
                if self.is_at_end {
                    return Ok(Next::End);
                }
                self.fill()?;
                continue;
            }
            let line = self.line;
            match read(self.rest(), self.is_at_end, &self.settings.table, record) {
                Found::Row(bytes) => {
                    self.advance(bytes);
                    return Ok(Next::Row { line });
                }
                Found::Blank(bytes) => self.advance(bytes),
                Found::Wrong(bytes, reason) => {
                    let row = String::from_utf8_lossy(self.rest().get(..bytes).unwrap_or_default());
                    let row = row.trim_end().chars().take(MAX_SHOWN_CHARS).collect();
                    self.advance(bytes);
                    return Ok(Next::Wrong(RejectedRow { line, reason: reason.to_owned(), row }));
                }
                Found::Incomplete if self.rest().len() > MAX_ROW_BYTES => {
                    let limit = MAX_ROW_BYTES >> 20;
                    let name = &self.name;
                    return Err(Failure::new(format!(
                        "{name}:{line}: the row that starts here is larger than {limit} MiB; is a quote missing?"
                    )));
                }
                Found::Incomplete => self.fill()?,
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or_default();
        let breaks = line_ends::count(passed);
        let ends_with_break = matches!(passed.last(), Some(b'\n' | b'\r'));
        self.line += breaks as u64;
        self.is_within_line = !ends_with_break;
        self.position += bytes;
    }

    fn lines_read(&self) -> u64 {
        self.line - 1 + u64::from(self.is_within_line)
    }
}

impl Batches for TableBatches {
    fn next_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let Some(columns) = &self.columns else { return Ok(None) };
        let batch_bytes = self.rows.settings.batch_bytes;
        let max_rows = self.rows.settings.batch_rows.unwrap_or(usize::MAX);
        let mut body = Vec::with_capacity(batch_bytes + batch_bytes / 8);
        body.extend_from_slice(columns.header());
        let header_bytes = body.len();
        let (mut lines, mut rejected) = (Vec::new(), Vec::new());
        while body.len() < batch_bytes && lines.len() < max_rows && rejected.len() < MAX_REJECTED {
            match self.rows.next(&mut self.record)? {
                Next::Row { line } => match columns.write(&self.record, &mut body) {
                    Ok(()) => lines.push(line),
                    Err(reason) => rejected.push(RejectedRow { line, reason, row: shown(&self.record) }),
                },
                Next::Wrong(row) => rejected.push(row),
                Next::End => break,
            }
        }
        let lines_read = self.rows.lines_read() - self.told_lines;
        self.told_lines += lines_read;
        if lines.is_empty() && rejected.is_empty() && lines_read == 0 {
            return Ok(None);
        }
        Ok(Some(Batch { body, header_bytes, lines: RowLines::Each(lines), rejected, lines_read }))
    }
}

/// Returns a row for a person, its values between vertical bars.
fn shown(record: &Record) -> String {
    let fields: Vec<_> = record.fields().map(|(field, _)| String::from_utf8_lossy(field)).collect();
    fields.join(" | ").chars().take(MAX_SHOWN_CHARS).collect()
}
