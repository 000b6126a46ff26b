//! Rows of CSV and TSV, as arangoimport reads them.
//!
//! A field that begins with a quote ends at the next quote that is not doubled (or, if the options
//! ask for it, escaped by a backslash), line breaks included. White space may follow it at the end
//! of the line, and blanks and tabs before a separator. Any other field ends at the next separator
//! or at the end of the line, whose white space is omitted. A line ends with LF, CR LF or CR. The
//! crate `csv` does not report which fields had quotes, but the conversion depends on it. So this
//! is our own code.

use memchr::{memchr, memchr2, memchr3, memmem};

use super::line_ends;
use super::table_options::TableSettings;

/// A row, reused for all rows.
#[derive(Debug, Default)]
pub(super) struct Record {
    data: Vec<u8>,
    /// The end of each field in `data`, and true if it had quotes.
    fields: Vec<(usize, bool)>,
}

impl Record {
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Returns all fields: their bytes without quotes, and true for those that had quotes.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let mut begin = 0;
        self.fields.iter().map(move |(end, has_quotes)| {
            let field = self.data.get(begin..*end).unwrap_or_default();
            begin = *end;
            (field, *has_quotes)
        })
    }

    fn clear(&mut self) {
        self.data.clear();
        self.fields.clear();
    }

    fn end_field(&mut self, has_quotes: bool) {
        self.fields.push((self.data.len(), has_quotes));
    }
}

/// The result of a read at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A row of this many bytes.
    Row(usize),
    /// An empty line.
    Blank(usize),
    /// So many bytes that are not a row, and the reason.
    Wrong(usize, &'static str),
    /// A part of a row.
    Incomplete,
}

/// Reads a row from the beginning of `text`; `is_whole` means that nothing follows it.
pub(super) fn read(text: &[u8], is_whole: bool, table: &TableSettings, record: &mut Record) -> Found {
    record.clear();
    let (line_end, behind) = match line_ends::find(text, is_whole) {
        Some(end) => end,
        None if is_whole => (text.len(), text.len()),
        None => return Found::Incomplete,
    };
    let line = text.get(..line_end).unwrap_or_default();
    if line.trim_ascii().is_empty() && memmem::find(line, &table.separator).is_none() {
        return Found::Blank(behind);
    }
    let mut position = 0;
    loop {
        let field = text.get(position..).unwrap_or_default();
        let end = match table.quote.filter(|quote| field.first() == Some(quote)) {
            Some(quote) => match quoted(field, is_whole, quote, table, record) {
                Quoted::Field(bytes) => position + bytes,
                Quoted::Open if is_whole => return Found::Wrong(text.len(), "its last quote is not closed"),
                Quoted::Open => return Found::Incomplete,
                Quoted::Wrong => {
                    return match line_ends::find(field, is_whole) {
                        Some((_, end)) => Found::Wrong(position + end, "something follows a closing quote"),
                        None if is_whole => Found::Wrong(text.len(), "something follows a closing quote"),
                        None => Found::Incomplete,
                    };
                }
            },
            None => match plain(field, is_whole, &table.separator, record) {
                Some(bytes) => position + bytes,
                None => return Found::Incomplete,
            },
        };
        let rest = text.get(end..).unwrap_or_default();
        if rest.starts_with(&table.separator) {
            position = end + table.separator.len();
            continue;
        }
        return match line_ends::find(rest, is_whole) {
            Some((_, behind)) => Found::Row(end + behind),
            None if is_whole => Found::Row(text.len()),
            None => Found::Incomplete,
        };
    }
}

enum Quoted {
    /// A field; this many bytes to the separator or the line's end.
    Field(usize),
    /// A text that ends within the field, or directly after it, where more may follow.
    Open,
    /// A field with something after the closing quote.
    Wrong,
}

fn quoted(field: &[u8], is_whole: bool, quote: u8, table: &TableSettings, record: &mut Record) -> Quoted {
    let mut position = 1;
    loop {
        let rest = field.get(position..).unwrap_or_default();
        let found = match table.backslash_escape {
            true => memchr2(quote, b'\\', rest),
            false => memchr(quote, rest),
        };
        let Some(found) = found else { return Quoted::Open };
        record.data.extend_from_slice(rest.get(..found).unwrap_or_default());
        let byte = rest.get(found).copied().unwrap_or(quote);
        let next = rest.get(found + 1).copied();
        match (byte == quote, next) {
            (true, Some(next)) if next == quote => {
                record.data.push(quote);
                position += found + 2;
            }
            (true, None) if !is_whole => return Quoted::Open,
            (true, _) => {
                record.end_field(true);
                return after_quote(field, is_whole, position + found + 1, table);
            }
            (false, Some(next)) if next == quote || next == b'\\' => {
                record.data.push(next);
                position += found + 2;
            }
            (false, Some(_)) => {
                record.data.push(b'\\');
                position += found + 1;
            }
            (false, None) => return Quoted::Open,
        }
    }
}

/// Checks the text after a closing quote.
///
/// It is a separator with blanks and tabs before it, or nothing but white space up to the line's
/// end.
fn after_quote(field: &[u8], is_whole: bool, end: usize, table: &TableSettings) -> Quoted {
    let mut position = end;
    loop {
        let rest = field.get(position..).unwrap_or_default();
        if rest.starts_with(&table.separator) {
            return Quoted::Field(position);
        }
        if !matches!(rest.first(), Some(b' ' | b'\t')) {
            break;
        }
        position += 1;
    }
    let rest = field.get(position..).unwrap_or_default();
    let line = match line_ends::find(rest, is_whole) {
        Some((end, _)) => rest.get(..end).unwrap_or_default(),
        None if is_whole => rest,
        None => return Quoted::Open,
    };
    match line.trim_ascii().is_empty() {
        true => Quoted::Field(position + line.len()),
        false => Quoted::Wrong,
    }
}

/// Reads a field without quotes and returns its bytes to the separator or the line's end.
fn plain(field: &[u8], is_whole: bool, separator: &[u8], record: &mut Record) -> Option<usize> {
    let first = separator.first().copied().unwrap_or(b',');
    let mut position = 0;
    loop {
        let rest = field.get(position..).unwrap_or_default();
        let found = match memchr3(first, b'\n', b'\r', rest) {
            Some(found) => position + found,
            None if is_whole => field.len(),
            None => return None,
        };
        let at = field.get(found..).unwrap_or_default();
        let is_end = matches!(at.first(), None | Some(b'\n' | b'\r'));
        if !is_end && !at.starts_with(separator) {
            position = found + 1;
            continue;
        }
        let text = field.get(..found).unwrap_or_default();
        record.data.extend_from_slice(if is_end { text.trim_ascii_end() } else { text });
        record.end_field(false);
        return Some(found);
    }
}
